"""Who may look at the catalogue in a browser."""

from enum import StrEnum


class Readers(StrEnum):
    """Whom the operator lets read the catalogue's pages."""

    MEMBERS = "members"
    PUBLIC = "public"
    OFF = "off"

    def admits(self, *, member: bool) -> bool:
        """Whether the pages are open to somebody who is a signed-in member, or is not.

        >>> Readers.MEMBERS.admits(member=False)
        False
        """
        return self is Readers.PUBLIC or (self is Readers.MEMBERS and member)
