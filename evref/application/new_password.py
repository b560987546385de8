"""What a new password must be, whoever sets it."""

import re

from evref.domain.accounts.institution import Institution, check_password
from evref.domain.errors import Fault, InvalidValueError
from evref.ports.passwords import PasswordGuesser

_THE_SERVICE = "evref"


def check_new_password(
    password: str, guesser: PasswordGuesser, *, email: str, institution: Institution
) -> None:
    """Pass silently when the member with this e-mail may have it from now on.

    Raises:
        InvalidValueError: when it breaks a rule, or is soon guessed by those who know the member.

    """
    check_password(password)
    words = re.findall(r"\w+", f"{email} {institution.name}")
    if guesser.soon_tries(password, [_THE_SERVICE, email, "".join(words), *words]):
        raise InvalidValueError(
            [Fault("password", "is easily guessed: take several words that do not belong together")]
        )
