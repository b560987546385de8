"""The mapping of MeSH subtopics to modules, which the API reference shows."""

from dataclasses import dataclass

from evref.domain.catalogue.diagnosis import Module
from evref.domain.catalogue.intervention import Intervention

MESH = "2.16.840.1.113883.6.177"


@dataclass(frozen=True, slots=True)
class SubTopic:
    """A MeSH qualifier (Q) or descriptor (D), and the modules that cover it.

    `of_cautions` says that only interventions with cautions cover it.
    """

    code: str
    name: str
    modules: tuple[Module, ...]
    reason: str
    of_cautions: bool = False

    def covers(self, intervention: Intervention) -> bool:
        has_it = intervention.cautions is not None or not self.of_cautions
        return has_it and intervention.module in self.modules


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
        "a request for therapy means all of it; in MeSH too, drug therapy and "
        "rehabilitation are kinds of therapy. Prevention has a subtopic of its own",
    ),
    SubTopic(
        "D012648",
        "self care",
        (Module.HOME,),
        "a MeSH heading, because no qualifier has this meaning",
    ),
    SubTopic(
        "Q000009",
        "adverse effects",
        tuple(Module),
        "the interventions that have cautions",
        of_cautions=True,
    ),
    SubTopic(
        "Q000744",
        "contraindications",
        tuple(Module),
        "the interventions that have cautions",
        of_cautions=True,
    ),
)


OTHER_CONTENT = {
    "2.16.840.1.113883.6.88": "a medicine (RxNorm)",
    "2.16.840.1.113883.6.69": "a medicine (NDC)",
    "2.16.840.1.113883.6.73": "a medicine (ATC)",
    "2.16.840.1.113883.6.1": "a test (LOINC)",
    "2.16.840.1.113883.6.12": "a procedure (CPT)",
}
"""What the codes of these code systems mean, by OID: never a diagnosis."""


def sub_topic(code: str) -> SubTopic | None:
    """Return the subtopic with this MeSH code, in upper or lower case; None if there is none."""
    return next((topic for topic in SUB_TOPICS if topic.code == code.upper()), None)
