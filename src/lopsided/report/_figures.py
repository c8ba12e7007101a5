"""Figures as SVG for light pages and dark ones: the page gives ink and colours."""

import io
import math
import re
import textwrap
from collections.abc import Sequence
from typing import Any

from lopsided._lazy import is_installed
from lopsided.report._blocks import Bars, Block, Plot, Series

HOW_TO_DRAW = "Figures are drawn with matplotlib: pip install 'lopsided[plot]', then run it again."

# Okabe and Ito's colours, and for dark pages lighter ones; a marker says it a second time.
LIGHT = (
    *("#0072b2", "#d55e00", "#008f68", "#b8578f", "#b07a00", "#3a9bd1"),
    *("#6b6b6b", "#7a4fc4", "#8c3b2e", "#5f7a00", "#c2255c", "#0b7285"),
)
DARK = (
    *("#5ab4f0", "#ff9147", "#35c79a", "#e79bc6", "#f0b93a", "#9bd6ff"),
    *("#b5b5b5", "#b79cf5", "#d99184", "#b3cc4d", "#ff8fb1", "#66d9e8"),
)
_MARKERS = "os^DvPX*"
_INK, _FAINT = "#010203", "#040506"  # stand for the page's own, and for thin lines
_STAND_INS = tuple(f"#0a0b{k:02x}" for k in range(len(LIGHT)))
_MOST_MARKED = 16  # points of a line that are marked each
_MOST_POINTS = 600  # of a series: more are not seen, and make a page heavy
_WIDTH = 4.6  # inches
_TITLE, _BESIDE = 54, 34  # characters for which there is room above, and up the side


def can_draw() -> bool:
    """Return whether matplotlib is installed."""
    return is_installed("matplotlib")


def draw_all(blocks: Sequence[Block], name: str) -> dict[str, str]:
    """Return the SVG of each plot and bar chart, by name; a series has one colour in all of them.

    Without matplotlib each is the empty string.
    """
    panels = [block for block in blocks if isinstance(block, Plot | Bars)]
    colours: dict[str, int] = {}
    for panel in panels:
        for label in _labels(panel):
            colours.setdefault(label, len(colours))
    return {
        f"{name}-{k}": draw(panel, colours, f"{name}-{k}") if can_draw() else ""
        for k, panel in enumerate(panels, 1)
    }


def draw(panel: Plot | Bars, colours: dict[str, int], name: str) -> str:
    """Return one panel as SVG."""
    import matplotlib as mpl
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    settings: Any = {
        "svg.fonttype": "none",
        "svg.hashsalt": name,
        "font.size": 9,
        "text.parse_math": False,
        "text.color": _INK,
        "axes.edgecolor": _FAINT,
        "axes.formatter.limits": (-5, 9),  # 1000000, and not 1.0 beside 1e6 in a corner
        "axes.labelcolor": _INK,
        "xtick.color": _FAINT,
        "ytick.color": _FAINT,
        "xtick.labelcolor": _INK,
        "ytick.labelcolor": _INK,
    }
    labels = _labels(panel)
    n_columns = max(1, min(len(labels), int(52 / (7 + max(map(len, labels), default=0)))))
    n_rows = math.ceil(len(labels) / n_columns) if len(labels) > 1 else 0
    with mpl.rc_context(settings):
        title = textwrap.fill(panel.title, _TITLE)
        height = 2.9 + 0.18 * (n_rows + title.count("\n"))
        figure = Figure(figsize=(_WIDTH, height), layout="constrained")
        FigureCanvasSVG(figure)
        ax = figure.subplots()
        if isinstance(panel, Plot):
            _draw_plot(ax, panel, colours)
        else:
            _draw_bars(ax, panel, colours)
        ax.set_title(title, fontsize=9.5)
        ax.set_ylabel(textwrap.fill(panel.y, _BESIDE))
        ax.spines[["top", "right"]].set_visible(False)
        ax.grid(axis="y", color=_FAINT, alpha=0.18, linewidth=0.6)
        ax.set_axisbelow(True)
        if n_rows:
            figure.legend(
                *_unique(ax), loc="outside lower center", ncols=n_columns, frameon=False, fontsize=8.5
            )
        file = io.StringIO()
        figure.savefig(file, format="svg", transparent=True, metadata={"Date": None})
    return _for_any_page(file.getvalue(), panel)


def _labels(panel: Plot | Bars) -> list[str]:
    names = [s.name for s in panel.series] if isinstance(panel, Plot) else [name for name, _ in panel.bars]
    return list(dict.fromkeys(names))


def _unique(ax: Any) -> tuple[list[Any], list[str]]:
    handles, names = ax.get_legend_handles_labels()
    first = dict(zip(reversed(names), reversed(handles), strict=True))
    return [first[name] for name in dict.fromkeys(names)], list(dict.fromkeys(names))


