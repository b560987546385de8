"""A knowledge response: an Atom feed as in the service-oriented implementation guide.

A diagnosis is a document, and each of its modules a section of it. HL7's guidance on documents
with sections makes each an entry of its own, and a section names its document as its source.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from urllib.parse import urlencode

from flask import render_template

from evref.adapters.inbound.infobutton.knowledge_request import (
    HTML,
    JSON,
    LONGEST_TEXT,
    RESPONSE_TYPE,
    KnowledgeRequest,
)
from evref.adapters.inbound.infobutton.mappings import CODE_SYSTEMS, MESH, SUB_TOPICS
from evref.adapters.inbound.web.atom import Element, content, text
from evref.domain.catalogue.card import in_card_order
from evref.domain.catalogue.catalogue import Catalogue, Entry
from evref.domain.catalogue.diagnosis import Diagnosis, Module
from evref.domain.catalogue.evidence import Direction
from evref.domain.catalogue.matching import Relation, best_relations
from evref.domain.catalogue.remarks import remarks
from evref.domain.catalogue.vocabulary import DISCLAIMER, MEANINGS, NAMES
from evref.domain.redaction import without_keys

_TITLE = "Evidence Reference Service"

MOST_DIAGNOSES = 20
"""A feed with the interventions of all diagnoses whose names have an “a” would serve nobody."""

# The date of a feed of an empty catalogue; Atom requires one.
_NO_DATE = date(1970, 1, 1)


@dataclass(frozen=True, slots=True)
class KnowledgeResponse:
    """The response to a request, from this catalogue.

    Entries link to the pages of the catalogue, or to the API if the operator has disabled them.
    """

    request: KnowledgeRequest
    catalogue: Catalogue
    base_url: str
    has_pages: bool

    def page(self) -> str:
        """Return the address of the page for a person: of the only diagnosis, or of a search."""
        found = self.request.found_in(self.catalogue)
        modules = tuple(Module) if len(found) != 1 else found[0].diagnosis.enabled_modules
        asked = [module for module in modules if self.request.asks_for(module)]
        module = asked[0] if len(asked) == 1 else None
        is_by_name = any(each.is_replaced for each in self.request.criteria)
        # The page of a search says how well a code fits, and what a name matched.
        if len(found) == 1 and not is_by_name and not self._approximate():
            return self._page(found[0].diagnosis, module)
        return f"{self.base_url}/catalogue{_query({'q': without_keys(self._search())}, module)}"

    def _approximate(self) -> set[str]:
        """Return the ids of the diagnoses that codes fit only approximately."""
        relations = best_relations(self.request.matches(self.catalogue))
        return {name for name, each in relations.items() if each is Relation.APPROXIMATE}

    def _search(self) -> str:
        """Return a search that finds what the criteria find, or nothing if they find nothing.

        The page searches for any of several codes, or for all of several words. So criteria with
        words cannot be combined, and the first that finds a diagnosis stands for all.
        """
        criteria = self.request.criteria
        useful = [each for each in criteria if any(each.found_in(self.catalogue))] or criteria
        if not useful[0].codes:
            return (useful[0].words or useful[0].label)[:LONGEST_TEXT]
        codes = ", ".join(dict.fromkeys(code.spelled for each in useful for code in each.codes))
        return codes if len(codes) <= LONGEST_TEXT else codes[: LONGEST_TEXT + 1].rpartition(",")[0]

    def feed(self) -> Element:
        """Return the feed: for each diagnosis its entry, then those of its sections."""
        found = self.request.found_in(self.catalogue)
        shown = found[:MOST_DIAGNOSES]
        approximate = self._approximate()
        dated = shown or self.catalogue.entries
        address = f"{self.base_url}/infobutton?{urlencode(self.request.context)}"
        return {
            "xsi": "http://www.w3.org/2001/XMLSchema-instance",
            "base": f"{self.base_url}/",
            "lang": "en",
            "title": text(_TITLE),
            "subtitle": text(self._subtitle(found)),
            "author": {"name": content(_TITLE), "uri": content(self.base_url)},
            "updated": _instant(max((e.diagnosis.checked_on for e in dated), default=_NO_DATE)),
            "category": [
                {"scheme": name.rstrip("0123456789"), "term": value}
                for name, value in self.request.context
            ],
            "id": content(address),
            "link": [
                _link(
                    "self",
                    f"{address}&{urlencode({RESPONSE_TYPE: self.request.response_type})}",
                    self.request.response_type,
                    _TITLE,
                )
            ],
            "rights": text(DISCLAIMER),
            "entry": [
                part
                for entry in shown
                for part in self._entries(entry, entry.diagnosis.id in approximate)
            ],
        }

    def _subtitle(self, found: tuple[Entry, ...]) -> str:
        request = self.request
        said = f"Results for {', '.join(each.label for each in request.criteria)}"
        if request.sub_topics:
            said += f"; subtopic {', '.join(each.label for each in request.sub_topics)}"
        sentences = [said]
        if not found:
            sentences.append("The catalogue has no such diagnosis")
        if len(found) > MOST_DIAGNOSES:
            sentences.append(f"The first {MOST_DIAGNOSES} of {len(found)} diagnoses")
        sentences += remarks(request.matches(self.catalogue), self.catalogue)
        if any(each.is_replaced for each in request.criteria):
            sentences.append(
                "Searched by name, because the service does not read the code's system"
            )
        if not all(each.codes or each.words for each in request.criteria):
            names = ", ".join(system.name for system in CODE_SYSTEMS)
            sentences.append(f"The service reads codes of {names} only")
        if not all(each.known for each in request.sub_topics):
            names = ", ".join(each.name for each in SUB_TOPICS)
            sentences.append(f"The service has these subtopics only: {names}")
        return ". ".join(sentences) + "."

    def _entries(self, entry: Entry, is_approximate: bool) -> Iterator[Element]:
        diagnosis = entry.diagnosis
        sections = [
            module
            for module in diagnosis.enabled_modules
            if self.request.asks_for(module) and entry.visible_interventions(module)
        ]
        counts = Counter(each.evidence.direction for each in entry.visible_interventions())
        summary = render_template(
            "infobutton/document.html",
            diagnosis=diagnosis,
            relation=MEANINGS[Relation.APPROXIMATE] if is_approximate else None,
            counts={direction.value: counts[direction] for direction in Direction},
            missing=() if sections else [each.label for each in self.request.sub_topics],
            disclaimer=DISCLAIMER,
        )
        yield self._entry(diagnosis, None, summary)
        for module in sections:
            summary = render_template(
                "infobutton/section.html",
                interventions=in_card_order(entry.visible_interventions(module)),
                address=self._page(diagnosis) if self.has_pages else None,
                meanings=MEANINGS,
                names=NAMES,
            )
            yield self._entry(diagnosis, module, summary)

    def _entry(self, diagnosis: Diagnosis, module: Module | None, summary: str) -> Element:
        title = diagnosis.name if module is None else f"{diagnosis.name}: {NAMES[module]}"
        page = href = self._page(diagnosis, module)
        if not self.has_pages:
            path = f"/api/v1/diagnoses/{diagnosis.id}/interventions{_query({}, module)}"
            href = self.base_url + path
        updated = _instant(diagnosis.checked_on)
        entry: Element = {
            "lang": "en",
            "title": text(title),
            "link": [_link("alternate", href, HTML if self.has_pages else JSON, title)],
            "id": content(page),
            "updated": updated,
            "summary": text(summary, "html"),
        }
        if module is None:
            return entry
        document = {"id": content(self._page(diagnosis)), "title": text(diagnosis.name)}
        return {
            **entry,
            "category": [
                part
                for each in SUB_TOPICS
                if module in each.modules
                for part in (
                    {"scheme": "subTopic.v.c", "term": each.code, "label": each.name},
                    {"scheme": "subTopic.v.cs", "term": MESH},
                )
            ],
            "source": {**document, "updated": updated},
        }

    def _page(self, diagnosis: Diagnosis, module: Module | None = None) -> str:
        return f"{self.base_url}/catalogue/{diagnosis.id}{_query({}, module)}"


def _link(relation: str, href: str, media_type: str, title: str) -> Element:
    # The guide requires all of these.
    return {"href": href, "rel": relation, "type": media_type, "hreflang": "en", "title": title}


def _query(query: dict[str, str], module: Module | None) -> str:
    whole = query if module is None else {**query, "module": module.value}
    return f"?{urlencode(whole)}" if whole else ""


def _instant(day: date) -> Element:
    return content(f"{day.isoformat()}T00:00:00Z")
