"""The page behind the link of an invitation, on which a person becomes a member.

The link has a secret. It must not get into another URL: this page links nowhere with it, and its
referrer policy keeps the path from the pages and files that it leads to.
"""

from http import HTTPStatus

from flask import Blueprint, flash, g, make_response, redirect
from flask import render_template as render
from werkzeug.wrappers import Response

from evref.adapters.inbound.pages.settings import cookies
from evref.adapters.inbound.pages.settings.forms import NewPasswordForm
from evref.adapters.inbound.pages.settings.sign_in import address, home, try_again_later
from evref.application.accounts.accept_invitation import AcceptInvitation
from evref.application.accounts.sign_in import SignIn
from evref.domain.errors import AlreadyExistsError, BusyError, InvalidValueError, NotFoundError

_ELSEWHERE = (
    "This e-mail address is in use in another institution. "
    "Ask for an invitation to another address."
)


_WELCOME = "Welcome. You are now a member."


class InvitationPage:
    """The page of an invitation and its form. It needs no session."""

    def __init__(self, accept: AcceptInvitation, sign_in: SignIn, *, has_passwords: bool) -> None:
        self._accept = accept
        self._sign_in = sign_in
        self._has_passwords = has_passwords

    def add_to(self, pages: Blueprint) -> None:
        pages.add_url_rule(
            "/invitation/<token>", view_func=self.accept_invitation, methods=["GET", "POST"]
        )

    def accept_invitation(self, token: str) -> Response:
        try:
            return self._page(token)
        except NotFoundError:
            if "proxy_session" in g and g.proxy_session.has_joined:
                # The proxy has named the person, who accepted the invitation by this.
                flash(_WELCOME)
                return redirect(home(g.signed_in.member), HTTPStatus.SEE_OTHER)
            # The same page for each reason, so that it says nothing about other people's links.
            return make_response(render("settings/no_invitation.html"), HTTPStatus.NOT_FOUND)

    def _page(self, token: str) -> Response:
        form = NewPasswordForm()
        if "signed_in" in g:
            # Somebody else, because the person is no member yet.
            page = form.page("settings/invitation.html", found=self._accept.invitation(token))
            page.status_code = HTTPStatus.CONFLICT if form.is_submitted() else HTTPStatus.OK
            return page
        if self._has_passwords and form.was_sent():
            password = form.password.data or ""
            try:
                if not form.errors:
                    member = self._accept.accept(token, password=password, address=address())
                    return cookies.begin(self._sign_in.start(member), home(member), _WELCOME)
                self._accept.check(token, password=password, address=address())
            except InvalidValueError as error:
                form.add_errors(error)
            except AlreadyExistsError:
                form.form_errors.append(_ELSEWHERE)
            except BusyError as error:
                found = self._accept.invitation(token)
                return try_again_later("settings/invitation.html", form, error, found=found)
        return form.page("settings/invitation.html", found=self._accept.invitation(token))
