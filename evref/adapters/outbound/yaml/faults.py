"""What is wrong with one file, gathered so that all of it is told at once."""

from evref.domain.errors import FileFault

_LONGEST_SHOWN = 60


class Faults:
    """The faults of one file, by whichever name the person who gave it knows it."""

    def __init__(self, file: str) -> None:
        self.file = file
        # A dictionary, since what several aliases share would be told once for each of them.
        self._told: dict[tuple[int | None, str], None] = {}

    def add(self, line: int | None, message: str) -> None:
        self._told[line, message] = None

    def in_order(self) -> list[FileFault]:
        """The faults by line, those of the file as a whole first."""
        in_order = sorted(self._told, key=lambda told: told[0] or 0)
        return [FileFault(self.file, line, message) for line, message in in_order]

    def __bool__(self) -> bool:
        return bool(self._told)


def shown(text: str, longest: int = _LONGEST_SHOWN) -> str:
    """The text as it can stand in a message: on one line, of bounded length, all of it visible."""
    clipped = text if len(text) <= longest else text[: longest - 1] + "…"
    return "".join(
        character if character.isprintable() else character.encode("unicode_escape").decode("ascii")
        for character in clipped
    )
