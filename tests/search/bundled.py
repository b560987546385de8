"""The search of the bundled catalogue."""

from functools import cache

from evref.adapters.outbound.files import read_lexicon
from evref.domain.catalogue.search.index import SearchIndex
from tests.pages.site import bundled


@cache
def search() -> SearchIndex:
    """Return the search of the bundled catalogue."""
    return SearchIndex(bundled(), read_lexicon())
