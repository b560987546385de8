"""The patterns of nginx's files take time in proportion to the length of a request.

nginx tries them on every request, even on one that it refuses, and serves nobody else meanwhile.
They run here in nginx's own library, which counts its steps. The worst address of 4 KiB took it
0.1 ms (measured once, in November 2026).
"""

from __future__ import annotations

import ctypes
import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.deploy.shell import DEPLOY

_CASELESS = 0x8
_OUT_OF_STEPS = -47
LONGEST = 32768  # What HTTP/2 can make of a field of 16 KiB.


class _Pattern:
    """A regular expression of PCRE2, compiled as nginx compiles it."""

    _pcre = ctypes.CDLL("libpcre2-8.so.0")
    for _name in ("compile", "match_data_create_from_pattern", "match_context_create"):
        getattr(_pcre, f"pcre2_{_name}_8").restype = ctypes.c_void_p

    def __init__(self, text: str, *, is_caseless: bool) -> None:
        self.text = text
        error, place = ctypes.c_int(), ctypes.c_size_t()
        compiled = self._pcre.pcre2_compile_8(
            *(text.encode(), ctypes.c_size_t(len(text.encode()))),
            *(ctypes.c_uint32(_CASELESS if is_caseless else 0), ctypes.byref(error)),
            *(ctypes.byref(place), None),
        )
        assert compiled, text
        self._code = ctypes.c_void_p(compiled)
        data = self._pcre.pcre2_match_data_create_from_pattern_8(self._code, None)
        self._data = ctypes.c_void_p(data)
        self._context = ctypes.c_void_p(self._pcre.pcre2_match_context_create_8(None))

    def matches(self, subject: bytes, most_steps: int) -> bool:
        """Return whether it matches, which must take no more than this many steps."""
        self._pcre.pcre2_set_match_limit_8(self._context, ctypes.c_uint32(most_steps))
        result: int = self._pcre.pcre2_match_8(
            *(self._code, subject, ctypes.c_size_t(len(subject)), ctypes.c_size_t(0)),
            *(ctypes.c_uint32(0), self._data, self._context),
        )
        assert result != _OUT_OF_STEPS, (self.text, subject[:60])
        return result > 0


def _maps() -> dict[str, list[_Pattern]]:
    """Return the patterns of each map in order, by its variables."""
    text = (DEPLOY / "nginx" / "evref.conf").read_text()
    maps = re.findall(r"(?ms)^map (.*?) \{\n(.*?)^\}", text)
    return {
        name: [
            _Pattern(pattern, is_caseless=bool(star))
            for star, pattern in re.findall(r'(?m)^    "~(\*?)(.*)" \S+;$', body)
        ]
        for name, body in maps
        if '"~' in body
    }


MAPS = _maps()


def evaluate(patterns: list[_Pattern], subject: bytes) -> None:
    """Return the result of the first pattern that matches, as nginx does."""
    for pattern in patterns:
        # One that is not anchored is tried at each place, and only on what is short by now.
        is_anchored = pattern.text.startswith("^") or pattern.text.startswith("(?s)^")
        assert is_anchored or len(subject) <= 64, pattern.text
        if pattern.matches(subject, 4 * len(subject) + 100):
            return


PARTS = st.sampled_from(
    [
        *("%25", "%", "a", "0", "aB3", "/", ".", "-", "_", "evref_", "?", "&a=", " ", "\xff"),
        *("x" * 45, "A" * 46, "b" * 32, "%C3%BC", "text/html", ";", "; ", "/infobutton"),
        *("PlanDefinition", "_search", "65767265665f", "__Host-evref_session="),
    ]
)


@pytest.mark.parametrize("name", MAPS)
@given(
    start=st.sampled_from(["", "/", "/catalogue?", "/infobutton ", "/api"]),
    parts=st.lists(PARTS, min_size=1, max_size=4),
    end=PARTS,
)
@example(start="/", parts=["%25"], end="")
@example(start="", parts=["0"], end="")
def test_the_steps_are_linear_in_the_length(
    name: str, start: str, parts: list[str], end: str
) -> None:
    """The test repeats parts of an address up to the limit, and beyond it."""
    for length in (64, 4096, LONGEST):
        repeated = (start + "".join(parts) * length)[: length - len(end)] + end
        evaluate(MAPS[name], repeated.encode("latin-1"))


def test_every_pattern_is_read() -> None:
    lines = (DEPLOY / "nginx" / "evref.conf").read_text().count('    "~')

    assert sum(map(len, MAPS.values())) == lines
    other = (DEPLOY / "nginx" / "evref-sign-in.conf").read_text()
    assert re.findall(r"~[*]? (\S+)", other) == [
        "^(/evref)?/(api|fhir|infobutton|health|schemas)(/|$)",
        "^/evref(/|$)",
    ]
