"""Configuration of Sphinx for the site, used by tools/site/build.py."""

from __future__ import annotations

import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from reference import format_examples, separate_lists, short_signature

from rr_gym.version import __version__

SOURCE = os.environ["RR_GYM_SITE"]
project = "rr_gym"
author = "the contributors to rr_gym"
copyright = author
version = release = __version__
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
include_patterns = [
    "index.md", "README.md", "CHANGELOG.md", "CONTRIBUTING.md", "docs/**.md", "examples/README.md", "site/**.md",
]  # fmt: skip
exclude_patterns = ["rr_gym", "tests", "tools", "agents", "configs"]
source_suffix = {".md": "markdown"}
myst_heading_anchors = 5  # as on GitHub
suppress_warnings = ["myst.header"]  # documents may skip a level of headings
myst_enable_extensions = ["colon_fence"]
default_role = "code"
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_class_signature = "mixed"
napoleon_google_docstring, napoleon_numpy_docstring = True, False
napoleon_use_ivar = True
napoleon_preprocess_types = False
python_use_unqualified_type_names = True
add_module_names = False
pygments_style, pygments_dark_style = "friendly", "monokai"
html_theme = "furo"
html_title = f"rr_gym {__version__}"
html_extra_path = [f"{SOURCE}/extra"]
html_static_path = [f"{SOURCE}/static"]
html_css_files = ["site.css"]
html_copy_source = html_show_sourcelink = False
html_theme_options = {"navigation_with_keys": True}


def setup(app: object) -> None:
    """Register the functions that prepare this project's docstrings and signatures for Sphinx."""
    app.connect("autodoc-process-docstring", format_examples, priority=1)  # type: ignore[attr-defined]
    app.connect("autodoc-process-docstring", separate_lists, priority=999)  # type: ignore[attr-defined]
    app.connect("autodoc-process-signature", short_signature)  # type: ignore[attr-defined]
