"""The forms: what is typed becomes values here, and what the domain says of them its errors."""

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
    """A form with CSRF protection. Errors follow on the field's label: “must be …”."""

    class Meta(FlaskForm.Meta):
        csrf_class = SessionBoundCsrf

    def accepted(self) -> bool:
        """Whether it was sent from a page of ours, and every field could be read."""
        return bool(self.validate_on_submit())

    @property
    def forged(self) -> bool:
        """Whether it was sent without the token of the page that it stood on."""
        return bool(self.csrf_token.errors)

    @property
    def status(self) -> HTTPStatus:
        """The status of the page that shows the form again."""
        if self.forged:
            return HTTPStatus.BAD_REQUEST
        return HTTPStatus.UNPROCESSABLE_ENTITY if self.errors else HTTPStatus.OK

    def tell(self, error: InvalidValueError) -> None:
        """Put each fault at the field that it is about."""
        for fault in error.faults:
            if fault.field in self:
                self[fault.field].errors = [*self[fault.field].errors, fault.message]
            else:
                self.form_errors.append(str(error))


class WholeNumberField(IntegerField):
    """A whole number in digits. `value` is there once the form is accepted."""

    @property
    def value(self) -> int:
        if self.data is None:
            raise ValueError("the number could not be read")
        return int(self.data)

    def process_formdata(self, valuelist: list[str]) -> None:
        text = valuelist[0].strip() if valuelist else ""
        if not (text.isascii() and text.isdigit() and len(text) <= 20):  # noqa: PLR2004 - any rule's
            self.data = None
            raise ValueError(DAILY_LIMIT_RULE)
        self.data = int(text)


class DayField(DateField):
    """A day as browsers send it, or none."""

    def process_formdata(self, valuelist: list[str]) -> None:
        text = valuelist[0].strip() if valuelist else ""
        self.data = None
        if text:
            try:
                self.data = datetime.strptime(text, "%Y-%m-%d").replace(tzinfo=UTC).date()
            except ValueError:
                raise ValueError("must be a day such as 2027-12-31, or empty") from None


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
    Permission.NONE: "none: no data, for a key that is to rest",
}


class SignInForm(PageForm):
    email = StringField("E-mail address")
    password = PasswordField("Password")


class SignOutForm(PageForm):
    """Nothing but the proof that it comes from a page of ours."""


class PasswordForm(PageForm):
    present = PasswordField("Present password")
    password = PasswordField("New password")
    repeated = PasswordField("New password, once more")

    def validate_repeated(self, field: PasswordField) -> None:
        if field.data != self.password.data:
            raise ValidationError("must be the same as the new password")


class KeyForm(PageForm):
    name = StringField("Name")
    permission = PermissionField("Permission level")
    daily_limit = WholeNumberField("Daily limit", default=DEFAULT_DAILY_LIMIT)


class NewKeyForm(KeyForm):
    """Has the id of the key that it makes, so that it makes no second one when sent again."""

    id = HiddenField()
    expires_on = DayField("Expires after")


class RevokeForm(PageForm):
    """Nothing but the proof that it comes from a page of ours."""
