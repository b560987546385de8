"""The forms: they parse input and show the errors of the domain at its fields."""

from __future__ import annotations

from datetime import UTC, datetime
from http import HTTPStatus

from flask_wtf import FlaskForm
from wtforms import (
    DateField,
    HiddenField,
    IntegerField,
    PasswordField,
    RadioField,
    StringField,
    ValidationError,
)
from wtforms.fields.choices import SelectChoice

from evref.adapters.inbound.pages.settings.forgery import SessionBoundCsrf
from evref.domain.access.key import Permission
from evref.domain.access.quota import DAILY_LIMIT_RULE, DEFAULT_DAILY_LIMIT
from evref.domain.errors import InvalidValueError


class PageForm(FlaskForm):
    """A form with CSRF protection. An error completes the label of its field: “must be …”."""

    class Meta(FlaskForm.Meta):
        csrf_class = SessionBoundCsrf

    def accepted(self) -> bool:
        """Whether a page of this service sent the form and every field is valid."""
        return bool(self.validate_on_submit())

    @property
    def forged(self) -> bool:
        """Whether the form was sent without the CSRF token of its page."""
        return bool(self.csrf_token.errors)

    @property
    def status(self) -> HTTPStatus:
        """The status of the page that shows the form again."""
        if self.forged:
            return HTTPStatus.BAD_REQUEST
        return HTTPStatus.UNPROCESSABLE_ENTITY if self.errors else HTTPStatus.OK

    def add_errors(self, error: InvalidValueError) -> None:
        """Add each error to its field, or to the form if it has no such field."""
        for fault in error.faults:
            if fault.field in self:
                self[fault.field].errors = [*self[fault.field].errors, fault.message]
            else:
                self.form_errors.append(str(error))


class WholeNumberField(IntegerField):
    """A whole number in digits. `value` is available once the form is accepted."""

    @property
    def value(self) -> int:
        if self.data is None:
            raise ValueError("the number is not valid")
        return int(self.data)

    def process_formdata(self, valuelist: list[str]) -> None:
        text = valuelist[0].strip() if valuelist else ""
        if not (text.isascii() and text.isdigit() and len(text) <= 20):  # noqa: PLR2004 - longer than any limit
            self.data = None
            raise ValueError(DAILY_LIMIT_RULE)
        self.data = int(text)


class DayField(DateField):
    """A date in ISO 8601 as browsers send it, or empty."""

    def process_formdata(self, valuelist: list[str]) -> None:
        text = valuelist[0].strip() if valuelist else ""
        self.data = None
        if text:
            try:
                self.data = datetime.strptime(text, "%Y-%m-%d").replace(tzinfo=UTC).date()
            except ValueError:
                raise ValueError("must be a date such as 2027-12-31, or empty") from None


class PermissionField(RadioField):
    """A permission level."""

    def __init__(self, label: str, **options: object) -> None:
        levels = [SelectChoice(level.value, _MEANING[level]) for level in reversed(Permission)]
        super().__init__(label, choices=levels, default=Permission.READ.value, **options)

    def pre_validate(self, form: FlaskForm) -> None:  # noqa: ARG002 - the signature of WTForms
        if self.data not in list(Permission):
            raise ValidationError(f"must be one of {', '.join(Permission)}")


_MEANING = {
    Permission.READ: "read: diagnoses and interventions",
    Permission.NONE: "none: no access (paused)",
}


class SignInForm(PageForm):
    email = StringField("E-mail address")
    password = PasswordField("Password")


class SignOutForm(PageForm):
    """Has the CSRF token only."""


class PasswordForm(PageForm):
    present = PasswordField("Current password")
    password = PasswordField("New password")
    repeated = PasswordField("Confirm new password")

    def validate_repeated(self, field: PasswordField) -> None:
        if field.data != self.password.data:
            raise ValidationError("does not match the new password")


class KeyForm(PageForm):
    name = StringField("Name")
    permission = PermissionField("Permission level")
    daily_limit = WholeNumberField("Daily limit", default=DEFAULT_DAILY_LIMIT)


class NewKeyForm(KeyForm):
    """Has the id of the new key, so that sending the form again creates no second key."""

    id = HiddenField()
    expires_on = DayField("Expires after")


class RevokeForm(PageForm):
    """Has the CSRF token only."""
