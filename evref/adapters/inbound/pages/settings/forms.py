"""The forms: they parse input and show the errors of the domain at its fields."""

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from enum import StrEnum
from http import HTTPStatus
from typing import Any

from flask import make_response, render_template
from flask_wtf import FlaskForm
from werkzeug.wrappers import Response
from wtforms import (
    DateField,
    Field,
    HiddenField,
    IntegerField,
    PasswordField,
    RadioField,
    StringField,
    ValidationError,
)
from wtforms.validators import DataRequired, InputRequired

from evref.adapters.inbound.pages.catalogue.words import day
from evref.adapters.inbound.pages.settings import drafts, words
from evref.adapters.inbound.pages.settings.forgery import SessionBoundCsrf
from evref.domain.access.key import ApiKey
from evref.domain.access.permission import Permission
from evref.domain.access.quota import DEFAULT_DAILY_LIMIT, HIGHEST_DAILY_LIMIT
from evref.domain.access.secret import OVERLAPS
from evref.domain.accounts.institution import check_email, normalised_email
from evref.domain.errors import InvalidValueError
from evref.domain.principal import Role
from evref.domain.redaction import refuse_keys
from evref.domain.rules import Rules

NOTHING_CHANGED = "Nothing was changed."


class PageForm(FlaskForm):
    """A form with CSRF protection. It shows the draft of its page, if there is one.

    An error is a sentence, or completes the label of its field: “must be …”.
    """

    class Meta(FlaskForm.Meta):
        csrf_class = SessionBoundCsrf

        def wrap_formdata(self, form: FlaskForm, formdata: Any) -> Any:
            return super().wrap_formdata(form, formdata) or drafts.on_this_page()

    def was_sent(self) -> bool:
        """Whether a page of this service sent the form. The fields are then validated."""
        if not self.is_submitted():
            return False
        self.validate()
        return not self.forged

    def accepted(self) -> bool:
        """Whether a page of this service sent the form and every field is valid."""
        return self.was_sent() and not self.errors

    @property
    def forged(self) -> bool:
        """Whether the form was sent without the CSRF token of its page."""
        return bool(self.csrf_token.errors)

    @property
    def status(self) -> HTTPStatus:
        if self.forged:
            return HTTPStatus.BAD_REQUEST
        return HTTPStatus.UNPROCESSABLE_ENTITY if self.errors else HTTPStatus.OK

    def page(self, template: str, **context: object) -> Response:
        """Return the page that shows the form again."""
        return make_response(render_template(template, form=self, **context), self.status)

    def add_errors(self, error: InvalidValueError) -> None:
        """Add each error to its field, or to the form if it has no such field.

        A field that is already invalid keeps its own error: the domain did not see what was typed.
        """
        invalid = self.errors
        for fault in error.faults:
            if fault.field not in self:
                is_sentence = fault.message[0].isupper()
                self.form_errors.append(fault.message if is_sentence else str(fault))
            elif fault.field not in invalid:
                self[fault.field].errors = [*self[fault.field].errors, fault.message]


class WholeNumberField(IntegerField):
    """A whole number in digits, with or without separators of thousands: 10000, 10,000, 10 000.

    `value` is available once the form is accepted.
    """

    @property
    def value(self) -> int:
        if self.data is None:
            raise ValueError("the number is not valid")
        return int(self.data)

    def process_formdata(self, valuelist: list[str]) -> None:
        text = valuelist[0].strip() if valuelist else ""
        if len(text) > 20 or _WHOLE_NUMBER.fullmatch(text) is None:  # noqa: PLR2004 - longer than any limit
            self.data = None
            if _WITH_POINTS.fullmatch(text):
                meant = _SEPARATOR.sub("", text)
                raise ValueError(
                    f"Type {meant} or {int(meant):,}, without a point. {words.LIMIT_RULE}"
                )
            raise ValueError(words.LIMIT_RULE)
        self.data = int(_SEPARATOR.sub("", text))


# In other languages a point separates thousands: 1.000 could mean either, and is an error.
_WHOLE_NUMBER = re.compile(r"[0-9]+|[0-9]{1,3}([, \u00a0\u2009\u202f][0-9]{3})+")
_WITH_POINTS = re.compile(r"[0-9]{1,3}(\.[0-9]{3}){1,3}")
_SEPARATOR = re.compile("[^0-9]")


