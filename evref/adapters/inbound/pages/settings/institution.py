"""The section Institution: the operator's settings for the institution."""

from flask import Blueprint, render_template

from evref.adapters.inbound.pages.settings.account import who
from evref.application.access.manage_keys import ManageKeys
from evref.application.accounts.people import People


class InstitutionPage:
    def __init__(self, keys: ManageKeys, people: People) -> None:
        self._keys = keys
        self._people = people

    def add_to(self, pages: Blueprint) -> None:
        pages.add_url_rule("/institution", view_func=self.institution, methods=["GET"])

    def institution(self) -> str:
        use = self._keys.caps(*who())
        domains = self._people.sign_in_domains(*who())
        return render_template("settings/institution.html", use=use, domains=domains)
