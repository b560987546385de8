"""Reads settings from `EVREF_*` variables and a `.env` file."""

import os
import re
from collections.abc import Mapping
from enum import StrEnum
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Annotated, Any, Self, TypeVar, cast
from urllib.parse import urlsplit

from dotenv import dotenv_values
from dotenv.parser import parse_stream
from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    Field,
    StrictBool,
    StringConstraints,
    ValidationError,
)

from evref.domain.errors import EvrefError
from evref.domain.principal import Readers
from evref.domain.redaction import without_keys

PREFIX = "EVREF_"
DEFAULT_BIND = "127.0.0.1:8000"
ENV_FILE = Path(".env")
INTERFACES = "evref.interfaces"
"""The group of entry points that name the interfaces."""
ALWAYS_ON = frozenset({"rest", "pages", "settings"})
DEFAULT_CANONICAL_ROOT = "https://evref.example/fhir"
"""The canonical root of the bundled catalogue; nobody can register this name (RFC 2606)."""

# A single host by name or address; a wildcard such as https://* would match any host.
_ORIGIN = re.compile(r"https?://([a-z0-9_]([a-z0-9_.-]*[a-z0-9_])?|\[[0-9a-f:.]+\])(:[0-9]+)?")

_PATH_NAME = re.compile("[A-Za-z0-9._~-]+")

_WEB_ADDRESS = r"://[A-Za-z0-9.-]+(:[0-9]+)?(/[!-~]*)?"
_EMAIL_ADDRESS = r"[A-Za-z0-9.!#$&'*+/=^_`{|}~-]+@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+"


class SettingsError(Exception):
    """Indicates invalid settings; the message has a line for each."""


class StorageKind(StrEnum):
    """evref's own storages: a database, or the memory of a single server process."""

    SQL = "sql"
    MEMORY = "memory"


class LogFormat(StrEnum):
    """The format of the log: text for people, or one JSON object per line."""

    TEXT = "text"
    JSON = "json"


def _origin(text: str) -> str:
    # Scheme and host have no case, and a scheme has a port (RFC 3986, section 6.2.3).
    origin = text.lower().removesuffix("/")
    parts = urlsplit(origin)
    (parts.hostname or "").encode("idna")
    if not _ORIGIN.fullmatch(origin) or parts.port == 0:
        raise ValueError
    return origin.removesuffix(":443" if parts.scheme == "https" else ":80")


def _base_address(text: str) -> str:
    scheme, _, rest = text.partition("://")
    host, _, path = rest.partition("/")
    names = path.removesuffix("/").split("/") if path else []
    if any(not _PATH_NAME.fullmatch(name) or name in {".", ".."} for name in names):
        raise ValueError
    return "/".join([_origin(f"{scheme}://{host}"), *names])


def _switch(value: object) -> object:
    return {"on": True, "off": False}.get(value, value) if isinstance(value, str) else value


def _words(value: object) -> object:
    return value.replace(",", " ").split() if isinstance(value, str) else value


def _frame_ancestor(text: str) -> str:
    return text if text == "'self'" else _origin(text)


_Made = TypeVar("_Made")
_Origin = Annotated[str, AfterValidator(_origin)]
_Switch = Annotated[StrictBool, BeforeValidator(_switch), Field(description="on or off")]
_LONG = "at least 32 characters, such as the output of openssl rand -hex 32"