class DayField(DateField):
    """A date in ISO 8601 as browsers send it, or empty."""

    def process_formdata(self, valuelist: list[str]) -> None:
        text = valuelist[0].strip() if valuelist else ""
        self.data = None
        if text:
            try:
                self.data = datetime.strptime(text, "%Y-%m-%d").replace(tzinfo=UTC).date()
            except ValueError:
                raise ValueError("Enter a date as year, month and day: 2027-12-31.") from None


def _radio_field(label: str, missing: str, **options: object) -> RadioField:
    """Return radio buttons. `missing` is the error if none of them is chosen."""
    return RadioField(label, [InputRequired(missing)], invalid_choice_message=missing, **options)


_ROLES_IN_FULL = {
    Role.ADMIN: "Admin: manages keys and members",
    Role.VIEWER: "Viewer: sees keys, their use and the audit log",
    Role.READER: "Reader: reads the catalogue",
}


@contextmanager
def _errors_at(field: Field) -> Iterator[None]:
    """Add the errors of the domain to a field, so that the page shows them with all others."""
    try:
        yield
    except InvalidValueError as error:
        field.errors += [fault.message for fault in error.faults]


class SignInForm(PageForm):
    email = StringField("E-mail address", [DataRequired("Enter your e-mail address.")])
    password = PasswordField("Password", [InputRequired("Enter your password.")])


class NewPasswordForm(PageForm):
    """A new password, typed twice."""

    password = PasswordField("New password", [InputRequired("Enter a new password.")])
    repeated = PasswordField("New password again")

    def validate_repeated(self, field: PasswordField) -> None:
        if field.data != self.password.data:
            raise ValidationError("The passwords do not match. Type the same password twice.")


class PasswordForm(NewPasswordForm):
    present = PasswordField("Current password", [InputRequired("Enter your current password.")])


_HOUR = timedelta(hours=1)


class Expiry(StrEnum):
    """The choices of when a key expires, but for the numbers of days."""

    KEEP = "keep"
    NEVER = "never"
    DATE = "date"


_EXPIRY_DAYS = (30, 90, 365)
_NEVER = "Never: the key works until you revoke it"


class KeyForm(PageForm):
    """The fields of a key. `today` is the UTC day from which the key's days are counted."""

    name = StringField("Name")
    permission = _radio_field(
        "Permission level",
        "Choose a permission level.",
        choices={level.value: words.LEVELS_IN_FULL[level] for level in reversed(Permission)},
        default=Permission.READ.value,
    )
    daily_limit = WholeNumberField("Daily limit", default=DEFAULT_DAILY_LIMIT)
    expiry = _radio_field("Expiry", "Choose when the key expires.")
    expires_on = DayField("Date of expiry")

    def __init__(self, today: date, first: dict[str, str], data: Mapping[str, object]) -> None:
        super().__init__(data={"expiry": next(iter(first)), **data})
        self._today = today
        in_days = {
            str(days): f"In {days} days: {day(today + timedelta(days=days))}"
            for days in _EXPIRY_DAYS
        }
        self.expiry.choices = first | in_days | {Expiry.DATE.value: "On this date:"}

    @property
    def last_day(self) -> date | None:
        """The chosen last day; None if the key never expires, or keeps the day that it has."""
        if self.expiry.data == Expiry.DATE:
            chosen: date | None = self.expires_on.data
            return chosen
        if self.expiry.data in {Expiry.KEEP, Expiry.NEVER}:
            return None
        return self._today + timedelta(days=int(self.expiry.data))

    def validate_name(self, field: StringField) -> None:
        name = (field.data or "").strip()
        if not name:
            raise ValidationError("Enter a name.")
        if len(name) > ApiKey.LONGEST_NAME:
            raise ValidationError(
                f"Enter a name of at most {ApiKey.LONGEST_NAME} characters. "
                f"This one has {len(name)}."
            )
        with _errors_at(field):
            rules = Rules()
            rules.name("name", name, longest=ApiKey.LONGEST_NAME)
            rules.enforce()
            refuse_keys("name", name)

    def validate_daily_limit(self, field: WholeNumberField) -> None:
        if field.data is not None and field.data > HIGHEST_DAILY_LIMIT:
            raise ValidationError(words.LIMIT_RULE)

    def validate_expires_on(self, field: DayField) -> None:
        if self.expiry.data != Expiry.DATE:
            if field.data is not None and not self.expiry.errors:
                raise ValidationError("Choose “On this date”, or clear the date.")
        elif field.data is None and not field.errors:
            raise ValidationError("Enter a date.")
        elif field.data is not None and field.data < self._today:
            raise ValidationError(f"Enter today's date ({day(self._today)}, UTC) or a later one.")


