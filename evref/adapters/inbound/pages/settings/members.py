"""The section Members: list, invite, change the role, and remove."""

from contextlib import suppress
from http import HTTPStatus

from flask import flash, g, make_response, redirect, request, url_for
from flask import render_template as render
from werkzeug.wrappers import Response

from evref.adapters.inbound.pages.settings import labels
from evref.adapters.inbound.pages.settings.account import who
from evref.adapters.inbound.pages.settings.forms import (
    NOTHING_CHANGED,
    ChangedRoleForm,
    ConfirmForm,
    InviteForm,
)
from evref.adapters.inbound.web import cookies, query
from evref.application.accounts.people import People
from evref.domain.accounts.institution import Member
from evref.domain.accounts.invitation import Invitation
from evref.domain.errors import (
    AlreadyExistsError,
    InvalidValueError,
    LastAdminError,
    NotAllowedError,
    OutdatedError,
)
from evref.domain.principal import Role
from evref.domain.rules import folded

_CLOSED = f"The invitation was already used, revoked or replaced, or has expired. {NOTHING_CHANGED}"


class MemberPages:
    def __init__(self, people: People) -> None:
        self._people = people

    def members(self) -> str:
        members = self._people.list(*who())
        parameters = query.parse({"q": query.words, "page": query.whole_number})
        q = parameters.get("q", "")
        matching = [member for member in members if folded(q) in folded(member.email)]
        shown, page, pages = query.page_of(matching, parameters.get("page", 1))
        invitations: tuple[Invitation, ...] = ()
        with suppress(NotAllowedError):
            invitations = self._people.invitations(*who())
        return render(
            "settings/members.html",
            members=shown,
            number=len(matching),
            q=q,
            page=page,
            pages=pages,
            can_search=len(members) > query.FEW_ITEMS,
            invitations=invitations,
        )

    def invite(self) -> Response:
        # Checks the permission before the form is shown or parsed.
        self._people.invitations(*who())
        form = InviteForm()
        if form.validate_on_submit():
            try:
                invitation, token = self._people.invite(
                    *who(), email=form.email.data or "", role=Role(form.role.data)
                )
            except InvalidValueError as error:
                form.add_errors(error)
            except AlreadyExistsError:
                form.email.errors = ["This person is already a member. Enter another address."]
            else:
                link = url_for(".accept_invitation", token=token.text, _external=True)
                page = render("settings/invited.html", invitation=invitation, link=link)
                return make_response(page, HTTPStatus.CREATED)
        return form.page("settings/invite.html")

    def member(self, member_id: str) -> Response:
        member, is_last_admin = self._people.member(g.signed_in.principal, member_id)
        form = ChangedRoleForm(data={"role": member.role.value, "version": member.role.value})
        if form.validate_on_submit():
            try:
                after = self._people.set_role(
                    g.signed_in.principal,
                    member_id,
                    Role(form.role.data),
                    seen=form.version.data or "",
                )
            except OutdatedError:
                member, is_last_admin = self._people.member(g.signed_in.principal, member_id)
                form.show_saved(member.role)
            else:
                changed = after.role is not member.role
                return _with_new_role(after) if changed else _to_members(NOTHING_CHANGED)
        return form.page("settings/member.html", member=member, is_last_admin=is_last_admin)

    def remove_member(self, member_id: str) -> Response:
        member, is_last_admin = self._people.member(g.signed_in.principal, member_id)
        form = ConfirmForm()
        if is_last_admin:
            raise LastAdminError
        if form.validate_on_submit():
            self._people.remove(g.signed_in.principal, member_id)
            return _removed(member)
        domains = self._people.sign_in_domains(*who())
        return form.page("settings/remove_member.html", member=member, domains=domains)

    def revoke_invitation(self, invitation_id: str) -> Response:
        invitations = self._people.invitations(*who())
        invitation = next(
            (candidate for candidate in invitations if candidate.id == invitation_id), None
        )
        form = ConfirmForm()
        if invitation is None:
            return _to_members(_CLOSED)
        if form.validate_on_submit():
            self._people.revoke_invitation(g.signed_in.principal, invitation_id)
            return _to_members(
                f"The invitation of {invitation.email} is revoked. Its link no longer works."
            )
        return form.page("settings/revoke_invitation.html", invitation=invitation)


def _with_new_role(member: Member) -> Response:
    role, signed_in = labels.ROLES[member.role], g.signed_in
    if member.id == signed_in.member.id:
        message = f"You are now {role} of {signed_in.institution.name}. Sign in again."
        return cookies.end(url_for(".sign_in"), message)
    return _to_members(f"{member.email} is now {role}, and is signed out everywhere.")


def _removed(member: Member) -> Response:
    if member.id == g.signed_in.member.id:
        return cookies.end(url_for(".sign_in"), f"You have left {g.signed_in.institution.name}.")
    return _to_members(f"{member.email} is removed, and signed out everywhere.")


def _to_members(message: str) -> Response:
    flash(message)
    return redirect(url_for(".members"), HTTPStatus.SEE_OTHER)


def to_last_admin(_: LastAdminError) -> Response:
    flash(f"Your institution needs an admin. Make somebody else an admin first. {NOTHING_CHANGED}")
    return redirect(url_for(".member", **(request.view_args or {})), HTTPStatus.SEE_OTHER)
