"""How `make docs` builds these pages."""

from collections import Counter

from evref.adapters.outbound.files import YamlCatalogueFiles
from evref.bootstrap.container import BUNDLED_CATALOGUE
from evref.domain.catalogue.evidence import Certainty, Direction, Recommendation

project = "evref"
author = "The evref authors"
copyright = "2026, the evref authors; the catalogue is CC BY 4.0"  # noqa: A001 - Sphinx's name
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
source_suffix = {".md": "markdown"}
exclude_patterns = ["_build", "decisions/README.md"]  # what that lists, index.md does here
html_theme = "furo"
html_title = "evref"
html_favicon = "../evref/adapters/inbound/web/static/icon.svg"
myst_enable_extensions = ["deflist", "attrs_inline", "substitution"]
myst_heading_anchors = 3
default_role = "literal"  # in docstrings, which use single backticks as Markdown does
autodoc_member_order = "bysource"
autodoc_class_signature = "separated"
# Types in signatures are no links: most are of the standard library, which is not at hand here.
nitpick_ignore_regex = [("py:.*", ".*")]

# Counted here, so that no page has to be changed with the catalogue.
_evidence = [
    intervention.evidence
    for entry in YamlCatalogueFiles().read([BUNDLED_CATALOGUE], lambda _done, _total: None).entries
    for intervention in entry.interventions
]
_graded = sum(each.certainty is not Certainty.NOT_GRADED for each in _evidence)
_recommended = sum(each.recommendation is not Recommendation.NOT_STATED for each in _evidence)
_directions = Counter(each.direction for each in _evidence)
myst_substitutions = {
    "graded": f"{_graded} of its {len(_evidence)} interventions have a GRADE certainty.",
    "recommended": f"In the bundled catalogue a recommendation is stated for {_recommended} of "
    f"{len(_evidence)} interventions.",
    "directions": f"In the bundled catalogue {_directions[Direction.FOR]} interventions are `for`, "
    f"{_directions[Direction.AGAINST]} `against` and {_directions[Direction.UNCLEAR]} `unclear`.",
}
