"""The search of the bundled catalogue."""

from functools import cache

from evref.adapters.outbound.files import read_lexicon
from evref.domain.catalogue.search.index import SearchIndex
from tests.pages.site import bundled


@cache
def search() -> SearchIndex:
    """The search of the bundled catalogue, as it is served."""
    return SearchIndex(bundled(), read_lexicon())
