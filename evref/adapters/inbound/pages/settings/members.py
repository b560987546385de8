"""The section Members: list, invite, change the role, and remove."""

from http import HTTPStatus

from flask import Blueprint, flash, g, make_response, redirect, url_for
from flask import render_template as render
from werkzeug.wrappers import Response

from evref.adapters.inbound.pages.settings import cookies, words
from evref.adapters.inbound.pages.settings.forms import (
    NOTHING_CHANGED,
    ChangedRoleForm,
    ConfirmForm,
    InviteForm,
)
from evref.application.accounts.manage_members import ManageMembers
from evref.application.accounts.sign_in import SignedIn
from evref.domain.accounts.institution import Member, check_email, normalised_email
from evref.domain.accounts.invitation import Invitation
from evref.domain.errors import (
    AlreadyExistsError,
    InvalidValueError,
    LastAdminError,
    NotFoundError,
)
from evref.domain.principal import Role

_GONE = f"This person is no longer a member. {NOTHING_CHANGED}"
_CLOSED = f"The invitation was already used, revoked or replaced, or has expired. {NOTHING_CHANGED}"
_LAST_ADMIN = (
    f"Your institution needs an admin. Make somebody else an admin first. {NOTHING_CHANGED}"
)


class MemberPages:
    """Each method is the view of a page and handles its form.

    `base_url` is the address of the service, with which the links of invitations begin.
    """

    def __init__(self, members: ManageMembers, base_url: str) -> None:
        self._members = members
        self._base_url = base_url

    def add_to(self, pages: Blueprint) -> None:
        pages.add_url_rule("/members", "members", self.list_members, methods=["GET"])
        for path, view in (
            ("/members/invite", self.invite),
            ("/members/<member_id>", self.member),
            ("/members/<member_id>/remove", self.remove_member),
            ("/members/invitations/<invitation_id>/revoke", self.revoke_invitation),
        ):
            pages.add_url_rule(path, view_func=view, methods=["GET", "POST"])

    def list_members(self) -> str:
        signed_in = _signed_in()
        members = self._all(to_change=False)
        invitations: tuple[Invitation, ...] = ()
        if signed_in.member.role is Role.ADMIN:
            invitations = self._members.invitations(signed_in.principal, signed_in.institution.id)
        return render(
            "settings/members.html",
            members=members,
            last_admin=_last_admin(members),
            invitations=invitations,
        )

    def invite(self) -> Response:
        # Refuses those who may not invite, before the form is shown or read.
        self._all()
        form = InviteForm()
        if form.accepted(lambda: check_email(normalised_email(form.email.data or ""))):
            signed_in = _signed_in()
            try:
                made = self._members.invite(
                    signed_in.principal,
                    signed_in.institution.id,
                    email=form.email.data or "",
                    role=Role(form.role.data),
                )
            except InvalidValueError as error:
                form.add_errors(error)
            except AlreadyExistsError:
                form.email.errors = ["This person is already a member. Enter another address."]
            else:
                path = url_for(".accept_invitation", token=made.token.text)
                page = render(
                    "settings/invited.html", made=made.invitation, link=self._base_url + path
                )
                return make_response(page, HTTPStatus.CREATED)
        return make_response(render("settings/invite.html", form=form), form.status)

    def member(self, member_id: str) -> Response:
        members = self._all()
        found = _of(members, member_id)
        form = ChangedRoleForm(data={"role": found.role.value, "seen": found.role.value})
        if form.accepted() and form.role.data == form.seen.data:
            flash(NOTHING_CHANGED)
            return _to(".members")
        if form.accepted():
            try:
                after = self._members.set_role(
                    _signed_in().principal, member_id, Role(form.role.data), seen=form.role_seen
                )
            except InvalidValueError as error:
                form.add_errors(error)
                form.seen.data = found.role.value
                return make_response(self._member_page(members, found, form), form.status)
            except LastAdminError:
                flash(_LAST_ADMIN)
                return _to_member(member_id)
            except NotFoundError:
                flash(_GONE)
            else:
                if after.role is not found.role:
                    return _with_new_role(after)
                flash(NOTHING_CHANGED)
            return _to(".members")
        return make_response(self._member_page(members, found, form), form.status)

    def _member_page(
        self, members: tuple[Member, ...], found: Member, form: ChangedRoleForm
    ) -> str:
        return render(
            "settings/member.html", found=found, form=form, last_admin=_last_admin(members)
        )

    def remove_member(self, member_id: str) -> Response:
        members = self._all()
        found = _of(members, member_id)
        form = ConfirmForm()
        if _last_admin(members) == found:
            flash(_LAST_ADMIN)
            return _to_member(member_id)
        if form.accepted():
            try:
                self._members.remove(_signed_in().principal, member_id)
            except LastAdminError:
                flash(_LAST_ADMIN)
            except NotFoundError:
                flash(_GONE)
            else:
                return _removed(found)
            return _to(".members")
        page = render("settings/remove_member.html", found=found, form=form)
        return make_response(page, form.status)

    def revoke_invitation(self, invitation_id: str) -> Response:
        signed_in = _signed_in()
        invitations = self._members.invitations(signed_in.principal, signed_in.institution.id)
        found = next((each for each in invitations if each.id == invitation_id), None)
        form = ConfirmForm()
        if found is None:
            flash(_CLOSED)
            return _to(".members")
        if form.accepted():
            try:
                self._members.revoke_invitation(signed_in.principal, invitation_id)
            except NotFoundError:
                flash(_CLOSED)
            else:
                flash(f"The invitation of {found.email} is revoked. Its link no longer works.")
            return _to(".members")
        page = render("settings/revoke_invitation.html", found=found, form=form)
        return make_response(page, form.status)

    def _all(self, *, to_change: bool = True) -> tuple[Member, ...]:
        signed_in = _signed_in()
        return self._members.list(
            signed_in.principal, signed_in.institution.id, to_change=to_change
        )


def _of(members: tuple[Member, ...], member_id: str) -> Member:
    for member in members:
        if member.id == member_id:
            return member
    raise NotFoundError("member", member_id)


def _last_admin(members: tuple[Member, ...]) -> Member | None:
    """Return the only admin, who can be neither removed nor demoted."""
    admins = [member for member in members if member.role is Role.ADMIN]
    return admins[0] if len(admins) == 1 else None


def _with_new_role(member: Member) -> Response:
    role = words.ROLES[member.role]
    if member.id == _signed_in().member.id:
        return _signed_out(f"You are now {role} of {_signed_in().institution.name}. Sign in again.")
    flash(f"{member.email} is now {role}, and is signed out everywhere.")
    return _to(".members")


def _removed(member: Member) -> Response:
    if member.id == _signed_in().member.id:
        return _signed_out(f"You are no longer a member of {_signed_in().institution.name}.")
    flash(f"{member.email} is no longer a member, and is signed out everywhere.")
    return _to(".members")


def _signed_out(message: str) -> Response:
    response = _to(".sign_in")
    cookies.end(response)
    flash(message)
    return response


def _signed_in() -> SignedIn:
    signed_in: SignedIn = g.signed_in
    return signed_in


def _to(endpoint: str) -> Response:
    return redirect(url_for(endpoint), HTTPStatus.SEE_OTHER)


def _to_member(member_id: str) -> Response:
    return redirect(url_for(".member", member_id=member_id), HTTPStatus.SEE_OTHER)
