"""The section API keys: list, create, monitor, change and revoke."""

from __future__ import annotations

from http import HTTPStatus

from flask import Blueprint, flash, g, make_response, redirect, url_for
from flask import render_template as render
from werkzeug.wrappers import Response

from evref.adapters.inbound.pages.settings import plot
from evref.adapters.inbound.pages.settings.forms import KeyForm, NewKeyForm, RevokeForm
from evref.application.manage_keys import ManageKeys
from evref.application.sign_in import SignedIn
from evref.domain.access.key import KeyState, Permission
from evref.domain.access.principal import Principal
from evref.domain.errors import AlreadyExistsError, InvalidValueError, KeyRevokedError

_REVOKED = "The key is already revoked. Nothing was changed."


class ApiKeyPages:
    """Each method is the view of a page and handles its form.

    `base_url` is the address of the service for programs.
    """

    def __init__(self, keys: ManageKeys, base_url: str) -> None:
        self._keys = keys
        self._base_url = base_url

    def add_to(self, pages: Blueprint) -> None:
        pages.add_url_rule("/api-keys", view_func=self.list_keys, methods=["GET"])
        for path, view in (
            ("/api-keys/new", self.new_key),
            ("/api-keys/<key_id>", self.key),
            ("/api-keys/<key_id>/revoke", self.revoke_key),
        ):
            pages.add_url_rule(path, view_func=view, methods=["GET", "POST"])

    def list_keys(self) -> str:
        found = self._keys.list(_principal(), _member().institution.id)
        return render(
            "settings/api_keys.html",
            active=[each for each in found if not each.state.has_ended],
            ended=[each for each in found if each.state.has_ended],
        )

    def new_key(self) -> Response:
        form = NewKeyForm(data={"id": self._keys.new_key_id(_principal())})
        if form.accepted():
            try:
                made = self._keys.create(
                    _principal(),
                    _member().institution.id,
                    name=form.name.data or "",
                    permission=Permission(form.permission.data),
                    daily_limit=form.daily_limit.value,
                    expires_on=form.expires_on.data,
                    key_id=form.id.data,
                )
            except InvalidValueError as error:
                form.add_errors(error)
            except AlreadyExistsError:
                flash(
                    "This form has already created its key. The key cannot be shown again. If you "
                    "did not store it, revoke it and create another one."
                )
                return _to_key(form.id.data)
            else:
                page = render("settings/made_key.html", made=made, base_url=self._base_url)
                return make_response(page, HTTPStatus.CREATED)
        return make_response(render("settings/new_key.html", form=form), form.status)

    def key(self, key_id: str) -> Response:
        found = self._keys.get(_principal(), key_id)
        form = KeyForm(
            data={
                "name": found.key.name,
                "permission": found.key.permission.value,
                "daily_limit": found.key.daily_limit,
            }
        )
        if form.accepted():
            try:
                self._keys.change(
                    _principal(),
                    key_id,
                    name=form.name.data,
                    permission=Permission(form.permission.data),
                    daily_limit=form.daily_limit.value,
                )
            except InvalidValueError as error:
                form.add_errors(error)
            except KeyRevokedError:
                flash(_REVOKED)
                return _to_key(key_id)
            else:
                flash("Saved. It takes effect within a second.")
                return _to_key(key_id)
        days = self._keys.history(_principal(), key_id)
        page = render(
            "settings/key.html",
            found=found,
            form=form,
            days=days,
            plot=plot.drawn(days, self._keys.today(), found.key.daily_limit),
        )
        return make_response(page, form.status)

    def revoke_key(self, key_id: str) -> Response:
        found = self._keys.get(_principal(), key_id)
        form = RevokeForm()
        if found.state is KeyState.REVOKED:
            flash(_REVOKED)
            return _to_key(key_id)
        if form.accepted():
            try:
                self._keys.revoke(_principal(), key_id)
            except KeyRevokedError:
                flash(_REVOKED)
            else:
                flash("The key is revoked. It stops working within a second.")
            return _to_key(key_id)
        return make_response(
            render("settings/revoke_key.html", found=found, form=form), form.status
        )


def _member() -> SignedIn:
    signed_in: SignedIn = g.signed_in
    return signed_in


def _principal() -> Principal:
    return _member().principal


def _to_key(key_id: str | None) -> Response:
    return redirect(url_for(".key", key_id=key_id), HTTPStatus.SEE_OTHER)
