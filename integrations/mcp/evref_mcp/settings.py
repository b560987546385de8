"""The settings, from the environment."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Self
from urllib.parse import urlsplit

_KEY = re.compile(r"evref_[0-9A-Za-z]{46}")


class SettingsError(Exception):
    """A setting is missing or malformed; the message is one line and never repeats the key."""


@dataclass(frozen=True, slots=True)
class Settings:
    """`url` is the address of the service, without a slash at its end."""

    url: str
    key: str = field(repr=False)

    @classmethod
    def read(cls, environment: Mapping[str, str]) -> Self:
        """Read EVREF_URL and EVREF_KEY.

        Raises:
            SettingsError: If one is missing or malformed.

        """
        url = environment.get("EVREF_URL", "").rstrip("/")
        if not url:
            raise SettingsError(
                "EVREF_URL is missing; set it to the address of the service, such as "
                "https://evref.example.org"
            )
        if not _is_address(url):
            raise SettingsError(
                "EVREF_URL is not the address of a service; it needs http:// or https:// and a "
                "host, without a user, query or fragment, such as https://evref.example.org"
            )
        key = environment.get("EVREF_KEY", "")
        if not key:
            raise SettingsError(
                "EVREF_KEY is missing; set it to an API key, which a member of your institution "
                "creates in the institution settings of the service"
            )
        if not _KEY.fullmatch(key):
            raise SettingsError(
                "EVREF_KEY is not an API key; a key is evref_ and 46 letters and digits"
            )
        return cls(url, key)


def _is_address(url: str) -> bool:
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return False
    return (
        parts.scheme in {"http", "https"}
        and bool(parts.hostname)
        and port != 0
        and not re.search(r"[@?#\s\\]", url)
    )
