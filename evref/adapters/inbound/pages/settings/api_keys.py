"""The section API keys: list, create, monitor, change, rotate and revoke."""

from collections.abc import Callable
from datetime import date
from http import HTTPStatus
from typing import Any

from flask import flash, make_response, redirect, request, url_for
from flask import render_template as render
from werkzeug.wrappers import Response

from evref.adapters.inbound.pages.settings import labels, plot
from evref.adapters.inbound.pages.settings.account import who
from evref.adapters.inbound.pages.settings.forms import (
    NOTHING_CHANGED,
    ConfirmForm,
    KeyForm,
    RotateForm,
)
from evref.adapters.inbound.web import query
from evref.application.access.manage_keys import KeyInUse, ManageKeys
from evref.domain.errors import (
    InvalidValueError,
    KeyAlreadyRotatedError,
    KeyRevokedError,
    OutdatedError,
)
from evref.domain.principal import Principal
from evref.domain.rules import folded

_SAVED = "Saved. It takes effect within a second."

_NEWEST = "newest"
_ORDERS: dict[str, Callable[[KeyInUse], Any]] = {
    # Keys with the same value are ordered from the newest.
    _NEWEST: lambda _: 0,
    "name": lambda key_in_use: folded(key_in_use.key.name),
    "use": lambda key_in_use: 0 if key_in_use.today is None else -key_in_use.today.admitted,
    "last-used": lambda key_in_use: (
        0 if key_in_use.last_used_on is None else -key_in_use.last_used_on.toordinal()
    ),
    "expiry": lambda key_in_use: key_in_use.key.expires_on or date.max,
    "state": lambda key_in_use: labels.STATES[key_in_use.state][1],
}
"""The sort orders of the list. Keys that no longer work are always last."""


