"""The mapping tables: code systems to classifications, and MeSH subtopics to modules.

The API reference shows both tables.
"""

import re
from dataclasses import dataclass

from evref.domain.catalogue.diagnosis import Module
from evref.domain.catalogue.record_code import Classification, Edition


@dataclass(frozen=True, slots=True)
class CodeSystem:
    """A code system by its OID, which is also the prefix of its versions and translations."""

    oid: str
    name: str
    classification: Classification
    edition: Edition | None = None


CODE_SYSTEMS = (
    CodeSystem("2.16.840.1.113883.6.3", "ICD-10", Classification.ICD_10, Edition.WHO),
    CodeSystem("2.16.840.1.113883.6.90", "ICD-10-CM", Classification.ICD_10, Edition.CM),
    CodeSystem("1.2.276.0.76.5", "ICD-10-GM", Classification.ICD_10, Edition.GM),
    CodeSystem("2.16.840.1.113883.6.347", "ICD-11", Classification.ICD_11),
)

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


def code_system(oid: str, code: str) -> CodeSystem | None:
    """Return the code system with this OID or one above it; None if the service reads none.

    Below the OID of ICD-10-GM this is a listed year, or a later one if the code has a dot.
    """
    found = next((each for each in CODE_SYSTEMS if f"{oid}.".startswith(f"{each.oid}.")), None)
    if found is None or found.name != "ICD-10-GM" or oid == found.oid:
        return found
    number = oid.removeprefix(f"{found.oid}.")
    is_later = len(number) == len(_LAST_KNOWN_NUMBER) and number > _LAST_KNOWN_NUMBER
    is_read = number in _YEARS_OF_ICD_10_GM or (is_later and _DOTTED.match(code.strip()))
    return found if is_read else None


MESH = "2.16.840.1.113883.6.177"


@dataclass(frozen=True, slots=True)
class SubTopic:
    """A MeSH qualifier (Q) or descriptor (D), and the modules that hold what it asks for."""

    code: str
    name: str
    modules: tuple[Module, ...]
    reason: str


SUB_TOPICS = (
    SubTopic(
        "Q000175",
        "diagnosis",
        (Module.DIAGNOSTIC,),
        "MeSH: examination, differential diagnosis and prognosis",
    ),
    SubTopic(
        "Q000188",
        "drug therapy",
        (Module.PHARMACONEUTRAL,),
        "MeSH: treatment by the administration of drugs",
    ),
    SubTopic(
        "Q000517",
        "prevention & control",
        (Module.PREVENTION,),
        "MeSH: preventive measures, in individual cases too",
    ),
    SubTopic(
        "Q000534",
        "rehabilitation",
        (Module.FITT_VIP, Module.HOME, Module.CONCEPT),
        "MeSH: restoration of function, which these three modules serve",
    ),
    SubTopic(
        "Q000628",
        "therapy",
        (Module.FITT_VIP, Module.PHARMACONEUTRAL, Module.HOME, Module.CONCEPT),
        "whoever asks for the treatment wants all of it; in MeSH too, drug therapy and "
        "rehabilitation are kinds of therapy. Prevention has a subtopic of its own",
    ),
    SubTopic(
        "D012648",
        "self care",
        (Module.HOME,),
        "a MeSH heading, because no qualifier has this meaning",
    ),
)


def sub_topic(code: str) -> SubTopic | None:
    """Return the subtopic with this MeSH code, in upper or lower case; None if there is none."""
    return next((each for each in SUB_TOPICS if each.code == code.upper()), None)
