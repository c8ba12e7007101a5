"""The claims about made streams (S17 to S21), which stand with the others of the paper."""

from collections.abc import Sequence
from functools import partial

from lopsided.experiments import Answer, Measurements, Needs, estimate, every, words
from lopsided.papers.sculley_2007 import made_streams as made
from lopsided.papers.sculley_2007.claims import CLAIMS
from lopsided.papers.sculley_2007.methods import EFFICIENT, FULL, TASTING

__all__ = ["CLAIMS"]
_claim = CLAIMS.enter


def _whole(item: str, cases: made.Cases, *only: str) -> list[Needs]:
    """Return a need for each case of a figure, or for some of them only, with all of its settings."""
    return [
        Needs(item, "case", only={"case": [case]}, every={"setting": cases[case]}) for case in only or cases
    ]


def _recalls(case: Measurements) -> dict[str, float]:
    """Return the recall of each setting in percent."""
    return {setting: 100 * recall for setting, recall in case.means("recall", "setting").items()}


def _stalls(case: Measurements, setting: str = made.MARGIN, beside: str = FULL) -> Answer:
    part = estimate(lambda t: _recalls(t)[setting] - words.COLLAPSED * _recalls(t)[beside], case)
    return part.below(0)


def _is_cured(case: Measurements, setting: str) -> Answer:
    return estimate(lambda t: _recalls(t)[setting] - _recalls(t)[FULL], case).above(-words.FAR)


def _tell(cases: Sequence[Measurements], *settings: str) -> str:
    """Return the recalls of the cases, each with those of the settings that it has."""
    return "; ".join(f"{case.labels('case')[0]}: {_tell_one(case, settings)}" for case in cases)


def _tell_one(case: Measurements, settings: Sequence[str]) -> str:
    recalls = {setting: recall for setting, recall in _recalls(case).items() if setting in settings}
    values = {setting: case.labels("value", setting=setting)[0] for setting in recalls}
    at = {setting: "" if value is None else f" (at {value:g})" for setting, value in values.items()}
    return ", ".join(f"{s} {recalls[s]:.1f}{at[s]}" for s in settings if s in recalls)


@_claim("S17", *_whole("figure1", made.FIGURE1))
def _check_noise(*cases: Measurements) -> tuple[Answer, str]:
    holds = every(_stalls(case, made.PERCEPTRON, made.MARGIN) for case in cases)
    return holds, _tell(cases, made.PERCEPTRON, made.MARGIN)


@_claim("S18", *_whole("figure8", made.FIGURE8, "gap"))
def _check_gap(gap: Measurements) -> tuple[Answer, str]:
    holds = _stalls(gap) & _is_cured(gap, made.LARGER_MARGIN)
    return holds, _tell([gap], made.MARGIN, made.LARGER_MARGIN, FULL)


@_claim("S19", *_whole("figure8", made.FIGURE8, "stripe"))
def _check_stripe(stripe: Measurements) -> tuple[Answer, str]:
    cures = (made.LARGER_MARGIN, made.COSTLY, made.FEATURE_MAP)
    cured = Answer.of(False)
    for cure in cures:
        cured |= _is_cured(stripe, cure)
    return _stalls(stripe) & cured, _tell([stripe], made.MARGIN, *cures, FULL)


@_claim("S20", *_whole("text", made.TEXT))
def _check_malice(malicious: Measurements, overshoot: Measurements) -> tuple[Answer, str]:
    holds = _stalls(malicious) & _stalls(overshoot) & _is_cured(overshoot, made.SMALLER_STEPS)
    return holds, _tell([malicious, overshoot], made.MARGIN, made.SMALLER_STEPS, FULL)


@_claim("S21", *_whole("figure8", made.FIGURE8), *_whole("text", made.TEXT))
def _check_robust(*cases: Measurements) -> tuple[Answer, str]:
    def kept(setting: str, case: Measurements) -> float:
        return _recalls(case)[setting] - words.COLLAPSED * _recalls(case)[FULL]

    both = (estimate(partial(kept, setting), case) for case in cases for setting in (TASTING, EFFICIENT))
    return every(one.at_least(0) for one in both), _tell(cases, made.MARGIN, TASTING, EFFICIENT, FULL)
