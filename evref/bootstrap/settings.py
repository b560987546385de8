"""Reads settings from `EVREF_*` variables and a `.env` file.

No other module reads the environment.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields
from enum import StrEnum
from pathlib import Path
from typing import TypeVar
from urllib.parse import urlsplit

from dotenv import dotenv_values

from evref.domain.accounts.readers import Readers
from evref.domain.redaction import without_keys

_Enum = TypeVar("_Enum", bound=StrEnum)

PREFIX = "EVREF_"
DEFAULT_BIND = "127.0.0.1:8000"
SHORTEST_SECRET = 32

# A single host by name or address; a wildcard such as https://* would match any host.
_ORIGIN = re.compile(
    r"https?://([a-z0-9_]([a-z0-9_.-]*[a-z0-9_])?|\[[0-9a-f:.]+\])(:[0-9]+)?", re.IGNORECASE
)

_WEB_ADDRESS = re.compile(r"https?://[a-z0-9.-]+(:[0-9]+)?(/[!-~]*)?", re.IGNORECASE)
_EMAIL_ADDRESS = re.compile(r"[a-z0-9.!#$&'*+/=^_`{|}~-]+@[a-z0-9-]+(\.[a-z0-9-]+)+", re.IGNORECASE)
_LONGEST_NAME = 200

_DECIMAL = re.compile(r"[0-9]{1,3}(\.[0-9]{1,6})?")


class SettingsError(Exception):
    """Indicates an invalid setting; the message is one line."""


class StorageKind(StrEnum):
    """The storage: a database, or the memory of a single server process."""

    SQL = "sql"
    MEMORY = "memory"


class LogFormat(StrEnum):
    """The format of the log: text for people, or one JSON object per line."""

    TEXT = "text"
    JSON = "json"


@dataclass(frozen=True, slots=True)
class Settings:
    """The operator's settings. Each field is the variable of the same name with `EVREF_`.

    - `database_url`: an SQLAlchemy URL, which may contain a password.
    - `quota_url`: the Redis server that counts requests; None to count in the database.
    - `database_connections`: the maximum number of database connections of a worker.
    - `storage_timeout_seconds`: how long a request waits for the database or for Redis.
    - `base_url`: the address at which clients reach the service, without a path.
    - `cors_origins`: the origins whose scripts may call the API.
    - `representation_cache_mb`: the size of a worker's response cache in MiB.
    - `secret_key`: signs the cookies of the settings pages; None to generate one and store it.
    - `proxies`: the number of proxies in front of the service, each of which adds its client's
      address to X-Forwarded-For.
    - `container`: the function that builds the service, as MODULE:NAME; None for evref's own.
    - `log_format`, `access_log`: the format of the log, and whether it has a line per request.
    - `metrics_token`: the token that /metrics requires; None to disable /metrics.
    - `metrics_folder`: the folder for the workers' counts, which /metrics reports.
    - `catalogue_pages`: who may read the catalogue in a browser.
    - `infobutton`: whether /infobutton answers the info buttons of health records.
    - `fhir`: whether the catalogue is also served as FHIR.
    - `licence`: the address of the licence of a catalogue that is not the bundled one; None if it
      has none.
    - `operator`, `contact`: who runs the service, and an https: or e-mail address, for /about.
    """

    storage: StorageKind = StorageKind.SQL
    database_url: str = field(default="sqlite:///evref.sqlite", repr=False)
    quota_url: str | None = field(default=None, repr=False)
    database_connections: int = 256
    storage_timeout_seconds: float = 2.5
    base_url: str = f"http://{DEFAULT_BIND}"
    cors_origins: tuple[str, ...] = ()
    representation_cache_mb: int = 16
    secret_key: str | None = field(default=None, repr=False)
    proxies: int = 0
    container: str | None = None
    log_format: LogFormat = LogFormat.TEXT
    access_log: bool = False
    metrics_token: str | None = field(default=None, repr=False)
    metrics_folder: Path | None = None
    catalogue_pages: Readers = Readers.MEMBERS
    infobutton: bool = True
    fhir: bool = True
    licence: str | None = None
    operator: str | None = None
    contact: str | None = None

    @classmethod
    def read(
        cls,
        environ: Mapping[str, str] | None = None,
        env_file: Path = Path(".env"),
        defaults: Mapping[str, str] | None = None,
    ) -> Settings:
        """Read each setting from the environment, the file, `defaults` or the field default.

        The first of these that has a value takes precedence.

        Raises:
            SettingsError: If a value is invalid, or the file cannot be read.

        """
        values = _gather(os.environ if environ is None else environ, env_file, defaults or {})
        read: dict[str, object] = {}
        for name, text in values.items():
            if name in _READERS:
                try:
                    read[name] = _READERS[name](text)
                except ValueError as error:
                    fault = without_keys(str(error))
                    raise SettingsError(f"{PREFIX}{name.upper()} {fault}") from None
        return cls(**read)  # type: ignore[arg-type]  # _READERS give each field its own type

    @classmethod
    def unknown_names(
        cls, environ: Mapping[str, str] | None = None, env_file: Path = Path(".env")
    ) -> list[str]:
        """Return variables with the prefix that are not settings, and probably mistyped.

        Raises:
            SettingsError: If the file cannot be read.

        """
        values = _gather(os.environ if environ is None else environ, env_file, {})
        # The documentation calls a client's key EVREF_KEY.
        known = {*_READERS, "key"}
        return sorted(f"{PREFIX}{name.upper()}" for name in values if name not in known)


def hand_on_metrics_folder(folder: Path) -> None:
    """Pass the folder to prometheus_client, which reads the environment when it is imported."""
    os.environ["PROMETHEUS_MULTIPROC_DIR"] = str(folder)


def _gather(
    environ: Mapping[str, str], env_file: Path, defaults: Mapping[str, str]
) -> dict[str, str]:
    try:
        in_file = dotenv_values(env_file)
    except OSError as error:
        raise SettingsError(f"{env_file} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise SettingsError(f"{env_file} cannot be read: it is not UTF-8 text") from None
    if in_file.get(f"{PREFIX}CONTAINER"):
        # Whoever can write a file here could otherwise run code.
        raise SettingsError(
            f"EVREF_CONTAINER names code, so it must be set in the environment, not in {env_file}"
        )
    values = dict(defaults)
    for source in (in_file, environ):
        values |= {
            name.removeprefix(PREFIX).lower(): text
            for name, text in source.items()
            if name.startswith(PREFIX) and text
        }
    for name, text in values.items():
        if not text.isascii() and any("\ud800" <= each <= "\udfff" for each in text):
            raise SettingsError(f"{PREFIX}{name.upper()} must be UTF-8 text")
    return values


def _one_of(values: type[_Enum]) -> Callable[[str], _Enum]:
    def read(text: str) -> _Enum:
        try:
            return values(text)
        except ValueError:
            raise ValueError(f"must be one of {', '.join(values)}, not {text!r}") from None

    return read


def _switch(text: str) -> bool:
    if text not in {"on", "off"}:
        raise ValueError(f"must be on or off, not {text!r}")
    return text == "on"


def _database_url(text: str) -> str:
    # Messages do not include the value, because it may contain a password.
    if text.startswith(("postgresql://", "postgresql+psycopg://")):
        return text
    if not text.startswith("sqlite:///") or text == "sqlite:///":
        raise ValueError(
            "must be of the form sqlite:///FILE (or sqlite:////ABSOLUTE/FILE), "
            "or postgresql://USER:PASSWORD@HOST/DATABASE"
        )
    return text


def _quota_url(text: str) -> str:
    # Messages do not include the value, because it may contain a password.
    if not text.startswith(("redis://", "rediss://")):
        raise ValueError(
            "must be of the form redis://:PASSWORD@HOST:PORT/NUMBER (rediss:// for TLS)"
        )
    return text


def _database_connections(text: str) -> int:
    return _whole_number(text, 1, 256)


def _storage_timeout(text: str) -> float:
    # A higher timeout would break the promise of a response within three seconds.
    if not (_DECIMAL.fullmatch(text) and 0.1 <= float(text) <= 2.5):  # noqa: PLR2004
        raise ValueError(f"must be a number of seconds from 0.1 to 2.5, not {text!r}")
    return float(text)


def _base_url(text: str) -> str:
    if not _is_origin(text.removesuffix("/")):
        raise ValueError(
            f"must be an address such as https://evref.example.org, without a path, not {text!r}"
        )
    # Scheme and host have no case (RFC 3986, section 6.2.2.1).
    return text.removesuffix("/").lower()


def _origins(text: str) -> tuple[str, ...]:
    origins = tuple(_words(text))
    for origin in origins:
        if not _is_origin(origin):
            raise ValueError(f"must list origins such as https://app.example.org, not {origin!r}")
    return origins


def _megabytes(text: str) -> int:
    return _whole_number(text, 1, 4096)


def _secret(text: str) -> str:
    # The message does not include the value, because even an invalid value is a secret.
    if len(text) < SHORTEST_SECRET:
        raise ValueError(
            f"must have at least {SHORTEST_SECRET} characters, such as the output of "
            "openssl rand -hex 32"
        )
    return text


def _token(text: str) -> str:
    if not re.fullmatch(r"[!-~]*", text):
        raise ValueError("must be ASCII without spaces, because it is sent in a header")
    return _secret(text)


def _proxies(text: str) -> int:
    return _whole_number(text, 0, 10)


def _whole_number(text: str, least: int, most: int) -> int:
    if not (text.isascii() and text.isdigit() and least <= int(text) <= most):
        raise ValueError(f"must be a whole number from {least} to {most}, not {text!r}")
    return int(text)


def _container(text: str) -> str:
    module, colon, name = text.partition(":")
    if not (colon and name.isidentifier() and all(map(str.isidentifier, module.split(".")))):
        raise ValueError(f"must be of the form MODULE:NAME, not {text!r}")
    return text


def _web_address(text: str) -> str:
    if _WEB_ADDRESS.fullmatch(text) is None:
        raise ValueError(f"must be an address such as https://example.org/licence, not {text!r}")
    return text


def _contact(text: str) -> str:
    is_web_address = text.startswith("https:") and _WEB_ADDRESS.fullmatch(text)
    if not is_web_address and _EMAIL_ADDRESS.fullmatch(text) is None:
        raise ValueError(f"must be an address with https: or one e-mail address, not {text!r}")
    return text


def _name(text: str) -> str:
    if not text.isprintable() or not 1 <= len(text.strip()) <= _LONGEST_NAME:
        raise ValueError(f"must have 1 to {_LONGEST_NAME} printable characters")
    return text.strip()


def _is_origin(text: str) -> bool:
    try:
        parts = urlsplit(text)
        port = parts.port
        (parts.hostname or "").encode("idna")
    except ValueError:
        return False
    return _ORIGIN.fullmatch(text) is not None and port != 0


def _words(text: str) -> Iterable[str]:
    return text.replace(",", " ").split()


_READERS = {
    "storage": _one_of(StorageKind),
    "database_url": _database_url,
    "quota_url": _quota_url,
    "database_connections": _database_connections,
    "storage_timeout_seconds": _storage_timeout,
    "base_url": _base_url,
    "cors_origins": _origins,
    "representation_cache_mb": _megabytes,
    "secret_key": _secret,
    "proxies": _proxies,
    "container": _container,
    "log_format": _one_of(LogFormat),
    "access_log": _switch,
    "metrics_token": _token,
    "metrics_folder": Path,
    "catalogue_pages": _one_of(Readers),
    "infobutton": _switch,
    "fhir": _switch,
    "licence": _web_address,
    "operator": _name,
    "contact": _contact,
}
assert set(_READERS) == {field.name for field in fields(Settings)}  # noqa: S101 - at import
