"""Access to the catalogue in a browser."""

from enum import StrEnum


class Readers(StrEnum):
    """The readers to whom the operator gives access to the catalogue's pages."""

    MEMBERS = "members"
    PUBLIC = "public"
    OFF = "off"

    def admits(self, *, member: bool) -> bool:
        """Return whether a visitor may read the pages, given whether they are a signed-in member.

        >>> Readers.MEMBERS.admits(member=False)
        False
        """
        return self is Readers.PUBLIC or (self is Readers.MEMBERS and member)