def _draw_plot(ax: Any, plot: Plot, colours: dict[str, int]) -> None:
    for series in plot.series:
        k = colours[series.name]
        _draw_series(ax, series, _STAND_INS[k % len(_STAND_INS)], _MARKERS[k % len(_MARKERS)])
    if plot.log_x and any(x > 0 for series in plot.series for x in series.x):
        ax.set_xscale("log")
        low, high = ax.get_xlim()
        if high < 100 * low:  # powers of ten alone would be too few
            ax.xaxis.get_major_locator().set_params(subs=(1, 2, 5))
        ax.xaxis.set_major_formatter(lambda value, _: f"{value:,g}")
        ax.xaxis.set_minor_formatter(lambda value, _: "")
    for k, (x, text) in enumerate(plot.marks):
        ax.axvline(x, color=_FAINT, linewidth=0.9, linestyle=":")
        height = 1 - k / len(plot.marks)  # one below the other, as lines may be close together
        ax.annotate(
            text, (x, height), (3, -3), xycoords=("data", "axes fraction"), textcoords="offset points",
            rotation=90, va="top", ha="left", fontsize=7.5,
        )  # fmt: skip
    ax.set_xlabel(plot.x)


def _draw_series(ax: Any, series: Series, colour: str, marker: str) -> None:
    step = max(1, math.ceil(len(series.x) / _MOST_POINTS))
    chosen = sorted({*range(0, len(series.x), step), len(series.x) - 1} - {-1})
    x, y = [series.x[i] for i in chosen], [series.y[i] for i in chosen]
    if not series.joined:
        ax.plot(x, y, linestyle="", marker=marker, markersize=3.5, color=colour, label=series.name, alpha=0.8)
        return
    if len(series.spread):
        band = [series.spread[i] for i in chosen]
        low, high = ([a + sign * b for a, b in zip(y, band, strict=True)] for sign in (-1, 1))
        ax.fill_between(x, low, high, color=colour, alpha=0.15, linewidth=0)
    ax.plot(
        x, y, linewidth=1.4, color=colour, label=series.name,
        marker=marker if len(x) <= _MOST_MARKED else "", markersize=3.5,
    )  # fmt: skip


def _draw_bars(ax: Any, bars: Bars, colours: dict[str, int]) -> None:
    width = 0.8 / max(1, len(bars.bars))
    for i, (name, values) in enumerate(bars.bars):
        places = [g - 0.4 + width * (i + 0.5) for g in range(len(values))]
        k = colours[name]
        ax.bar(places, values, width * 0.94, color=_STAND_INS[k % len(_STAND_INS)], label=name)
    turned = sum(len(group) + 2 for group in bars.groups) > 56
    ax.set_xticks(range(len(bars.groups)), bars.groups, rotation=90 if turned else 0)


def _for_any_page(svg: str, panel: Plot | Bars) -> str:
    """Return SVG without a header, without ids that another picture may have, in the page's colours."""
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>\s*", "", svg, flags=re.DOTALL)
    used = set(re.findall(r'(?:url\(|href=")#([^")]+)', svg))
    svg = re.sub(r' id="([^"]+)"', lambda match: match[0] if match[1] in used else "", svg)
    svg = svg.replace(_INK, "currentColor").replace(_FAINT, "var(--faint, #8a93a0)")
    for k, stand_in in enumerate(_STAND_INS):
        svg = svg.replace(stand_in, f"var(--c{k}, {LIGHT[k]})")
    svg = re.sub(r"font: ([\d.]+px) [^;\"]+", r"font: \1 system-ui, sans-serif", svg)
    svg = re.sub(r"font-family: [^;\"]+", "font-family: system-ui, sans-serif", svg)
    # A tenth of a point is not seen; six digits, and a line for each, make a page three times as heavy.
    svg = re.sub(r"<[^>]+>", lambda tag: _LONG.sub(_round, tag[0]), svg)  # and not 0.001 where it is read
    svg = re.sub(r"\s*\n\s*", "\n", re.sub(r" \n(?=[LCQMz])", "", svg))
    svg = _SAME_MARKS.sub(lambda match: _say_once(match[0], match[1]), svg)
    svg = re.sub(r'(<svg[^>]*?) width="[^"]*pt"', r"\1", re.sub(r'(<svg[^>]*?) height="[^"]*pt"', r"\1", svg))
    label = f"{panel.title}: {panel.y}".removeprefix(": ").replace("&", "&amp;").replace("<", "&lt;")
    label = label.replace('"', "&quot;")
    return svg.replace("<svg ", f'<svg role="img" aria-label="{label}" ', 1).strip() + "\n"


_LONG = re.compile(r"-?\d+\.\d{3,}")
_SAME_MARKS = re.compile(r'(?:<use [^>]*?)( style="[^"]*")/>\n(?:<use [^>]*?\1/>\n)+')


def _round(number: re.Match[str]) -> str:
    return f"{float(number[0]):.1f}".removesuffix(".0")


def _say_once(marks: str, style: str) -> str:
    """Return the marks of a line, hundreds of them, in a group that has their style once."""
    return f"<g{style}>\n{marks.replace(style, '')}</g>\n"


def alone(svg: str) -> str:
    """Return a picture as a file of its own, which brings the colours that a page would give."""
    light = "".join(f"--c{k}:{colour};" for k, colour in enumerate(LIGHT))
    dark = "".join(f"--c{k}:{colour};" for k, colour in enumerate(DARK))
    style = (
        f"<style>svg{{color:#1d2430;background:#fff;--faint:#8a93a0;{light}}}"
        f"@media(prefers-color-scheme:dark){{svg{{color:#e4e7ec;background:#1c2027;{dark}}}}}</style>"
    )
    start = svg.index(">") + 1
    return f'<?xml version="1.0" encoding="utf-8"?>\n{svg[:start]}{style}{svg[start:]}'
