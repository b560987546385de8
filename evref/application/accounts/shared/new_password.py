"""The rules for new passwords."""

import re

from evref.domain.accounts.institution import Institution, check_password
from evref.domain.errors import Fault, InvalidValueError
from evref.ports.accounts.passwords import PasswordGuesser

_THE_SERVICE = "evref"


def check_new_password(
    password: str, guesser: PasswordGuesser, *, email: str, institution: Institution
) -> None:
    """Check that a password is allowed for the member with this e-mail.

    Raises:
        InvalidValueError: If it breaks a rule, or is easily guessed, also from the e-mail.

    """
    check_password(password)
    words = re.findall(r"\w+", f"{email} {institution.name}")
    if guesser.is_guessable(password, [_THE_SERVICE, email, "".join(words), *words]):
        raise InvalidValueError(
            [Fault("password", "is easily guessed: use several unrelated words")]
        )
