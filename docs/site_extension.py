"""The parts of the site that Sphinx' extensions do not have: links, docstrings, equations, made-up data."""

import inspect
import os
import re
from pathlib import Path

from docutils import nodes
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx import addnodes

import lopsided
from lopsided.datasets import DataUnavailable

DOCS = Path(__file__).resolve().parent

# ---- Gallery: the build needs no data and no network. An example that finds no data says so.


def _unavailable(**_):
    raise DataUnavailable("This page was built without data sets; LOPSIDED_DATA names their folder.")


def without_data(_gallery_conf, _path):
    """Replace the functions that fetch data before an example runs, unless LOPSIDED_DATA is set."""
    if not os.environ.get("LOPSIDED_DATA"):
        for name in lopsided.__all__:
            if name.startswith("fetch_"):
                setattr(lopsided, name, _unavailable)


# ---- Links: pages also link to files outside the site, so that the links work on a code host as well.

EXAMPLE = re.compile(r"\]\((?:\.\./)+examples/(plot_\w+)\.py\)")
LINK = re.compile(r"\[([^\]]+)\]\(([^)#\s]+)\)")


def relink(_app, page, source):
    """Point links to gallery scripts to their pages, and remove links to folders and to pages elsewhere."""
    here = (DOCS / page).parent

    def within_site(link):
        target = (here / link[2]).resolve()
        is_outside = target.suffix == ".md" and not target.is_relative_to(DOCS)
        return link[1] if target.is_dir() or is_outside else link[0]

    source[0] = LINK.sub(within_site, EXAMPLE.sub(r"](/gallery/\1.rst)", source[0]))


# ---- Names of the API, wherever they are written as code: links to their pages

LINKS = (addnodes.pending_xref, nodes.reference, nodes.title)
PUBLIC = {name for name in lopsided.__all__ if "_" in name or name[0].isupper()}  # not "save", "text", ...


def link_names(app, doctree):
    """Link the public names that a page writes as code, such as ``LASVC`` or ``LASVC(C=1)``."""
    for block in doctree.findall(nodes.literal_block):  # examples that are run end with an empty line
        if block.rawsource == block.astext():
            block.rawsource = block.astext().rstrip("\n")
            block.children = [nodes.Text(block.rawsource)]
    if not app.env.current_document.docname.startswith("api/"):
        for literal in list(doctree.findall(nodes.literal)):
            name = literal.astext().partition("(")[0]
            if name in PUBLIC and not isinstance(literal.parent, LINKS):
                link = addnodes.pending_xref(
                    "", literal.deepcopy(), refdomain="py", reftype="obj", reftarget=f"lopsided.{name}"
                )
                literal.replace_self(link)


# ---- Docstrings


def skip_foreign_members(_app, what, _name, member, skip, _options):
    """Leave out methods inherited from other packages: their documentation is in those packages."""
    if what == "class" and not skip and inspect.isroutine(member):
        return not (getattr(member, "__module__", None) or "").startswith("lopsided")
    return None


def keep_plain_text(_app, _what, _name, _object, _options, lines):
    """Show indented formulas as they are written, and bars as bars."""
    in_summary, was_blank, is_formula, found = True, False, False, []
    for line in lines:
        in_summary = in_summary and not re.fullmatch(r"-{3,}", line.strip())
        is_indented = line.startswith("    ")
        if in_summary and is_indented and was_blank and not is_formula:
            found += [".. code-block:: none", ""]
            is_formula = True
        elif line.strip() and not is_indented:
            is_formula = False
        is_code = is_formula or line.lstrip().startswith((">>>", "...", "|"))
        found.append(line if is_code else re.sub(r"(?<!`)\|(?!`)", r"\\|", line))
        was_blank = not line.strip()
    lines[:] = found


# ---- Equations as MathML, which browsers draw without a script or a font from elsewhere


def visit_math(translator, node):
    """Write an equation within a line."""
    translator.body.append(tex2mathml(node.astext()))
    raise nodes.SkipNode


def visit_math_block(translator, node):
    """Write a displayed equation in a box that scrolls on a narrow screen."""
    translator.body.append(f'<div class="equation">{tex2mathml(node.astext(), as_block=True)}</div>')
    raise nodes.SkipNode


def setup(app):
    """Connect the functions above to Sphinx."""
    app.connect("source-read", relink)
    app.connect("doctree-read", link_names)
    app.connect("autodoc-skip-member", skip_foreign_members)
    app.connect("autodoc-process-docstring", keep_plain_text, priority=100)  # before numpydoc
    app.add_html_math_renderer("mathml", (visit_math, None), (visit_math_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
