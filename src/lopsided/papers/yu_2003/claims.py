"""The nine claims of the paper, and the rules that judge them."""

from lopsided.experiments import (
    Answer,
    Claims,
    Measurements,
    Needs,
    estimate,
    estimates,
    every,
    listed,
    more_than,
    words,
)
from lopsided.papers.yu_2003.data import CANCER, ISLANDS, LETTERS, PAGES
from lopsided.papers.yu_2003.methods import COMPARED, OSVM, OURS, SVM_NN, TSVM
from lopsided.papers.yu_2003.units import LAST, MAPPED, SHARES

_CLOSE = 3.0  # points: SMC and SVMC are within this of each other
_FASTER = 3.0  # times
_ROUGH = 0.5  # precision, less than: a rough mapping
_LOST = 2.0  # percent of the hidden positives, at most: recall is near 100 % in the paper
_AWAY = 2.0  # iterations from those that the theorem says

CLAIMS = Claims.read(__package__, CLOSE=_CLOSE, ROUGH=_ROUGH, LOST=_LOST, AWAY=_AWAY)
_claim = CLAIMS.enter
_WHOLE_TABLE = Needs("table1", every={"method": COMPARED})
_TABLES = (*LETTERS, CANCER)
_BOTH = ("SVMC", "SMC")
_THINNED = Needs("thinning", index="data", only={"data": (*_TABLES, *PAGES)})


@_claim("Y1", _WHOLE_TABLE, each="row", form="{label} {told}{mark}", among="F1 in percent: {}")
def _check_order(row: Measurements) -> tuple[Answer, str]:
    def f1(row: Measurements) -> list[float]:
        return [100 * row.mean("f1", method=method) for method in (TSVM, "SVMC", "SMC", OSVM, SVM_NN)]

    def gaps(row: Measurements) -> dict[str, float]:
        true, svmc, smc, one_class, noisy = f1(row)
        found = {"true": true - max(smc, svmc), "found": min(smc, svmc) - one_class}
        return found | {"one class": one_class - noisy}

    gap = estimates(gaps, row)
    holds = gap["true"].at_least(0) & gap["found"].at_least(words.FAR) & gap["one class"].at_least(words.FAR)
    return holds, ", ".join(f"{value:.1f}" for value in f1(row))


@_claim("Y2", _WHOLE_TABLE, each="row", among="points of F1 by which SVMC, and SVMC(), are above SMC: {}")
def _check_same(row: Measurements) -> tuple[Answer, str]:
    def gains(row: Measurements) -> dict[str, float]:
        f1 = row.means("f1", "method")
        return {method: 100 * (f1[method] - f1["SMC"]) for method in ("SVMC", OURS)}

    gain = estimates(gains, row)
    return gain["SVMC"].within(_CLOSE), f"{gain['SVMC'].value:+.1f} ({gain[OURS].value:+.1f})"


@_claim("Y3", _WHOLE_TABLE)
def _check_speed(table: Measurements) -> tuple[Answer, str]:
    def speeds(row: Measurements) -> dict[str, float]:
        seconds = row.means("seconds", "method")
        return {method: seconds["SMC"] / seconds[method] for method in ("SVMC", OURS)}

    rows = {name: estimates(speeds, row) for name, row in table.split("row").items()}
    shown = "; ".join(f"{name} {s['SVMC'].value:.1f} ({s[OURS].value:.1f})" for name, s in rows.items())
    holds = more_than(words.MAJORITY, (speed["SVMC"].at_least(_FASTER) for speed in rows.values()))
    return holds, f"times faster, and those of SVMC(): {shown}"


@_claim("Y4", *(Needs("table1", only={"row": rows}, every={"method": COMPARED}) for rows in (_TABLES, PAGES)))
def _check_one_class(tables: Measurements, pages: Measurements) -> tuple[Answer, str]:
    def f1(t: Measurements) -> dict[str, float]:
        return t.means("f1", "row", method=OSVM)

    gap = estimate(lambda t, p: min(f1(t).values()) - max(f1(p).values()), tables, pages)
    return gap.above(0), listed(f1(tables) | f1(pages), form=".3f", between="; ")


@_claim("Y5", Needs("figure1", index="data"), each="data", form="{label}: {told}")
def _check_overfit(data: Measurements) -> tuple[Answer, str]:
    settings = data.split("setting")
    best = max(settings, key=lambda name: settings[name].mean("f1"))
    most = max(settings, key=lambda name: settings[name].mean("n_support"))

    def measure(data: Measurements) -> dict[str, float]:
        part = data.only(setting=most)
        return {
            "times": part.mean("n_support") / data.mean("n_support", setting=best),
            "f1": 100 * (data.mean("f1", setting=best) - part.mean("f1")),
            "recall": 100 * (part.mean("labeled_recall") - part.mean("recall")),
        }

    found = estimates(measure, data)
    f1, n_support = ([settings[name].mean(what) for name in (best, most)] for what in ("f1", "n_support"))
    labeled, new = (100 * settings[most].mean(what) for what in ("labeled_recall", "recall"))
    holds = found["times"].at_least(2) & found["f1"].at_least(words.FAR)
    return holds & found["recall"].at_least(words.FAR), (
        f"F1 {f1[0]:.3f} with {n_support[0]:.0f} support vectors, {f1[1]:.3f} with {n_support[1]:.0f}, which "
        f"accept {labeled:.0f} % of the labeled and {new:.0f} % of the new positives"
    )


