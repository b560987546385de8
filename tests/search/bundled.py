"""The bundled catalogue with its index."""

from functools import cache

from evref.adapters.outbound.files import read_lexicon
from evref.domain.catalogue.catalogue import Catalogue
from tests.pages.site import bundled


@cache
def searchable() -> Catalogue:
    """The bundled catalogue, as it is served."""
    catalogue = Catalogue(bundled().entries)
    catalogue.make_searchable(read_lexicon())
    return catalogue
