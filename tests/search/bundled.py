"""The search of the bundled catalogue."""

from functools import cache

from evref.adapters.outbound.files import read_word_lists
from evref.domain.catalogue.search.search import Search
from tests.pages.site import bundled


@cache
def search() -> Search:
    """Return the search of the bundled catalogue."""
    return Search(bundled(), read_word_lists())
