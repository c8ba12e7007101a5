"""The nine claims of the paper, and the rules that judge them."""

from lopsided.experiments import Claims, Measurements, Needs
from lopsided.experiments._claims import FAR, SIMILAR
from lopsided.papers.yu_2003.data import ISLANDS, PAGES
from lopsided.papers.yu_2003.methods import COMPARED, OSVM, OURS, SVM_NN, TSVM
from lopsided.papers.yu_2003.units import LAST, MAPPED, SHARES

_FAIR, _POOR = 0.6, 0.4  # F1: at least, less than
_CLOSE = 3.0  # points: SMC and SVMC are within this of each other
_FASTER = 3.0  # times
_LOSES_NONE = 0.98  # recall, at least: near 100 % in the paper

CLAIMS = Claims.read(__package__)
_claim = CLAIMS.enter
_WHOLE_TABLE = Needs("table1", every={"method": COMPARED})


@_claim("Y1", _WHOLE_TABLE)
def _check_order(table: Measurements) -> tuple[bool, str]:
    holds, shown = True, []
    for name, row in table.split("row").items():
        true, smc, svmc, one_class, noisy = (
            100 * row.mean("f1", method=method) for method in (TSVM, "SMC", "SVMC", OSVM, SVM_NN)
        )
        right = true >= max(smc, svmc) and min(smc, svmc) >= one_class + FAR and one_class >= noisy + FAR
        holds &= right
        shown.append(
            f"{name} {true:.1f}, {svmc:.1f}, {smc:.1f}, {one_class:.1f}, {noisy:.1f}"
            + ("" if right else " (not so)")
        )
    return holds, "F1 in percent: " + "; ".join(shown)


@_claim("Y2", _WHOLE_TABLE)
def _check_same(table: Measurements) -> tuple[bool, str]:
    gaps, shown = [], []
    for name, row in table.split("row").items():
        printed, ours = (
            100 * (row.mean("f1", method=method) - row.mean("f1", method="SMC")) for method in ("SVMC", OURS)
        )
        gaps.append(abs(printed))
        shown.append(f"{name} {printed:+.1f} ({ours:+.1f})")
    told = f"points of F1 by which SVMC, and SVMC(), are above SMC: {'; '.join(shown)}"
    return max(gaps) <= _CLOSE, told


@_claim("Y3", _WHOLE_TABLE)
def _check_speed(table: Measurements) -> tuple[bool, str]:
    ratios, shown = [], []
    for name, row in table.split("row").items():
        printed, ours = (
            row.mean("seconds", method="SMC") / row.mean("seconds", method=method)
            for method in ("SVMC", OURS)
        )
        ratios.append(printed)
        shown.append(f"{name} {printed:.1f} ({ours:.1f})")
    return min(ratios) >= _FASTER, f"times faster, and those of SVMC(): {'; '.join(shown)}"


@_claim("Y4", _WHOLE_TABLE)
def _check_one_class(table: Measurements) -> tuple[bool, str]:
    f1 = {name: row.mean("f1", method=OSVM) for name, row in table.split("row").items()}
    holds = all(value < _POOR if name in PAGES else value >= _FAIR for name, value in f1.items())
    return holds, "; ".join(f"{name} {value:.3f}" for name, value in f1.items())


@_claim("Y5", Needs("figure1", index="data"))
def _check_overfit(figure_1: Measurements) -> tuple[bool, str]:
    holds, shown = True, []
    for name, data in figure_1.split("data").items():
        settings = data.split("setting").values()
        best = max(settings, key=lambda setting: setting.mean("f1"))
        most = max(settings, key=lambda setting: setting.mean("n_support"))
        holds &= most.mean("n_support") >= 2 * best.mean("n_support")
        holds &= 100 * (best.mean("f1") - most.mean("f1")) >= FAR
        holds &= 100 * (most.mean("labeled_recall") - most.mean("recall")) >= FAR
        shown.append(
            f"{name}: F1 {best.mean('f1'):.3f} with {best.mean('n_support'):.0f} support vectors, "
            f"{most.mean('f1'):.3f} with {most.mean('n_support'):.0f}, which accept "
            f"{100 * most.mean('labeled_recall'):.0f} % of the labeled and {100 * most.mean('recall'):.0f} % "
            "of the new positives"
        )
    return holds, "; ".join(shown)