@_claim("Y6", Needs("figure5", index="data", only={"data": (ISLANDS,)}))
def _check_convergence(islands: Measurements) -> tuple[Answer, str]:
    def measure(t: Measurements) -> dict[str, float]:
        f1, precision, recall, area = (t.means(m, "setting") for m in ("f1", "precision", "recall", "area"))
        return {
            "rough": precision[MAPPED],
            "near": 100 * (f1[LAST] - f1[TSVM]),
            "tight": area[OSVM] / area[TSVM],
            "lost": 100 * (recall[TSVM] - recall[OSVM]),
        }

    found = estimates(measure, islands)
    holds = found["rough"].below(_ROUGH) & found["near"].within(words.SIMILAR)
    holds &= found["tight"].below(0.5) & found["lost"].at_least(words.FAR)
    f1, precision, recall, area = (islands.means(m, "setting") for m in ("f1", "precision", "recall", "area"))
    return holds, "; ".join(
        f"{m} F1 {f1[m]:.3f}, precision {precision[m]:.3f}, recall {recall[m]:.3f}, area {area[m]:.1f}"
        for m in (MAPPED, LAST, TSVM, OSVM)
    )


@_claim("Y7", Needs("mapping", index="data"))
def _check_mapping(mapping: Measurements) -> tuple[Answer, str]:
    holds, shown, n_compared = Answer.of(True), [], 0
    for name, data in mapping.split("data").items():
        settings = data.split("setting")
        sound = [setting for setting, part in settings.items() if _is_sound(part)]
        if len(sound) > 1:
            n_compared += 1
            holds &= estimate(_range, data.only(setting=sound)).at_most(words.SIMILAR)
        shown.append(f"{name}: " + ", ".join(_mapped(setting, part) for setting, part in settings.items()))
    return holds & (n_compared > 0), "F1 after a mapping of such a precision: " + "; ".join(shown)


def _range(t: Measurements) -> float:
    f1 = t.means("f1", "setting").values()
    return 100 * (max(f1) - min(f1))


def _is_sound(mapping: Measurements) -> bool:
    return mapping.mean("mapping_recall") >= 1 - _LOST / 100


def _mapped(name: str, mapping: Measurements) -> str:
    text = f"{name} {mapping.mean('f1'):.3f} ({mapping.mean('mapping_precision'):.2f})"
    return text if _is_sound(mapping) else f"[{text}, recall only {mapping.mean('mapping_recall'):.3f}]"


@_claim("Y8", _THINNED, Needs("thinning", index="data", only={"data": (ISLANDS,)}, judged=False))
def _check_thinning(real: Measurements, islands: Measurements | None) -> tuple[Answer, str]:
    def loss(t: Measurements) -> float:
        f1 = list(t.means("f1", "setting").values())
        return 100 * (f1[0] - f1[-1])

    parts = (islands.split("data") if islands else {}) | real.split("data")
    holds = every(estimate(loss, part).above(words.SIMILAR) for part in real.split("data").values())
    told = (
        f"{name} {', '.join(f'{f1:.3f}' for f1 in t.means('f1', 'setting').values())}"
        for name, t in parts.items()
    )
    return holds, f"F1 with {', '.join(f'{share:g}' for share in SHARES)} of U: " + "; ".join(told)


@_claim("Y9", Needs("gap", index="data", min_rows=2))
def _check_gap(gap: Measurements) -> tuple[Answer, str]:
    def means(metric: str, method: str, t: Measurements = gap) -> list[float]:
        return list(t.means(metric, "setting", data=f"line, {method}").values())

    def measure(t: Measurements) -> dict[str, float]:
        steps = zip(*(means(m, k, t) for m in ("iterations", "log2_gap") for k in _BOTH), strict=True)
        away = max(max(abs(a - c), abs(b - d)) for a, b, c, d in steps)
        growth = {k: max(means("rows", k, t)) / min(means("rows", k, t)) for k in _BOTH}
        return {"away": away, **growth}

    found = estimates(measure, gap)
    pairs = zip(means("iterations", "SVMC"), means("log2_gap", "SVMC"), strict=True)
    steps = ", ".join(f"{n:.1f} for {log2:.1f}" for n, log2 in pairs)
    times = "; ".join(f"{k} {', '.join(f'{one:.2g}' for one in means('seconds', k))}" for k in _BOTH)
    return found["away"].at_most(_AWAY) & found["SVMC"].below(1.1) & found["SMC"].above(2), (
        f"iterations {steps}; rows grow by {found['SVMC'].value:.3f} with SVMC, by {found['SMC'].value:.1f} "
        f"with SMC; seconds: {times}"
    )