class NewKeyForm(KeyForm):
    """Has the id of the new key, so that sending the form again creates no second key."""

    id = HiddenField()

    def __init__(self, today: date, key_id: str) -> None:
        super().__init__(today, {Expiry.NEVER.value: _NEVER}, {"id": key_id})


class ChangedKeyForm(KeyForm):
    """Has the present values of a key, and those that it had when the form was opened."""

    seen = HiddenField()

    def __init__(self, today: date, key: ApiKey) -> None:
        first = {Expiry.KEEP.value: _NEVER}
        if key.expires_on is not None:
            first = {
                Expiry.KEEP.value: f"Keep {day(key.expires_on)}",
                Expiry.NEVER.value: _NEVER,
            }
        present = {
            "name": key.name,
            "permission": key.permission.value,
            "daily_limit": key.daily_limit,
            "seen": _seen(key),
        }
        self._key = key
        super().__init__(today, first, present)

    @property
    def values_seen(self) -> dict[str, object]:
        """The values of the key when the form was opened, as the browser says; else the present."""
        try:
            name, permission, limit, last_day = json.loads(self.seen.data or "")
            expires_on = None if last_day is None else date.fromisoformat(last_day)
            return {
                "name": str(name),
                "permission": Permission(permission),
                "daily_limit": int(limit),
                "expires_on": expires_on,
            }
        except (ValueError, TypeError, OverflowError, RecursionError):
            self.seen.data = _seen(self._key)
            return self.values_seen

    @property
    def changes(self) -> dict[str, Any]:
        """The fields that differ from what was seen."""
        typed: dict[str, object] = {
            "name": (self.name.data or "").strip(),
            "permission": Permission(self.permission.data),
            "daily_limit": self.daily_limit.value,
        }
        if self.expiry.data != Expiry.KEEP:
            typed["expires_on"] = self.last_day
        seen = self.values_seen
        return {field: value for field, value in typed.items() if value != seen[field]}

    def see_again(self, key: ApiKey) -> None:
        """Note the present values of the changed fields, so that a second save replaces them."""
        unchanged: dict[str, Any] = {**self.values_seen}
        for field in self.changes:
            del unchanged[field]
        self.seen.data = _seen(replace(key, **unchanged))


def _seen(key: ApiKey) -> str:
    last_day = None if key.expires_on is None else key.expires_on.isoformat()
    return json.dumps([key.name, key.permission.value, key.daily_limit, last_day])


class RotateForm(PageForm):
    """Has the id of the newest secret, so that sending the form again rotates no second time."""

    current = HiddenField()
    keep_old_for = _radio_field(
        "How long does the previous key go on working?",
        "Choose how long the previous key goes on working.",
        choices={str(overlap // _HOUR): words.OVERLAPS[overlap] for overlap in OVERLAPS},
        default="24",
    )

    @property
    def overlap(self) -> timedelta:
        return int(self.keep_old_for.data) * _HOUR


class ConfirmForm(PageForm):
    """Has the CSRF token only."""


class RoleForm(PageForm):
    role = _radio_field(
        "Role",
        "Choose a role.",
        choices={role.value: _ROLES_IN_FULL[role] for role in reversed(Role)},
        default=Role.VIEWER.value,
    )


class ChangedRoleForm(RoleForm):
    """Has the role that the member had when the form was opened."""

    seen = HiddenField()

    @property
    def role_seen(self) -> Role | None:
        return Role(self.seen.data) if self.seen.data in set(Role) else None


class InviteForm(RoleForm):
    email = StringField(
        "E-mail address", [DataRequired("Enter the e-mail address of your colleague.")]
    )

    def validate_email(self, field: StringField) -> None:
        with _errors_at(field):
            check_email(normalised_email(field.data))
