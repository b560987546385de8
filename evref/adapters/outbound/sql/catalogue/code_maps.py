"""A map of SNOMED CT as a compressed document."""

import json
import zlib
from array import array

from evref.domain.catalogue.record_code import Edition
from evref.domain.catalogue.snomed import SnomedMap


def write(snomed: SnomedMap) -> bytes:
    document = {
        "edition": snomed.edition,
        "groups": snomed.groups,
        "codes": snomed.codes.tolist(),
        "places": snomed.places.tolist(),
    }
    return zlib.compress(json.dumps(document, separators=(",", ":")).encode())


def read(stored: bytes) -> SnomedMap:
    """Return the map.

    Raises:
        ValueError: If the document is damaged.

    """
    try:
        document = json.loads(zlib.decompress(stored))
        edition = document["edition"]
        return SnomedMap(
            edition and Edition(edition),
            tuple(tuple(map(tuple, groups)) for groups in document["groups"]),
            array("Q", document["codes"]),
            array("L", document["places"]),
        )
    except (zlib.error, KeyError, TypeError, OverflowError) as error:
        raise ValueError(str(error)) from error