class ApiKeyPages:
    """Each method is the view of a page and handles its form.

    `base_url` is the address of the service for programs.
    """

    def __init__(self, keys: ManageKeys, base_url: str) -> None:
        self._keys = keys
        self._base_url = base_url

    def list_keys(self) -> str:
        everything = self._keys.list(*who())
        options = query.parse(
            {"q": query.words, "sort": query.one_of(*_ORDERS), "page": query.whole_number}
        )
        q, sort = options.get("q", ""), options.get("sort", _NEWEST)
        matching = sorted(
            (key_in_use for key_in_use in reversed(everything) if _has_words(key_in_use, q)),
            key=lambda key_in_use: (key_in_use.state.has_ended, _ORDERS[sort](key_in_use)),
        )
        shown, page, pages = query.page_of(matching, options.get("page", 1))
        return render(
            "settings/api_keys.html",
            working=[key_in_use for key_in_use in shown if not key_in_use.state.has_ended],
            ended=[key_in_use for key_in_use in shown if key_in_use.state.has_ended],
            number=len(matching),
            sort=sort,
            orders=_ORDERS,
            page=page,
            pages=pages,
            total=len(everything),
            can_search=len(everything) > query.FEW_ITEMS or bool(q),
            q=q,
        )

    def new_key(self) -> Response:
        use = self._keys.caps(*who(), to_change=True)
        form = KeyForm(self._keys.today(), use)
        if form.validate_on_submit() and form.confirms(self._taken_name(form)):
            try:
                created = self._keys.create(*who(), **form.typed)
            except InvalidValueError as error:
                form.add_errors(error)
            else:
                page = render("settings/created_key.html", created=created, base_url=self._base_url)
                return make_response(page, HTTPStatus.CREATED)
        return form.page("settings/new_key.html", use=use)

    def key(self, key_id: str) -> Response:
        parameters = query.parse({"days": query.one_of(*map(str, plot.DAYS))})
        count = int(parameters.get("days", plot.DAYS[0]))
        key_in_use = self._keys.get(_principal(), key_id, to_change=request.method == "POST")
        use = self._keys.caps(*who())
        form = KeyForm(self._keys.today(), use, key=key_in_use.key)
        if form.validate_on_submit() and form.confirms(self._warnings(form, key_in_use)):
            try:
                after = self._keys.change(
                    _principal(), key_id, **form.typed, version=form.version.data or ""
                )
            except InvalidValueError as error:
                form.add_errors(error)
            except OutdatedError:
                key_in_use = self._keys.get(_principal(), key_id)
                form.show_saved(key_in_use.key)
            else:
                return _back_to_key(NOTHING_CHANGED if after == key_in_use.key else _SAVED)
        today, limit = self._keys.today(), key_in_use.key.daily_limit
        usage = self._keys.history(_principal(), key_id, count)
        return form.page(
            "settings/key.html",
            key_in_use=key_in_use,
            usage=usage,
            counts=plot.DAYS,
            count=count,
            plot=plot.drawn(usage, last=today, count=count, limit=limit),
        )

    def rotate_key(self, key_id: str) -> Response:
        key_in_use = self._keys.get(_principal(), key_id, to_change=True)
        form = RotateForm(data={"current": key_in_use.key.newest.id})
        if key_in_use.key.revoked_at is not None:
            raise KeyRevokedError(key_id)
        if form.validate_on_submit():
            created = self._keys.rotate(
                _principal(), key_id, keep_old_for=form.overlap, current=form.current.data
            )
            page = render("settings/rotated_key.html", created=created, base_url=self._base_url)
            return make_response(page, HTTPStatus.CREATED)
        return form.page("settings/rotate_key.html", key_in_use=key_in_use)

    def end_previous(self, key_id: str) -> Response:
        key_in_use = self._keys.get(_principal(), key_id, to_change=True)
        form = ConfirmForm()
        if not key_in_use.ending_secrets:
            return _back_to_key(f"The previous secret has already ended. {NOTHING_CHANGED}")
        if form.validate_on_submit():
            self._keys.end_previous(_principal(), key_id)
            return _back_to_key("The previous secret stops working within a second.")
        return form.page("settings/end_previous.html", key_in_use=key_in_use)

    def _warnings(self, form: KeyForm, key_in_use: KeyInUse) -> dict[str, str]:
        """Return warnings about a name and a limit that differ from the saved ones."""
        key, typed, warnings = key_in_use.key, form.typed, {}
        limit = typed["daily_limit"]
        if folded(typed["name"]) != folded(key.name):
            warnings = self._taken_name(form, key.id)
        if limit == key.daily_limit:
            return warnings
        used = 0 if key_in_use.today is None else key_in_use.today.admitted
        days = self._keys.history(_principal(), key.id, plot.DAYS[0])
        largest = max((day.admitted for day in days), default=0)
        if limit < used:
            warnings["daily_limit"] = f"It used {used:,} today: requests are refused from now on."
        elif limit < largest:
            warnings["daily_limit"] = (
                f"It used {largest:,} on the busiest of the last {plot.DAYS[0]} days: on such a "
                "day, requests are refused."
            )
        return warnings

    def _taken_name(self, form: KeyForm, key_id: str | None = None) -> dict[str, str]:
        """Return a warning if another live key has the name."""
        name = folded(form.typed["name"])
        for key in (key_in_use.key for key_in_use in self._keys.list(*who())):
            if key.id != key_id and key.is_live(self._keys.today()) and folded(key.name) == name:
                return {"name": f"The key …{key.last_four} has this name too."}
        return {}

    def revoke_key(self, key_id: str) -> Response:
        key_in_use = self._keys.get(_principal(), key_id, to_change=True)
        form = ConfirmForm()
        if key_in_use.key.revoked_at is not None:
            raise KeyRevokedError(key_id)
        if form.validate_on_submit():
            self._keys.revoke(_principal(), key_id)
            return _back_to_key("The key is revoked. It stops working within a second.")
        return form.page("settings/revoke_key.html", key_in_use=key_in_use)


def _has_words(key_in_use: KeyInUse, q: str) -> bool:
    """Return whether the name, last four characters or state of the key has each of the words."""
    text = folded(
        f"{key_in_use.key.name} {key_in_use.key.last_four} {labels.STATES[key_in_use.state][1]}"
    )
    return all(word in text for word in folded(q.replace("…", " ")).split())


def _principal() -> Principal:
    return who()[0]


def to_revoked(_: KeyRevokedError) -> Response:
    return _back_to_key(f"The key is already revoked. {NOTHING_CHANGED}")


def to_rotated(_: KeyAlreadyRotatedError) -> Response:
    return _back_to_key(
        f"The key has been rotated since this form was opened. {NOTHING_CHANGED} The new key "
        "cannot be shown again. If nobody stored it, rotate the key again."
    )


def _back_to_key(message: str) -> Response:
    """Redirect to the key that the path names."""
    flash(message)
    key_id = (request.view_args or {})["key_id"]
    return redirect(url_for(".key", key_id=key_id), HTTPStatus.SEE_OTHER)
