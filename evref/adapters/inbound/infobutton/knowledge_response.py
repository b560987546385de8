"""A knowledge response: an Atom feed as in the service-oriented implementation guide.

A diagnosis is a document, and each of its modules a section of it. HL7's guidance on documents with
sections makes each section an entry, which names its document as its source.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from urllib.parse import urlencode

from flask import render_template

from evref.adapters.inbound.infobutton.knowledge_request import (
    HTML,
    JSON,
    MESH,
    RESPONSE_TYPE,
    SUB_TOPICS,
    Criterion,
    KnowledgeRequest,
)
from evref.adapters.inbound.web.atom import Element, content, text
from evref.adapters.inbound.web.code_systems import CODE_SYSTEMS
from evref.domain.catalogue.diagnosis import Module
from evref.domain.catalogue.entry import Entry
from evref.domain.catalogue.evidence import Direction
from evref.domain.catalogue.in_words import plain, source, verdict
from evref.domain.catalogue.search.found import LONGEST_TEXT, Found
from evref.domain.catalogue.served import Question, Served
from evref.domain.catalogue.vocabulary import DISCLAIMER, MEANINGS, NAMES
from evref.domain.redaction import without_keys
from evref.domain.rules import counted

_TITLE = "Evidence Reference Service"

MOST_DIAGNOSES = 20
"""A feed with the interventions of all diagnoses whose names have an “a” would serve nobody."""

# The date of the feed of an empty catalogue, because Atom requires a date.
_NO_DATE = date(1970, 1, 1)


@dataclass(frozen=True)
class KnowledgeResponse:
    """The response to a request, from what is served.

    Entries link to the pages of the catalogue, or to the API if the operator has disabled them.
    """

    request: KnowledgeRequest
    served: Served
    base_url: str
    has_pages: bool

    @cached_property
    def _by_criterion(self) -> list[Found]:
        return [criterion.found_in(self.served) for criterion in self.request.criteria]

    @cached_property
    def _found(self) -> Found:
        return Found.joined(self._by_criterion)

    def page(self) -> str:
        """Return the address of the page: of the only diagnosis, or else of a search."""
        criteria = self.request.criteria
        entries = self._found.entries
        modules = tuple(Module) if len(entries) != 1 else entries[0].diagnosis.enabled_modules
        module = self.request.only_module(modules)
        by_criterion = zip(criteria, self._by_criterion, strict=True)
        finding = [criterion for criterion, found in by_criterion if found.entries]
        is_by_name = any(criterion.is_replaced for criterion in criteria)
        # Only the search page shows how well a code fits, which name matched, and what was not
        # found.
        is_certain = len(finding) == len(criteria) and not is_by_name and not self._found.doubts
        if len(entries) == 1 and is_certain:
            return f"{self.base_url}/catalogue/{entries[0].diagnosis.id}{_query({}, module)}"
        # A long search text is truncated.
        rest = [criterion for criterion in criteria if criterion not in finding]
        return self.base_url + search_page([*finding, *rest], module)

    def feed(self) -> Element:
        """Return the feed: for each diagnosis, its entry and then the entries of its sections."""
        entries = self._found.entries
        shown = entries[:MOST_DIAGNOSES]
        reasons = self._found.doubts
        named = self._named()
        dated = shown or self.served.catalogue.entries
        address = f"{self.base_url}/infobutton?{urlencode(self.request.context)}"
        return {
            "xsi": "http://www.w3.org/2001/XMLSchema-instance",
            "base": f"{self.base_url}/",
            "lang": "en",
            "title": text(_TITLE),
            "subtitle": text(self._subtitle(entries)),
            "author": {"name": content(_TITLE), "uri": content(self.base_url)},
            "updated": _last_check(dated),
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
                for part in self._entries(entry, reasons.get(entry.diagnosis.id), named)
            ]
            + [
                self._search_for(criterion)
                for criterion in self.request.criteria
                if criterion.other is not None and criterion.words
            ],
        }

    def _subtitle(self, entries: tuple[Entry, ...]) -> str:
        request = self.request
        said = f"Results for {', '.join(criterion.label for criterion in request.criteria)}"
        if request.sub_topics:
            said += f"; subtopic {', '.join(topic.name for topic in request.sub_topics)}"
        sentences = [said]
        if len(entries) > MOST_DIAGNOSES:
            sentences.append(f"The first {MOST_DIAGNOSES} of {len(entries)} diagnoses")
        for criterion, found in zip(request.criteria, self._by_criterion, strict=True):
            sentences += self._outcome(criterion, found)
        if not all(topic.modules for topic in request.sub_topics):
            names = ", ".join(topic.name for topic in SUB_TOPICS)
            sentences.append(f"The service supports only these subtopics: {names}")
        return ". ".join(dict.fromkeys(sentences)) + "."

    def _outcome(self, criterion: Criterion, found: Found) -> Iterator[str]:
        """Yield sentences on what came of a criterion, unless it is the only one and was found."""
        yield from found.remarks
        if found.suggestions:
            names = ", ".join(suggestion.name for suggestion in found.suggestions)
            yield f"Perhaps meant: {names}"
        is_only = len(self.request.criteria) == 1
        if criterion.other is not None:
            yield f"Not searched as a diagnosis: {criterion.label} is {criterion.other}"
        elif not criterion.is_searched:
            names = ", ".join(system.name for system in CODE_SYSTEMS)
            if self.served.snomed is not None:
                names += " and of its map of SNOMED CT"
            yield f"Not searched: {criterion.label}. The service reads codes of {names} only"
        elif not (found.entries or found.remarks):
            missing = "this diagnosis" if is_only else criterion.label
            umbrella = criterion.words and self._umbrella(criterion.words)
            yield umbrella or f"The catalogue does not contain {missing}"
        elif found.entries and not is_only:
            yield f"{criterion.label}: {counted(len(found.entries), 'diagnosis', 'diagnoses')}"
        if criterion.is_replaced:
            yield "Searched by name, because the service does not read the code"

    def _umbrella(self, words: str) -> str | None:
        found = self.served.find(Question(words=words))
        if found.umbrella is None:
            return None
        names = ", ".join(entry.diagnosis.name_within_sentence for entry in found.entries)
        return f"“{found.umbrella.text}” is wider than one diagnosis; it includes {names}"

    def _search_for(self, criterion: Criterion) -> Element:
        count = len(self.served.answers(Question(words=criterion.words)).interventions)
        query = _query({"q": criterion.words})
        return self._leading_to(
            f"/catalogue{query}",
            f"/api/v1/interventions{query}",
            f"Interventions for “{without_keys(criterion.words)}”",
            _last_check(self.served.catalogue.entries),
            f"The search finds {counted(count, 'intervention')}.",
        )

    def _leading_to(
        self, page: str, path: str, title: str, updated: Element, summary: str
    ) -> Element:
        """Return an entry that leads to a page, or to a path of the API if there are no pages."""
        address = self.base_url + page
        link = (address, HTML) if self.has_pages else (self.base_url + path, JSON)
        return {
            "lang": "en",
            "title": text(title),
            "link": [_link("alternate", *link, title)],
            "id": content(address),
            "updated": updated,
            "summary": text(summary, "html"),
        }

    def _named(self) -> AbstractSet[str]:
        """Return the ids of the interventions that a criterion asks for in words."""
        return {
            intervention.id
            for criterion in self.request.criteria
            if criterion.words
            for intervention in self.served.answers(Question(words=criterion.words)).interventions
        }

    def _entries(
        self, entry: Entry, doubt: str | None, named: AbstractSet[str]
    ) -> Iterator[Element]:
        """Yield the entry of a diagnosis and those of its sections, named interventions first."""
        diagnosis = entry.diagnosis
        page = f"/catalogue/{diagnosis.id}"
        path = f"/api/v1/diagnoses/{diagnosis.id}/interventions"
        updated = _instant(diagnosis.checked_on)
        of_module = {
            module: sorted(
                filter(self.request.asks_for, entry.in_card_order(module)),
                key=lambda intervention: intervention.id not in named,
            )
            for module in diagnosis.enabled_modules
        }
        sections = [module for module, interventions in of_module.items() if interventions]
        sections.sort(key=lambda module: of_module[module][0].id not in named)
        counts = Counter(
            intervention.evidence.direction for intervention in entry.visible_interventions()
        )
        summary = render_template(
            "infobutton/document.html",
            diagnosis=diagnosis,
            doubt=doubt,
            counts={direction.value: counts[direction] for direction in Direction},
            missing=() if sections else [topic.name for topic in self.request.sub_topics],
            disclaimer=DISCLAIMER,
        )
        document = self._leading_to(page, path, diagnosis.name, updated, summary)
        yield document
        for module in sections:
            query = _query({}, module)
            summary = render_template(
                "infobutton/section.html",
                interventions=of_module[module],
                address=self.base_url + page if self.has_pages else None,
                meanings=MEANINGS,
                verdict=verdict,
                source=source,
                plain=plain,
                names=NAMES,
            )
            title = f"{diagnosis.name}: {NAMES[module]}"
            yield {
                **self._leading_to(page + query, path + query, title, updated, summary),
                "category": [
                    part
                    for topic in SUB_TOPICS
                    if any(map(topic.covers, of_module[module]))
                    for part in (
                        {"scheme": "subTopic.v.c", "term": topic.code, "label": topic.name},
                        {"scheme": "subTopic.v.cs", "term": MESH},
                    )
                ],
                "source": {name: document[name] for name in ("id", "title", "updated")},
            }


def search_page(criteria: Sequence[Criterion], module: Module | None) -> str:
    """Return the path of a search that finds what any of the criteria finds."""
    texts = (
        ", ".join(code.spelled for code in criterion.codes)
        or (criterion.words or criterion.label).replace(";", ",")
        for criterion in criteria
    )
    text = without_keys("; ".join(dict.fromkeys(texts)))
    if len(text) > LONGEST_TEXT:
        text = re.split("[,;] ?[^,;]*$", text[: LONGEST_TEXT + 1])[0][:LONGEST_TEXT]
    return f"/catalogue{_query({'q': text}, module)}"


def _link(relation: str, href: str, media_type: str, title: str) -> Element:
    # The guide requires all of these.
    return {"href": href, "rel": relation, "type": media_type, "hreflang": "en", "title": title}


def _query(query: dict[str, str], module: Module | None = None) -> str:
    whole = query if module is None else {**query, "module": module.value}
    return f"?{urlencode(whole)}" if whole else ""


def _last_check(entries: Iterable[Entry]) -> Element:
    return _instant(max((entry.diagnosis.checked_on for entry in entries), default=_NO_DATE))


def _instant(day: date) -> Element:
    return content(f"{day.isoformat()}T00:00:00Z")
