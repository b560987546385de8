"""The audit log of an institution, as a page and as CSV (RFC 4180)."""

import csv
import re
from collections.abc import Mapping
from http import HTTPStatus
from io import StringIO
from typing import Any

from flask import Response, render_template

from evref.adapters.inbound.pages.settings import labels
from evref.adapters.inbound.pages.settings.account import who
from evref.adapters.inbound.web import query
from evref.application.access.manage_keys import ManageKeys
from evref.application.read_audit_log import ReadAuditLog
from evref.domain.audit import CHANGES, SIGN_INS_KEPT, Action, AuditFilter

_CHANGES = "changes"
_one_kind = query.one_of(*Action, _CHANGES)
_FILTER: Mapping[str, query.Parse] = {
    "person": query.words,
    "key": query.words,
    # The form sends an empty value for “Any”.
    "kind": lambda text: text and _one_kind(text),
}
_FORMULA = re.compile(r"(^|;)(?=\s*[=+\-@\uff1d\uff0b\uff0d\uff20])|(^|;)(?=[\t\r])")
"""Spreadsheets treat a cell that begins with one of these as a formula. German and French
spreadsheets end a cell at a semicolon, even within quotes.
"""


class AuditLogPages:
    """Shows the log page by page, with the present names and last four characters of the keys."""

    def __init__(self, log: ReadAuditLog, keys: ManageKeys) -> None:
        self._log = log
        self._keys = keys

    def audit_log(self) -> str:
        parameters = query.parse({**_FILTER, "page": query.whole_number})
        page = self._log(*who(), parameters.pop("page", 1), _filter(parameters))
        return render_template(
            "settings/audit_log.html",
            page=page,
            parameters=parameters,
            kinds={_CHANGES: "All changes, no sign-ins"}
            | {action.value: labels.action(action) for action in Action},
            kept_days=SIGN_INS_KEPT.days,
            most=self._log.MOST_ENTRIES,
            key_names=self._key_names(),
        )

    def audit_log_csv(self) -> Response:
        parameters = query.parse(_FILTER)
        if faults := query.not_understood():
            # A file cannot show the message that its filters were ignored, so this is an error.
            message = f"Part of the address was not understood: {'; '.join(faults)}.\n"
            status = HTTPStatus.UNPROCESSABLE_ENTITY
            return Response(message, status, content_type="text/plain; charset=utf-8")
        entries = self._log.whole(*who(), _filter(parameters))
        names = self._key_names()
        text = StringIO()
        table = csv.writer(text, quoting=csv.QUOTE_ALL)
        table.writerow(["when", "who", "what", "key_id", "key", "detail"])
        for entry in entries:
            key = names.get(entry.key_id or "", "")
            when = entry.at.strftime("%Y-%m-%dT%H:%M:%SZ")
            detail = labels.detail(entry)
            cells = (when, entry.actor, entry.action.value, entry.key_id or "", key, detail)
            table.writerow(map(_harmless, cells))
        response = Response(text.getvalue(), content_type="text/csv; charset=utf-8")
        response.headers["Content-Disposition"] = 'attachment; filename="audit-log.csv"'
        return response

    def _key_names(self) -> dict[str, str]:
        keys = self._keys.list(*who())
        return {used.key.id: f"{used.key.name} …{used.key.last_four}" for used in keys}


def _filter(parameters: Mapping[str, Any]) -> AuditFilter:
    person, kind = parameters.get("person"), parameters.get("kind")
    return AuditFilter(
        # Addresses are stored in lower case.
        None if person is None else person.lower(),
        parameters.get("key"),
        None if kind is None else CHANGES if kind == _CHANGES else frozenset({kind}),
    )


def _harmless(cell: str) -> str:
    """Return the text of a cell with an apostrophe before each formula."""
    return _FORMULA.sub(lambda start: f"{start[0]}'", cell)
