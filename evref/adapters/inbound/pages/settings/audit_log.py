"""The audit log of an institution."""

from __future__ import annotations

from flask import Blueprint, g, render_template

from evref.adapters.inbound.pages import query
from evref.application.access.manage_keys import ManageKeys
from evref.application.read_audit_log import ReadAuditLog


class AuditLogPage:
    """Shows one page of the log at a time, with the present names of the keys."""

    def __init__(self, log: ReadAuditLog, keys: ManageKeys) -> None:
        self._log = log
        self._keys = keys

    def add_to(self, pages: Blueprint) -> None:
        pages.add_url_rule("/audit-log", view_func=self.audit_log, methods=["GET"])

    def audit_log(self) -> str:
        principal, institution_id = g.signed_in.principal, g.signed_in.institution.id
        page = self._log(
            principal, institution_id, query.read({"page": query.whole_number}).get("page", 1)
        )
        names = {each.key.id: each.key.name for each in self._keys.list(principal, institution_id)}
        return render_template("settings/audit_log.html", page=page, key_names=names)
