"""The mapping of MeSH subtopics to modules, which the API reference shows with its reasons."""

from dataclasses import dataclass

from evref.domain.catalogue.diagnosis import Module
from evref.domain.catalogue.intervention import Intervention

MESH = "2.16.840.1.113883.6.177"


@dataclass(frozen=True, slots=True)
class SubTopic:
    """A MeSH qualifier (Q) or descriptor (D), and the modules that cover it, if any.

    `of_cautions` says that only interventions with cautions cover it.
    """

    code: str
    name: str
    modules: tuple[Module, ...]
    of_cautions: bool = False

    def covers(self, intervention: Intervention) -> bool:
        has_it = intervention.cautions is not None or not self.of_cautions
        return has_it and intervention.module in self.modules


SUB_TOPICS = (
    SubTopic("Q000175", "diagnosis", (Module.DIAGNOSTIC,)),
    SubTopic("Q000188", "drug therapy", (Module.PHARMACONEUTRAL,)),
    SubTopic("Q000517", "prevention & control", (Module.PREVENTION,)),
    SubTopic("Q000534", "rehabilitation", (Module.FITT_VIP, Module.HOME, Module.CONCEPT)),
    SubTopic(
        "Q000628", "therapy", (Module.FITT_VIP, Module.PHARMACONEUTRAL, Module.HOME, Module.CONCEPT)
    ),
    SubTopic("D012648", "self care", (Module.HOME,)),
    SubTopic("Q000009", "adverse effects", tuple(Module), of_cautions=True),
    SubTopic("Q000744", "contraindications", tuple(Module), of_cautions=True),
)

OTHER_CONTENT = {
    "2.16.840.1.113883.6.88": "a medicine (RxNorm)",
    "2.16.840.1.113883.6.69": "a medicine (NDC)",
    "2.16.840.1.113883.6.73": "a medicine (ATC)",
    "2.16.840.1.113883.6.1": "a test (LOINC)",
    "2.16.840.1.113883.6.12": "a procedure (CPT)",
}
"""What the codes of these code systems mean, by OID: never a diagnosis."""
