"""The forms: they parse input, and show the errors of the domain beside the fields."""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import date, timedelta
from http import HTTPStatus

from flask import current_app, g, make_response, render_template
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

from evref.adapters.inbound.pages.settings import labels
from evref.adapters.inbound.web.words import day
from evref.domain.access.caps import CapUse
from evref.domain.access.key import DEFAULT_LIFE, OVERLAPS, ApiKey, KeyFields, Permission
from evref.domain.access.quota import DEFAULT_DAILY_LIMIT, HIGHEST_DAILY_LIMIT
from evref.domain.accounts.institution import check_email, normalised_email
from evref.domain.errors import InvalidValueError
from evref.domain.principal import Role
from evref.domain.redaction import refuse_keys
from evref.domain.rules import Rules

NOTHING_CHANGED = "Nothing was changed."


class PageForm(FlaskForm):
    """A form whose CSRF token is valid only in the member's session or, before the sign-in, in the
    browser's.

    An error is a sentence, or completes the label of its field: “must be …”.
    """

    class Meta(FlaskForm.Meta):
        @property
        def csrf_secret(self) -> str:
            return f"{current_app.secret_key!s}{g.token.digest if 'token' in g else ''}"

    def was_sent(self) -> bool:
        """Whether a page of this service sent the form. The fields are then validated."""
        if not self.is_submitted():
            return False
        self.validate()
        return not self.forged

    @property
    def forged(self) -> bool:
        return bool(self.csrf_token.errors)

    @property
    def status(self) -> HTTPStatus:
        if self.forged:
            return HTTPStatus.BAD_REQUEST
        return HTTPStatus.UNPROCESSABLE_ENTITY if self.errors else HTTPStatus.OK

    def page(self, template: str, **context: object) -> Response:
        return make_response(render_template(template, form=self, **context), self.status)

    def add_errors(self, error: InvalidValueError) -> None:
        """Add each error to its field, or to the form if it has no such field.

        A field that is already invalid keeps its own error: the domain did not get its value.
        """
        invalid = self.errors
        for fault in error.faults:
            if fault.field not in self:
                is_sentence = fault.message[0].isupper()
                self.form_errors.append(fault.message if is_sentence else str(fault))
            elif fault.field not in invalid:
                self[fault.field].errors = [*self[fault.field].errors, fault.message]

    def add_outdated(self, saved: Mapping[str, str]) -> None:
        """Add the error that the saved values are newer than the form. `saved` has these values."""
        self.form_errors.append(
            "Somebody else has changed this since you opened the page. Nothing was saved. "
            "To replace the saved values with yours, save again."
        )
        for field, value in saved.items():
            self[field].errors = [*self[field].errors, f"Saved now: {value}."]


class LimitField(IntegerField):
    """A daily limit in digits, with or without separators of thousands: 10000, 10,000, 10 000."""

    def process_formdata(self, valuelist: list[str]) -> None:
        text = valuelist[0].strip() if valuelist else ""
        self.data = None
        digits = re.sub("[^0-9]", "", text)
        if _WITH_POINTS.fullmatch(text):
            without = f"Type {digits} or {int(digits):,}, without a point."
            raise ValueError(f"{without} {labels.LIMIT_RULE}")
        if _WHOLE_NUMBER.fullmatch(text) is None or int(digits) > HIGHEST_DAILY_LIMIT:
            raise ValueError(labels.LIMIT_RULE)
        self.data = int(digits)


# In other languages a point separates thousands: 1.000 could mean either, and is an error.
_WHOLE_NUMBER = re.compile(r"[0-9]{1,20}|[0-9]{1,3}([, \u00a0\u2009\u202f][0-9]{3}){1,6}")
_WITH_POINTS = re.compile(r"[0-9]{1,3}(\.[0-9]{3}){1,3}")


class DayField(DateField):
    """A date in ISO 8601 as browsers send it, or empty."""

    def process_formdata(self, valuelist: list[str]) -> None:
        text = valuelist[0].strip() if valuelist else ""
        self.data = None
        try:
            self.data = date.fromisoformat(text) if text else None
        except ValueError:
            raise ValueError("Enter a date as year, month and day: 2027-12-31.") from None


def _radio_field(label: str, missing: str, **options: object) -> RadioField:
    """Return radio buttons. `missing` is the error if none of them is chosen."""
    return RadioField(label, [InputRequired(missing)], invalid_choice_message=missing, **options)


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
    password = PasswordField("New password", [InputRequired("Enter a new password.")])
    repeated = PasswordField("New password again")


class PasswordForm(PageForm):
    present = PasswordField("Current password", [InputRequired("Enter your current password.")])
    password = PasswordField("New password", [InputRequired("Enter a new password.")])
    repeated = PasswordField("New password again")


_HOUR = timedelta(hours=1)
_KEEP, _NEVER, _ON_DATE = "keep", "never", "date"
"""The choices of when a key expires, besides the numbers of days."""
_EXPIRY_DAYS = (30, 90, DEFAULT_LIFE.days)