class Settings(BaseModel, frozen=True):
    """The operator's settings, by the names of the variables: see docs/reference/settings.md.

    `interfaces` has the settings of interfaces: `EVREF_FHIR=off` is `{"fhir": "off"}`.
    """

    # The description says what is allowed, for the message about an invalid value.
    storage: str = StorageKind.SQL
    database_url: str = Field(
        "sqlite:///evref.sqlite",
        pattern=r"^(sqlite:///.+|postgresql(\+psycopg)?://.*)$",
        repr=False,
        description="of the form sqlite:///FILE (or sqlite:////ABSOLUTE/FILE), "
        "or postgresql://USER:PASSWORD@HOST/DATABASE",
    )
    quota_url: str | None = Field(
        None,
        pattern="^rediss?://.*$",
        repr=False,
        description="of the form redis://:PASSWORD@HOST:PORT/NUMBER (rediss:// for TLS)",
    )
    database_connections: int = Field(256, ge=1, le=256, description="a number from 1 to 256")
    # A higher timeout would break the promise of a response within three seconds.
    storage_timeout_seconds: float = Field(
        2.5, ge=0.1, le=2.5, description="a number of seconds from 0.1 to 2.5"
    )
    base_url: Annotated[str, AfterValidator(_base_address)] = Field(
        f"http://{DEFAULT_BIND}",
        description="an address such as https://evref.example.org or https://example.org/evref",
    )
    cors_origins: Annotated[tuple[_Origin, ...], BeforeValidator(_words)] = Field(
        (), description="a list of origins such as https://app.example.org"
    )
    frame_ancestors: Annotated[
        tuple[Annotated[str, AfterValidator(_frame_ancestor)], ...], BeforeValidator(_words)
    ] = Field((), description="a list of origins such as https://ehr.example.org, or 'self'")
    representation_cache_mb: int = Field(16, ge=1, le=4096, description="a number from 1 to 4096")
    secret_key: str | None = Field(None, min_length=32, repr=False, description=f"text of {_LONG}")
    proxies: int = Field(0, ge=0, le=10, description="a number from 0 to 10")
    log_format: LogFormat = LogFormat.TEXT
    access_log: _Switch = False
    metrics_token: str | None = Field(
        None,
        pattern="^[!-~]{32,}$",
        repr=False,
        description=f"ASCII without spaces, and {_LONG}",
    )
    metrics_folder: Path | None = Field(None, description="a folder")
    catalogue_pages: Readers = Readers.MEMBERS
    sign_in_header: str | None = Field(
        None,
        pattern="^[A-Za-z][A-Za-z0-9-]{0,63}$",
        description="the name of a header such as X-Forwarded-Email",
    )
    passwords: _Switch = True
    sign_out_url: str | None = Field(
        None,
        pattern=f"^https?{_WEB_ADDRESS}$",
        description="an address such as https://example.org/oauth2/sign_out",
    )
    interfaces: Mapping[str, str] = {}
    canonical_root: str = Field(
        DEFAULT_CANONICAL_ROOT,
        pattern=r"^https?://[A-Za-z0-9.-]+(:[0-9]+)?(/[!-~]*[!-.0-~])?$",
        description="an address such as https://example.org/fhir, without a slash at its end",
    )
    licence: str | None = Field(
        None,
        pattern=f"^https?{_WEB_ADDRESS}$",
        description="an address such as https://example.org/licence",
    )
    operator: Annotated[
        str | None,
        # The length is not in the pattern: repeating its classes 200 times would take 15 MB.
        StringConstraints(strip_whitespace=True, max_length=200, pattern=r"^([^\p{C}\p{Z}]| )+$"),
        Field(description="a name of 1 to 200 printable characters"),
    ] = None
    contact: str | None = Field(
        None,
        pattern=f"^(https{_WEB_ADDRESS}|{_EMAIL_ADDRESS})$",
        description="an address with https: or one e-mail address",
    )

    @classmethod
    def read(cls, env_file: Path = ENV_FILE, defaults: Mapping[str, Any] | None = None) -> Self:
        """Read each setting from the first of these that has it: the environment, the file,
        `defaults`, the default of the field.
        """
        variables, switches = _variables(env_file), _switches()
        interfaces = _of_interfaces(variables)
        faults = [
            f"{PREFIX}{name.upper()} must be on or off, not {text!r}"
            for name, text in interfaces.items()
            if name in switches and text not in {"on", "off"}
        ]
        try:
            settings = cls.model_validate(
                {**(defaults or {}), **variables, "interfaces": interfaces}
            )
        except ValidationError as error:
            invalid = {str(detail["loc"][0]): detail["input"] for detail in error.errors()}
            faults = [*(cls._fault(name, value) for name, value in invalid.items()), *faults]
            raise SettingsError("\n".join(faults)) from None
        if faults:
            raise SettingsError("\n".join(faults))
        if not settings.passwords and settings.sign_in_header is None:
            raise SettingsError("EVREF_PASSWORDS=off needs EVREF_SIGN_IN_HEADER")
        return settings

    def serves(self, interface: str) -> bool:
        return self.interfaces.get(interface) != "off"

    def of_interface(self, name: str) -> dict[str, str]:
        prefix = f"{name}_"
        return {
            key.removeprefix(prefix): text
            for key, text in self.interfaces.items()
            if key.startswith(prefix)
        }

    @classmethod
    def unknown_names(cls, env_file: Path = ENV_FILE) -> list[str]:
        """Return variables with the prefix that are not settings, and probably mistyped."""
        variables = _variables(env_file)
        # The documentation calls a client's key EVREF_KEY.
        known = {*cls.model_fields, *_of_interfaces(variables), "key"} - {"interfaces"}
        return sorted(f"{PREFIX}{name.upper()}" for name in variables.keys() - known)

    @classmethod
    def _fault(cls, name: str, value: object) -> str:
        field = cls.model_fields[name]
        allowed = (
            field.description or f"one of {', '.join(cast('type[StrEnum]', field.annotation))}"
        )
        # A secret is not shown, even if it is invalid.
        shown = f", not {value!r}" if field.repr else ""
        return f"{PREFIX}{name.upper()} must be {without_keys(allowed + shown)}"


