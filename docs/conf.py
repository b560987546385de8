"""How `make docs` builds these pages."""

project = "evref"
author = "The evref authors"
copyright = "2026, the evref authors; the catalogue is CC BY 4.0"  # noqa: A001 - Sphinx's name
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
source_suffix = {".md": "markdown"}
exclude_patterns = ["_build", "decisions/README.md"]  # what that lists, index.md does here
html_theme = "furo"
html_title = "evref"
html_favicon = "../evref/adapters/inbound/web/static/icon.svg"
myst_enable_extensions = ["deflist", "attrs_inline"]
myst_heading_anchors = 3
default_role = "literal"  # in docstrings, which use single backticks as Markdown does
autodoc_member_order = "bysource"
autodoc_class_signature = "separated"
# Types in signatures are no links: most are of the standard library, which is not at hand here.
nitpick_ignore_regex = [("py:.*", ".*")]
