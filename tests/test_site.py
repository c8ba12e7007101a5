"""The documentation site: pages can be reached, public names are in the API, nothing comes from outside.

The full build, with warnings as errors, is ``make docs``.
"""

import importlib
import inspect
import re
import tomllib
from pathlib import Path

import pytest

import lopsided
from lopsided.utils import all_estimators

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
GENERATED = ("api/generated", "gallery", "panel", "results/tables", "results/units")  # not written by hand
PAGES = {
    path.relative_to(DOCS).with_suffix("").as_posix(): path.read_text(encoding="utf-8")
    for path in [*DOCS.rglob("*.md"), *DOCS.rglob("*.rst")]
    if not path.relative_to(DOCS)
    .as_posix()
    .startswith(tuple(f"{name}/" for name in (*GENERATED, "_templates")))
}
# Folders whose names are not all importable from lopsided itself
FOLDERS = (
    *("boosting", "datasets", "feedback", "metrics", "online", "plot", "pu", "screening", "store", "svm"),
    *("text", "unexpected"),
)


def entries(page):
    """Yield the pages that a page names in its toctrees."""
    for block in re.findall(r"```\{toctree\}\n(.*?)```", PAGES[page], flags=re.DOTALL):
        for line in block.splitlines():
            if line.strip() and not line.startswith(":"):
                name = re.fullmatch(r"(?:.*<)?([^<>]+?)>?", line.strip())[1]
                yield (DOCS / page).parent.joinpath(name).relative_to(DOCS).as_posix()


def reachable(page="index"):
    return {page}.union(*(reachable(entry) for entry in entries(page) if entry in PAGES))


def test_every_page_can_be_reached_from_the_first():
    assert set(PAGES) - reachable() == set()


def test_every_entry_of_a_toctree_is_a_page():
    missing = {(page, entry) for page in PAGES for entry in entries(page) if entry not in PAGES}
    assert missing == {("index", "gallery/index")}  # sphinx-gallery writes it


def listed():
    """Return the names in the API pages, each with the module that its page gives."""
    found = set()
    for name, text in PAGES.items():
        if name.startswith("api/"):
            for part in text.split(".. currentmodule:: ")[1:]:
                module = part.split()[0]
                found |= {f"{module}.{entry}" for entry in re.findall(r"(?m)^   ([A-Za-z]\w*)$", part)}
    return found


def test_every_public_estimator_is_in_the_api():
    names = {f"lopsided.{name}" for name, _ in all_estimators()}
    assert len(names) > 20
    assert names - listed() == set()


def test_every_public_name_is_in_the_api():
    public = {
        f"lopsided.{name}" for name in lopsided.__all__ if not inspect.ismodule(getattr(lopsided, name))
    }
    assert public - listed() == set()


@pytest.mark.parametrize("folder", FOLDERS)
def test_every_name_of_a_folder_is_in_the_api(folder):
    if folder == "store":
        pytest.importorskip("sqlalchemy")
    names = set(importlib.import_module(f"lopsided.{folder}").__all__)
    assert names - {name.rpartition(".")[2] for name in listed()} == set()


def test_the_api_lists_only_what_there_is():
    for name in listed() - {name for name in listed() if name.startswith("lopsided.store.")}:
        module, _, attribute = name.rpartition(".")
        assert hasattr(importlib.import_module(module), attribute), name


def test_the_six_problems_stand_on_the_first_page():
    links = re.findall(r":link: (tutorials/\w+)", PAGES["index"])
    assert sorted(links) == sorted(name for name in PAGES if re.fullmatch(r"tutorials/(?!index)\w+", name))
    assert len(links) == 6


def test_every_tutorial_has_a_figure_and_leads_on():
    for name, text in PAGES.items():
        if re.fullmatch(r"tutorials/(?!index)\w+", name):
            assert re.search(r"!\[[^]]{40,}\]\(\.\./images/tutorials/\w+\.svg\)", text), (
                f"{name} has no figure"
            )
            for folder in ("theory/", "api/", "panel.md" if name != "tutorials/mail" else "results/"):
                assert f"(../{folder}" in text, f"{name} does not lead to {folder}"


def test_every_figure_of_a_tutorial_is_used_and_can_be_drawn_again():
    script = (ROOT / "research" / "tutorial_figures.py").read_text(encoding="utf-8")
    figures = {path.stem for path in (DOCS / "images" / "tutorials").glob("*.svg")}
    assert figures == set(re.findall(r"(?m)^def (\w+)\(\) -> Figure:", script))
    used = {name for text in PAGES.values() for name in re.findall(r"images/tutorials/(\w+)\.svg", text)}
    assert figures == used


