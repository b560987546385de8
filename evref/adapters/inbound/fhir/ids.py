"""The ids of FHIR resources, which have at most 64 characters (R4, datatypes, id)."""

import hashlib

LONGEST = 64

_DIGEST_CHARACTERS = 32


def fhir_id(name: str) -> str:
    """Return the FHIR id for an id of the catalogue: the same if it is short enough.

    A longer id is shortened to its first 31 characters, followed by a dot and the first 32
    hexadecimal digits (128 bits) of its SHA-256. Ids of the catalogue have no dots, so a shortened
    id never equals the id of another record.

    >>> fhir_id("knee-osteoarthritis")
    'knee-osteoarthritis'
    >>> fhir_id("supervised-strengthening-exercise-for-knee-osteoarthritis-with-progression")
    'supervised-strengthening-exerci.995a49cc31b7793610f9a23e2c1303ab'
    """
    if len(name) <= LONGEST:
        return name
    digest = hashlib.sha256(name.encode()).hexdigest()[:_DIGEST_CHARACTERS]
    return f"{name[: LONGEST - _DIGEST_CHARACTERS - 1]}.{digest}"
