"""The forms: they parse input and show the errors of the domain at its fields."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from http import HTTPStatus
from typing import Any

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
from wtforms.validators import AnyOf, DataRequired, InputRequired

from evref.adapters.inbound.pages.settings import drafts
from evref.adapters.inbound.pages.settings.forgery import SessionBoundCsrf
from evref.domain.access.key import Permission
from evref.domain.access.principal import Role
from evref.domain.access.quota import DAILY_LIMIT_RULE, DEFAULT_DAILY_LIMIT
from evref.domain.errors import InvalidValueError

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

    def accepted(self, check: Callable[[], object] = lambda: None) -> bool:
        """Whether a page of this service sent the form and every field is valid.

        `check` raises `InvalidValueError` if the domain does not allow the values. It is called
        even if a field is invalid, so that the page shows all errors at once.
        """
        if not self.was_sent():
            return False
        try:
            check()
        except InvalidValueError as error:
            self.add_errors(error)
        return not self.errors

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
        """Add each error to its field, or to the form if it has no such field.

        A field that is already invalid keeps its own error: the domain did not see what was typed.
        """
        invalid = self.errors
        for fault in error.faults:
            if fault.field not in self:
                self.form_errors.append(str(fault))
            elif fault.field not in invalid:
                self[fault.field].errors = [*self[fault.field].errors, fault.message]


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


_OF_ROLE = {
    Role.ADMIN: "admin: manages keys and members",
    Role.VIEWER: "viewer: sees keys, their use and the audit log",
}


class SignInForm(PageForm):
    email = StringField("E-mail address", [DataRequired("Enter your e-mail address.")])
    password = PasswordField("Password", [InputRequired("Enter your password.")])


class SignOutForm(PageForm):
    """Has the CSRF token only."""


class NewPasswordForm(PageForm):
    """A new password, typed twice."""

    password = PasswordField("New password", [InputRequired("Enter a new password.")])
    repeated = PasswordField("New password again")

    def validate_repeated(self, field: PasswordField) -> None:
        if field.data != self.password.data:
            raise ValidationError("The passwords do not match. Type the same password twice.")


class PasswordForm(NewPasswordForm):
    present = PasswordField("Current password", [InputRequired("Enter your current password.")])


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


class ConfirmForm(PageForm):
    """Has the CSRF token only."""


class RoleForm(PageForm):
    role = RadioField(
        "Role",
        [AnyOf(list(Role), "Choose a role.")],
        choices=[SelectChoice(role.value, _OF_ROLE[role]) for role in reversed(Role)],
        default=Role.VIEWER.value,
        validate_choice=False,
    )


class InviteForm(RoleForm):
    email = StringField(
        "E-mail address", [DataRequired("Enter the e-mail address of your colleague.")]
    )