def made_by(entry_point: EntryPoint, kind: type[_Made], label: str, *arguments: object) -> _Made:
    """Return the object of another package, or, with arguments, what its callable returns."""
    try:
        named = entry_point.load()
        made = named(*arguments) if arguments else named
    except EvrefError:
        raise
    except Exception as error:
        reason = " ".join(f"{type(error).__name__}: {error}".split())
        raise SettingsError(f"{label} cannot be loaded: {reason}") from error
    if not isinstance(made, kind):
        raise SettingsError(f"{label} is not of the type {kind.__name__}")
    return made


def hand_on(**settings: object) -> None:
    """Set settings for the program that this process becomes."""
    for name, value in settings.items():
        os.environ[f"{PREFIX}{name.upper()}"] = str(value)


def hand_on_metrics_folder(folder: Path) -> None:
    """Pass the folder to prometheus_client, which reads the environment when it is imported."""
    os.environ["PROMETHEUS_MULTIPROC_DIR"] = str(folder)


def _variables(env_file: Path) -> dict[str, str]:
    """Return the variables that have the prefix and a value, by the lower-case rest of the name."""
    return {
        name.removeprefix(PREFIX).lower(): text
        for variables in (_in_file(env_file), os.environ)
        for name, text in variables.items()
        if name.startswith(PREFIX) and text
    }


def _switches() -> set[str]:
    """Return the installed interfaces that can be switched off."""
    return {entry_point.name for entry_point in entry_points(group=INTERFACES)} - ALWAYS_ON


def _of_interfaces(variables: Mapping[str, str]) -> dict[str, str]:
    """Return the settings of the installed interfaces."""
    switches = _switches()
    # The names of these settings are known, so others that begin so are mistyped.
    own = {field.partition("_")[0] for field in Settings.model_fields}
    prefixes = tuple(f"{name}_" for name in switches - own)
    return {
        name: text
        for name, text in variables.items()
        if name in switches or name.startswith(prefixes)
    }


def _in_file(env_file: Path) -> Mapping[str, str | None]:
    try:
        if env_file.is_file():
            _check_lines(env_file)
        return dotenv_values(env_file)
    except OSError as error:
        raise SettingsError(f"{env_file} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise SettingsError(f"{env_file} cannot be read: it is not UTF-8 text") from None


def _check_lines(env_file: Path) -> None:
    """Raise `SettingsError` at the first line that python-dotenv would only log and leave out."""
    with env_file.open(encoding="utf-8") as stream:
        for binding in parse_stream(stream):
            if binding.error:
                text = binding.original.string
                empty_lines = text[: -len(text.lstrip())].count("\n")
                raise SettingsError(
                    f"{env_file}, line {binding.original.line + empty_lines}, must have the form "
                    "NAME=VALUE, NAME='VALUE' or NAME=\"VALUE\""
                )