class KeyForm(PageForm):
    """The fields of a key that is new, or of `key` as it was when the form was opened.

    `today` is the UTC day from which “In … days” counts, and `use` what the institution uses of its
    caps. `version` keeps a form that is sent again from saving twice.
    """

    version = HiddenField()
    name = StringField("Name", [DataRequired("Enter a name.")])
    permission = _radio_field(
        "Permission level",
        "Choose a permission level.",
        choices={level.value: labels.LEVELS_IN_FULL[level] for level in reversed(Permission)},
        default=Permission.READ.value,
    )
    daily_limit = LimitField("Daily limit")
    expiry = _radio_field("Expiry", "Choose when the key expires.")
    expires_on = DayField("Date of expiry")
    confirmed = HiddenField()

    def __init__(self, today: date, use: CapUse, *, key: ApiKey | None = None) -> None:
        self._today, self._use, self._key = today, use, key
        never = "Never: the key works until you revoke it"
        if key is None:
            first = {_NEVER: never}
            limits = (DEFAULT_DAILY_LIMIT, use.highest_limit)
            data: dict[str, object] = {
                "daily_limit": min(limit for limit in limits if limit is not None),
                "expiry": str(DEFAULT_LIFE.days),
            }
        else:
            first = {_KEEP: never}
            if key.expires_on is not None:
                first = {_KEEP: f"Keep {day(key.expires_on)}", _NEVER: never}
            data = {
                "name": key.name,
                "permission": key.permission.value,
                "daily_limit": key.daily_limit,
                "expiry": _KEEP,
                "version": key.version,
            }
        super().__init__(data=data)
        in_days = {
            str(days): f"In {days} days: {day(today + timedelta(days=days))}"
            for days in _EXPIRY_DAYS
        }
        self.expiry.choices = first | in_days | {_ON_DATE: "On this date:"}

    @property
    def last_day(self) -> date | None:
        """The chosen last day; None if the key never expires, or keeps the day that it has."""
        if self.expiry.data == _ON_DATE:
            chosen: date | None = self.expires_on.data
            return chosen
        if self.expiry.data in {_KEEP, _NEVER}:
            return None
        return self._today + timedelta(days=int(self.expiry.data))

    def confirms(self, warnings: Mapping[str, str]) -> bool:
        """Return whether these values were sent again after their warnings were shown.

        `warnings` has a sentence for each field to confirm. If one is new, the page shows them.
        """
        values = "; ".join(f"{field}: {self[field].data}" for field in warnings)
        if values in {"", self.confirmed.data}:
            return True
        self.confirmed.data = values
        for field, warning in warnings.items():
            self[field].errors = [
                *self[field].errors,
                f"{warning} To confirm, send the form again.",
            ]
        return False

    def validate_name(self, field: StringField) -> None:
        with _errors_at(field):
            name, rules = (field.data or "").strip(), Rules()
            rules.name("name", name, longest=ApiKey.LONGEST_NAME)
            rules.enforce()
            refuse_keys("name", name)

    def validate_daily_limit(self, field: LimitField) -> None:
        key, limit = self._key, field.data
        present = 0 if key is None else key.daily_limit
        # The caps do not restrict a key that has ended, or a limit that is not raised.
        if limit is not None and (key is None or (key.is_live(self._today) and limit > present)):
            with _errors_at(field):
                self._use.rules_of_limit(limit, present).enforce()

    def validate_expires_on(self, field: DayField) -> None:
        if self.expiry.data != _ON_DATE:
            if field.data is not None and not self.expiry.errors:
                raise ValidationError("Choose “On this date”, or clear the date.")
        elif field.data is None and not field.errors:
            raise ValidationError("Enter a date.")
        elif field.data is not None and field.data < self._today:
            raise ValidationError(f"Enter today's date ({day(self._today)}, UTC) or a later one.")

    @property
    def typed(self) -> KeyFields:
        """The values that were typed, without the expiry if the key keeps it."""
        values: KeyFields = {
            "name": (self.name.data or "").strip(),
            "permission": Permission(self.permission.data),
            "daily_limit": self.daily_limit.data or 0,
        }
        if self.expiry.data != _KEEP:
            values["expires_on"] = self.last_day
        return values

    def show_saved(self, key: ApiKey) -> None:
        """Show the saved values beside the typed values; saving again replaces the saved values."""
        saved = {
            "name": key.name,
            "permission": labels.LEVELS[key.permission],
            "daily_limit": f"{key.daily_limit:,}",
            "expires_on": "never" if key.expires_on is None else day(key.expires_on),
        }
        self.add_outdated(
            {
                "expiry" if field == "expires_on" else field: saved[field]
                for field, value in self.typed.items()
                if value != getattr(key, field)
            }
        )
        self.version.data = key.version


class RotateForm(PageForm):
    """A form with the id of the newest secret, so that it rotates the key only once."""

    current = HiddenField()
    keep_old_for = _radio_field(
        "How long does the previous key keep working?",
        "Choose how long the previous key keeps working.",
        choices={str(overlap // _HOUR): labels.OVERLAPS[overlap] for overlap in OVERLAPS},
        default="24",
    )

    @property
    def overlap(self) -> timedelta:
        return int(self.keep_old_for.data) * _HOUR


class ConfirmForm(PageForm):
    """A form with a CSRF token only."""


class RoleForm(PageForm):
    role = _radio_field(
        "Role",
        "Choose a role.",
        choices={
            role.value: f"{role.capitalize()}: {labels.ROLES_ALLOW[role]}"
            for role in reversed(Role)
        },
        default=Role.READER.value,
    )


class ChangedRoleForm(RoleForm):
    """A form with the role that the member had when the form was opened."""

    version = HiddenField()

    def show_saved(self, role: Role) -> None:
        self.add_outdated({"role": role.value})
        self.version.data = role.value


class InviteForm(RoleForm):
    email = StringField(
        "E-mail address", [DataRequired("Enter the e-mail address of your colleague.")]
    )

    def validate_email(self, field: StringField) -> None:
        with _errors_at(field):
            check_email(normalised_email(field.data))