FOREIGN = re.compile(r"""(?:src|href|url|@import)\s*[=(:]?\s*["']?\s*(?:https?:)?//""")


def test_the_site_asks_no_other_machine():
    """Our own pieces of HTML and CSS; what the theme brings is looked at in a browser."""
    for path in [*DOCS.glob("*.html"), *DOCS.glob("_static/*"), DOCS / "conf.py"]:
        assert not FOREIGN.search(path.read_text(encoding="utf-8")), path.name
    assert "mathjax" not in (DOCS / "conf.py").read_text(encoding="utf-8")


def test_what_asks_another_machine_is_found():
    for line in ('<script src="https://x.y/z.js">', "@import url(//x.y/z.css);", "url('http://x.y')"):
        assert FOREIGN.search(line)


def test_the_links_of_the_diagram_lead_to_pages():
    links = re.findall(r'href="([^"#]+)\.html', (DOCS / "decision.html").read_text(encoding="utf-8"))
    assert len(links) == 12
    assert set(links) <= set(PAGES)


def anchors(page):
    """Return the anchors of the headings of a page, as MyST and code hosts make them."""
    text = re.sub(r"(?ms)^(`{3,}).*?^\1$", "", PAGES[page])
    heads = re.findall(r"(?m)^#+ (.+)$", text)
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}


def test_links_to_headings_lead_to_headings():
    broken = set()
    for page, text in PAGES.items():
        for target, anchor in re.findall(r"\]\(([\w/.-]*?)(?:\.md)?#([\w-]+)\)", text):
            other = (DOCS / page).parent.joinpath(target).resolve().relative_to(DOCS).as_posix()
            if anchor not in anchors(other if target else page):
                broken.add(f"{page}: {target}#{anchor}")
    assert broken == set()


def test_anchors_of_headings():
    assert "comparison-with-bogofilter" in anchors("mail")
    assert "5-one-sided-feedback-13--wanted" in anchors("panel")


def test_the_extra_brings_every_extension():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = {re.match(r"[\w-]+", one)[0] for one in project["optional-dependencies"]["docs"]}
    conf = (DOCS / "conf.py").read_text(encoding="utf-8")
    extensions = re.search(r"extensions = \[(.*?)\]", conf, flags=re.DOTALL)[1]
    packages = {name.split(".")[0] for name in re.findall(r'"([\w.]+)"', extensions)} - {"site_extension"}
    names = {
        "myst_parser": "myst-parser",
        "sphinx_design": "sphinx-design",
        "sphinx_gallery": "sphinx-gallery",
    }
    assert {names.get(package, package) for package in packages} <= wanted


@pytest.fixture
def site(monkeypatch):
    pytest.importorskip("sphinx")
    monkeypatch.syspath_prepend(DOCS)
    return importlib.import_module("site_extension")


def test_links_to_scripts_lead_to_the_gallery_and_folders_lose_theirs(site):
    source = ["[a](../examples/plot_x.py) [b](results/tables) [c](panel.md#d) [e](results/report.md)"]
    site.relink(None, "reproduce", source)
    assert source == ["[a](/gallery/plot_x.rst) b [c](panel.md#d) [e](results/report.md)"]


def test_links_to_pages_outside_the_site_are_removed(site):
    source = ["[a](../SECURITY.md) [b](https://example.org/b.md) [c](security.md)"]
    site.relink(None, "security", source)
    assert source == ["a [b](https://example.org/b.md) [c](security.md)"]


def test_formulas_and_bars_of_docstrings_are_kept(site):
    lines = [
        "Sum.",
        "",
        "    min |w|",
        "",
        "Of |f|, see ``|f|``.",
        "",
        "Examples",
        "--------",
        "",
        "    deep",
    ]
    site.keep_plain_text(None, "class", "X", None, None, lines)
    assert lines == [
        *("Sum.", "", ".. code-block:: none", "", "    min |w|", "", r"Of \|f\|, see ``|f|``.", ""),
        *("Examples", "--------", "", "    deep"),
    ]


def test_equations_are_mathml(site):
    found = site.tex2mathml(r"\frac{1}{2}", as_block=True)
    assert "<mfrac>" in found
    assert 'display="block"' in found
