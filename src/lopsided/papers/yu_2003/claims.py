"""The nine claims of the paper, and the rules that judge them."""

from lopsided.experiments import Claims, Measurements, Needs, listed, words
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


@_claim("Y1", _WHOLE_TABLE, each="row", form="{label} {told}{mark}", among="F1 in percent: {}")
def _check_order(row: Measurements) -> tuple[bool, str]:
    methods = (TSVM, "SVMC", "SMC", OSVM, SVM_NN)
    true, svmc, smc, one_class, noisy = f1 = [100 * row.mean("f1", method=method) for method in methods]
    holds = (
        true >= max(smc, svmc) and min(smc, svmc) >= one_class + words.FAR and one_class >= noisy + words.FAR
    )
    return holds, ", ".join(f"{value:.1f}" for value in f1)


@_claim("Y2", _WHOLE_TABLE, each="row", among="points of F1 by which SVMC, and SVMC(), are above SMC: {}")
def _check_same(row: Measurements) -> tuple[bool, str]:
    f1 = row.means("f1", "method")
    printed, ours = (100 * (f1[method] - f1["SMC"]) for method in ("SVMC", OURS))
    return abs(printed) <= _CLOSE, f"{printed:+.1f} ({ours:+.1f})"


@_claim("Y3", _WHOLE_TABLE, each="row", among="times faster, and those of SVMC(): {}")
def _check_speed(row: Measurements) -> tuple[bool, str]:
    seconds = row.means("seconds", "method")
    printed, ours = (seconds["SMC"] / seconds[method] for method in ("SVMC", OURS))
    return printed >= _FASTER, f"{printed:.1f} ({ours:.1f})"


@_claim("Y4", _WHOLE_TABLE)
def _check_one_class(table: Measurements) -> tuple[bool, str]:
    f1 = table.means("f1", "row", method=OSVM)
    holds = all(value < _POOR if name in PAGES else value >= _FAIR for name, value in f1.items())
    return holds, listed(f1, form=".3f", between="; ")


@_claim("Y5", Needs("figure1", index="data"), each="data", form="{label}: {told}")
def _check_overfit(data: Measurements) -> tuple[bool, str]:
    settings = data.split("setting").values()
    best = max(settings, key=lambda part: part.mean("f1"))
    most = max(settings, key=lambda part: part.mean("n_support"))
    f1, n_support = ([part.mean(what) for part in (best, most)] for what in ("f1", "n_support"))
    labeled, new = (100 * most.mean(what) for what in ("labeled_recall", "recall"))
    return (
        n_support[1] >= 2 * n_support[0]
        and 100 * (f1[0] - f1[1]) >= words.FAR
        and labeled - new >= words.FAR,
        f"F1 {f1[0]:.3f} with {n_support[0]:.0f} support vectors, {f1[1]:.3f} with {n_support[1]:.0f}, which "
        f"accept {labeled:.0f} % of the labeled and {new:.0f} % of the new positives",
    )


@_claim("Y6", Needs("figure5", index="data"))
def _check_convergence(figure_5: Measurements) -> tuple[bool, str]:
    islands = figure_5.only(data=ISLANDS)
    f1, precision, recall, area = (islands.means(m, "setting") for m in ("f1", "precision", "recall", "area"))
    holds = precision[MAPPED] < 0.5 and 100 * abs(f1[LAST] - f1[TSVM]) <= words.SIMILAR
    holds &= area[OSVM] < area[TSVM] / 2 and 100 * (recall[TSVM] - recall[OSVM]) >= words.FAR
    return holds, "; ".join(
        f"{m} F1 {f1[m]:.3f}, precision {precision[m]:.3f}, recall {recall[m]:.3f}, area {area[m]:.1f}"
        for m in (MAPPED, LAST, TSVM, OSVM)
    )


@_claim("Y7", Needs("mapping", index="data"))
def _check_mapping(mapping: Measurements) -> tuple[bool, str]:
    holds, shown, n_compared = True, [], 0
    for name, data in mapping.split("data").items():
        settings = data.split("setting")
        f1 = [100 * part.mean("f1") for part in settings.values() if _is_sound(part)]
        holds &= not f1 or max(f1) - min(f1) <= words.SIMILAR
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
    return bool(losses) and min(losses) > words.SIMILAR, f"F1 with {shares} of U: " + "; ".join(shown)


@_claim("Y9", Needs("gap", index="data", min_rows=2))
def _check_gap(gap: Measurements) -> tuple[bool, str]:
    def means(metric: str, method: str) -> list[float]:
        return list(gap.means(metric, "setting", data=f"line, {method}").values())

    iterations, log2_gap, rows, seconds = (
        {method: means(metric, method) for method in ("SVMC", "SMC")}
        for metric in ("iterations", "log2_gap", "rows", "seconds")
    )
    pairs = {m: list(zip(iterations[m], log2_gap[m], strict=True)) for m in iterations}
    away = max(abs(n - log2) for line in pairs.values() for n, log2 in line)
    fast, slow = (max(line) / min(line) for line in rows.values())
    steps = ", ".join(f"{n:.1f} for {log2:.1f}" for n, log2 in pairs["SVMC"])
    times = "; ".join(f"{m} {', '.join(f'{one:.2g}' for one in line)}" for m, line in seconds.items())
    return (
        away <= 2 and fast < 1.1 and slow > 2,
        f"iterations {steps}; rows grow by {fast:.3f} with SVMC, by {slow:.1f} with SMC; seconds: {times}",
    )
