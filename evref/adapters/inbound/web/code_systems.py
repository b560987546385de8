"""The code systems that standards name by OID or URL, and how their codes are read."""

import re
from dataclasses import dataclass

from evref.domain.catalogue.record_code import Classification, Edition


@dataclass(frozen=True, slots=True)
class CodeSystem:
    """A classification or an edition of it.

    Its versions and translations have OIDs below `oid`. `urls` are those in FHIR, the present one
    first.
    """

    name: str
    oid: str
    urls: tuple[str, ...]
    classification: Classification
    edition: Edition | None = None


ICD_10 = CodeSystem(
    "ICD-10",
    "2.16.840.1.113883.6.3",
    ("http://hl7.org/fhir/sid/icd-10",),
    Classification.ICD_10,
    Edition.WHO,
)
_ICD_10_GM = CodeSystem(
    "ICD-10-GM",
    "1.2.276.0.76.5",
    ("http://fhir.de/CodeSystem/bfarm/icd-10-gm", "http://fhir.de/CodeSystem/dimdi/icd-10-gm"),
    Classification.ICD_10,
    Edition.GM,
)
ICD_11 = CodeSystem(
    "ICD-11",
    "2.16.840.1.113883.6.347",
    ("http://id.who.int/icd/release/11/mms",),
    Classification.ICD_11,
)

CODE_SYSTEMS = (
    ICD_10,
    CodeSystem(
        "ICD-10-CM",
        "2.16.840.1.113883.6.90",
        ("http://hl7.org/fhir/sid/icd-10-cm",),
        Classification.ICD_10,
        Edition.CM,
    ),
    _ICD_10_GM,
    ICD_11,
)

SNOMED_CT = CodeSystem(
    "SNOMED CT",
    "2.16.840.1.113883.6.96",
    ("http://snomed.info/sct",),
    Classification.SNOMED_CT,
)
"""Its codes are read only if the operator has loaded a map."""

URN = "urn:oid:"

# The OID of ICD-10-GM is the register of all German code systems, and each year has a number below
# it. These are the years 2004 to 2020, from the register of BfArM and medicats, which reads its
# files. The last number that they have for another code system is Alpha-ID of 2020.
_YEARS_OF_ICD_10_GM = frozenset(
    {"302", "304", "311", "318", "330", "356", "384", "388", "409", "413", "417", "424"}
    | {"430", "463", "471", "477", "486"}
)
_LAST_KNOWN_NUMBER = "488"

# Codes of Alpha-ID have no dot, and codes of OPS begin with a digit.
_DOTTED = re.compile(r"[A-Za-z][0-9]{2}\.")


def by_oid(oid: str, code: str) -> CodeSystem | None:
    """Return the code system with this OID or one above it; None if the service reads none.

    Below the OID of ICD-10-GM this is a listed year, or a later one if the code has a dot.
    """
    system = next(
        (known for known in (*CODE_SYSTEMS, SNOMED_CT) if f"{oid}.".startswith(f"{known.oid}.")),
        None,
    )
    if system is not _ICD_10_GM or oid == system.oid:
        return system
    number = oid.removeprefix(f"{system.oid}.")
    is_later = len(number) == len(_LAST_KNOWN_NUMBER) and number > _LAST_KNOWN_NUMBER
    is_read = number in _YEARS_OF_ICD_10_GM or (is_later and _DOTTED.match(code.strip()))
    return system if is_read else None


def by_url(url: str, code: str) -> CodeSystem | None:
    """Return the code system with this URL, or with this OID as `urn:oid:…`."""
    if url.startswith(URN):
        return by_oid(url.removeprefix(URN), code)
    return next((system for system in (*CODE_SYSTEMS, SNOMED_CT) if url in system.urls), None)
