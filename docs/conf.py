"""How `make docs` builds these pages."""

project = "evref"
author = "The evref authors"
copyright = "2026, the evref authors; the catalogue is CC BY 4.0"  # noqa: A001 - Sphinx's name
extensions = ["myst_parser"]
source_suffix = {".md": "markdown"}
exclude_patterns = ["_build"]
html_theme = "furo"
html_title = "evref"
html_favicon = "../evref/adapters/inbound/web/static/icon.svg"
myst_enable_extensions = ["deflist", "attrs_inline"]
myst_heading_anchors = 3