@_claim("Y6", Needs("figure5", index="data"))
def _check_convergence(figure_5: Measurements) -> tuple[bool, str]:
    names = (MAPPED, LAST, TSVM, OSVM)
    mapped, last, true, tight = parts = [figure_5.only(data=ISLANDS, setting=name) for name in names]
    holds = mapped.mean("precision") < 0.5 and 100 * abs(last.mean("f1") - true.mean("f1")) <= SIMILAR
    holds &= tight.mean("area") < true.mean("area") / 2
    holds &= 100 * (true.mean("recall") - tight.mean("recall")) >= FAR
    shown = "; ".join(
        f"{name} F1 {part.mean('f1'):.3f}, precision {part.mean('precision'):.3f}, "
        f"recall {part.mean('recall'):.3f}, area {part.mean('area'):.1f}"
        for name, part in zip(names, parts, strict=True)
    )
    return holds, shown


@_claim("Y7", Needs("mapping", index="data"))
def _check_mapping(mapping: Measurements) -> tuple[bool, str]:
    holds, shown, n_compared = True, [], 0
    for name, data in mapping.split("data").items():
        settings = data.split("setting")
        f1 = [100 * part.mean("f1") for part in settings.values() if _is_sound(part)]
        holds &= not f1 or max(f1) - min(f1) <= SIMILAR
        n_compared += len(f1) > 1
        shown.append(f"{name}: " + ", ".join(_mapped(setting, part) for setting, part in settings.items()))
    return holds and n_compared > 0, "F1 after a mapping of such a precision: " + "; ".join(shown)


def _is_sound(mapping: Measurements) -> bool:
    return mapping.mean("mapping_recall") >= _LOSES_NONE


def _mapped(name: str, mapping: Measurements) -> str:
    text = f"{name} {mapping.mean('f1'):.3f} ({mapping.mean('mapping_precision'):.2f})"
    return text if _is_sound(mapping) else f"[{text}, recall only {mapping.mean('mapping_recall'):.3f}]"


@_claim("Y8", Needs("thinning", index="data"))
def _check_thinning(thinning: Measurements) -> tuple[bool, str]:
    losses, shown = [], []
    for name, data in thinning.split("data").items():
        f1 = [part.mean("f1") for part in data.split("setting").values()]
        shown.append(f"{name} " + ", ".join(f"{value:.3f}" for value in f1))
        if name != ISLANDS:
            losses.append(100 * (f1[0] - f1[-1]))
    shares = ", ".join(f"{share:g}" for share in SHARES)
    return bool(losses) and min(losses) > SIMILAR, f"F1 with {shares} of U: " + "; ".join(shown)


@_claim("Y9", Needs("gap", index="data", min_rows=2))
def _check_gap(gap: Measurements) -> tuple[bool, str]:
    fast, slow = (list(gap.only(data=f"line, {m}").split("setting").values()) for m in ("SVMC", "SMC"))
    away = max(abs(part.mean("iterations") - part.mean("log2_gap")) for part in (*fast, *slow))
    grown = [
        max(rows) / min(rows) for rows in ([part.mean("rows") for part in some] for some in (fast, slow))
    ]
    steps = ", ".join(f"{part.mean('iterations'):.1f} for {part.mean('log2_gap'):.1f}" for part in fast)
    seconds = "; ".join(
        f"{name} {', '.join(format(part.mean('seconds'), '.2g') for part in some)}"
        for name, some in (("SVMC", fast), ("SMC", slow))
    )
    return (
        away <= 2 and grown[0] < 1.1 and grown[1] > 2,
        f"iterations {steps}; rows grow by {grown[0]:.3f} with SVMC, by {grown[1]:.1f} with SMC; "
        f"seconds: {seconds}",
    )
