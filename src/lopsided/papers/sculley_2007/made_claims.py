"""The claims about made streams (S17 to S21), and the rules that judge them."""

from collections.abc import Sequence

from lopsided.experiments import Measurements, Needs
from lopsided.experiments._claims import COLLAPSED, FAR
from lopsided.papers.sculley_2007.claims import CLAIMS
from lopsided.papers.sculley_2007.made_streams import (
    COSTLY,
    FEATURE_MAP,
    FIGURE1,
    FIGURE8,
    LARGER_MARGIN,
    MARGIN,
    PERCEPTRON,
    SMALLER_STEPS,
    TEXT,
    Cases,
)
from lopsided.papers.sculley_2007.methods import EFFICIENT, FULL, TASTING

__all__ = ["CLAIMS"]
_claim = CLAIMS.enter


def _whole(item: str, cases: Cases, *only: str) -> list[Needs]:
    """Return a need for each case of a figure, or for some of them only, with all of its settings."""
    return [
        Needs(item, "case", only={"case": [case]}, every={"setting": cases[case]}) for case in only or cases
    ]


def _recalls(case: Measurements) -> dict[str, float]:
    """Return the recall of each setting in percent."""
    return {setting: 100 * recall for setting, recall in case.means("recall", "setting").items()}


def _stalls(case: Measurements) -> bool:
    recall = _recalls(case)
    return recall[MARGIN] < COLLAPSED * recall[FULL]


def _is_cured(case: Measurements, setting: str) -> bool:
    recall = _recalls(case)
    return recall[setting] > recall[FULL] - FAR


def _tell(cases: Sequence[Measurements], *settings: str) -> str:
    """Return the recalls of the cases, each with those of the settings that it has."""
    return "; ".join(f"{case.labels('case')[0]}: {_tell_one(case, settings)}" for case in cases)


def _tell_one(case: Measurements, settings: Sequence[str]) -> str:
    recalls, shown = _recalls(case), []
    for setting in settings:
        if setting in recalls:
            value = case.labels("value", setting=setting)[0]
            shown.append(f"{setting} {recalls[setting]:.1f}" + ("" if value is None else f" (at {value:g})"))
    return ", ".join(shown)


@_claim("S17", *_whole("figure1", FIGURE1))
def _check_noise(*cases: Measurements) -> tuple[bool, str]:
    recalls = map(_recalls, cases)
    holds = all(recall[PERCEPTRON] < COLLAPSED * recall[MARGIN] for recall in recalls)
    return holds, _tell(cases, PERCEPTRON, MARGIN)


@_claim("S18", *_whole("figure8", FIGURE8, "gap"))
def _check_gap(gap: Measurements) -> tuple[bool, str]:
    return _stalls(gap) and _is_cured(gap, LARGER_MARGIN), _tell([gap], MARGIN, LARGER_MARGIN, FULL)


@_claim("S19", *_whole("figure8", FIGURE8, "stripe"))
def _check_stripe(stripe: Measurements) -> tuple[bool, str]:
    cures = (LARGER_MARGIN, COSTLY, FEATURE_MAP)
    holds = _stalls(stripe) and any(_is_cured(stripe, cure) for cure in cures)
    return holds, _tell([stripe], MARGIN, *cures, FULL)


@_claim("S20", *_whole("text", TEXT))
def _check_malice(malicious: Measurements, overshoot: Measurements) -> tuple[bool, str]:
    holds = _stalls(malicious) and _stalls(overshoot) and _is_cured(overshoot, SMALLER_STEPS)
    return holds, _tell([malicious, overshoot], MARGIN, SMALLER_STEPS, FULL)


@_claim("S21", *_whole("figure8", FIGURE8), *_whole("text", TEXT))
def _check_robust(*cases: Measurements) -> tuple[bool, str]:
    recalls = map(_recalls, cases)
    holds = all(recall[s] >= COLLAPSED * recall[FULL] for recall in recalls for s in (TASTING, EFFICIENT))
    return holds, _tell(cases, MARGIN, TASTING, EFFICIENT, FULL)
