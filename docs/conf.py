"""Sphinx configuration of the documentation site. `make docs` builds it into build/docs."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))  # site_extension, also in the processes of a parallel build

import lopsided

project = "lopsided"
author = copyright = "the lopsided developers"
version = release = lopsided.__version__

extensions = [
    "myst_parser",
    "numpydoc",
    "site_extension",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
]
source_suffix = {".rst": "restructuredtext", ".md": "markdown"}
exclude_patterns = ["_templates", "panel", "results/tables", "results/units"]
templates_path = ["_templates"]
default_role = "py:obj"

# The pages were there before the site, are read on code hosts too, and have examples that are run: so MyST.
myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 4

autodoc_typehints = "none"  # the docstrings say the types in words
autosummary_generate = True
toc_object_entries_show_parents = "hide"
numpydoc_show_class_members = False  # the template lists the members that are ours

sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "backreferences_dir": "gallery/backreferences",
    "doc_module": ("lopsided",),
    "reset_modules": ("matplotlib", "site_extension.without_data"),
    "abort_on_example_error": True,
    "download_all_examples": False,
    "show_memory": False,
    "show_signature": False,
    "write_computation_times": False,
}

html_theme = "pydata_sphinx_theme"
html_title = f"lopsided {release}"
html_favicon = "_static/favicon.svg"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sourcelink = False
html_math_renderer = "mathml"
html_context = {"default_mode": "auto"}  # light or dark, as the reader's system has it
html_theme_options = {
    "announcement": "Not on a package index yet: <i>Getting started</i> says how to install lopsided.",
    "header_links_before_dropdown": 8,
    "navbar_end": ["theme-switcher"],
    "navbar_persistent": ["search-button"],
    "secondary_sidebar_items": ["page-toc"],
    "show_toc_level": 2,
    "back_to_top_button": True,
    "footer_start": ["copyright"],
    "footer_end": [],
}
