"""Where each setting comes from, its allowed values, and the errors for other values."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from evref.bootstrap.settings import LogFormat, Settings, SettingsError, StorageKind

NOWHERE = Path("/nowhere/.env")


def read(**environ: str) -> Settings:
    """Read settings from an environment only; names have no prefix."""
    with pytest.MonkeyPatch.context() as patched:
        for name, text in environ.items():
            patched.setenv(f"EVREF_{name.upper()}", text)
        return Settings.read(NOWHERE)


def test_without_any_setting_the_defaults_apply() -> None:
    """The service then uses SQLite in the working directory, and only this machine can reach it."""
    settings = Settings.read(NOWHERE)

    assert settings == Settings()
    assert settings.storage == StorageKind.SQL
    assert settings.database_url == "sqlite:///evref.sqlite"
    assert settings.base_url == "http://127.0.0.1:8000"
    assert settings.cors_origins == ()


def test_the_environment_overrides_the_file_and_the_file_overrides_the_default(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An operator can override a file for one start."""
    monkeypatch.chdir(tmp_path)
    Path(".env").write_text(
        "# the address for clients\nEVREF_BASE_URL=https://file.example.org\n"
        'EVREF_REPRESENTATION_CACHE_MB="32"\nOTHER=1\n'
    )
    monkeypatch.setenv("EVREF_BASE_URL", "https://environment.example.org")

    settings = Settings.read(defaults={"base_url": "http://x", "storage": StorageKind.MEMORY})

    assert settings.base_url == "https://environment.example.org"
    assert settings.representation_cache_mb == 32
    assert settings.storage == StorageKind.MEMORY
    assert settings.database_url == Settings().database_url


def test_an_empty_value_counts_as_not_set() -> None:
    """A compose file that passes on an unset variable sets it to an empty value."""
    assert read(storage="", database_url="", base_url="") == Settings()


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("storage", "own-keys", "own-keys"),
        ("database_url", "sqlite:////srv/x.sqlite", "sqlite:////srv/x.sqlite"),
        ("database_url", "postgresql://u:p@h/d", "postgresql://u:p@h/d"),
        ("database_url", "postgresql+psycopg://h/d", "postgresql+psycopg://h/d"),
        ("quota_url", "redis://:p@h:6379/1", "redis://:p@h:6379/1"),
        ("quota_url", "rediss://h", "rediss://h"),
        ("database_connections", "1", 1),
        ("database_connections", "256", 256),
        ("storage_timeout_seconds", "0.1", 0.1),
        ("storage_timeout_seconds", "1", 1.0),
        ("storage_timeout_seconds", "2.5", 2.5),
        ("base_url", "https://evref.example.org", "https://evref.example.org"),
        ("base_url", "https://evref.example.org/", "https://evref.example.org"),
        ("base_url", "https://h.example/a.b/c_d~e-f/", "https://h.example/a.b/c_d~e-f"),
        ("base_url", "http://localhost:8000", "http://localhost:8000"),
        ("base_url", "http://my_host-1:65535", "http://my_host-1:65535"),
        ("base_url", "http://[::1]:8000", "http://[::1]:8000"),
        ("base_url", "HTTPS://Evref.example:443/", "https://evref.example"),
        ("base_url", "http://evref.example:80", "http://evref.example"),
        ("cors_origins", "https://a.example", ("https://a.example",)),
        (
            "cors_origins",
            "https://a.example, https://b.example:8443 http://[::1]:3000",
            ("https://a.example", "https://b.example:8443", "http://[::1]:3000"),
        ),
        ("cors_origins", " , ", ()),
        ("frame_ancestors", "'self', HTTPS://a.example/", ("'self'", "https://a.example")),
        ("representation_cache_mb", "1", 1),
        ("representation_cache_mb", "4096", 4096),
        ("secret_key", "x" * 32, "x" * 32),
        ("proxies", "0", 0),
        ("proxies", "10", 10),
        ("log_format", "json", LogFormat.JSON),
        ("access_log", "on", True),
        ("access_log", "off", False),
        ("metrics_token", "~" * 32, "~" * 32),
        ("metrics_folder", "/run/evref/metrics", Path("/run/evref/metrics")),
    ],
)
def test_a_valid_setting_is_read(name: str, text: str, value: object) -> None:
    assert getattr(read(**{name: text}), name) == value


@pytest.mark.parametrize(
    ("name", "texts", "allowed"),
    [
        ("database_url", ["x", "sqlite://", "sqlite:///", "mysql://h/d", "file:x"], "sqlite:///"),
        (
            "base_url",
            [
                "evref.example.org",
                "ftp://evref.example.org",
                *("https://", "https://h?x", "https://h#x", "https://user@h", "https://h\nX: y"),
                *(f"https://h/{path}" for path in ("a//b", "../b", "a b", "./b", "%41")),
                *(f"https://h:{port}" for port in ("0", "65536", "x", "")),
                *(f"https://{host}" for host in ("a b", "é.example", "*", "*.example.org", "a..b")),
                *(f"https://{host}" for host in ("[::1", "-a", "a" * 64)),
            ],
            "https://evref.example.org",
        ),
        ("quota_url", ["x", "redis:x", "http://h", "postgresql://h/d"], "redis://"),
        (
            "cors_origins",
            ["*", "https://*", "null", "a.example", "https://a https://b/c"],
            "https://app.example.org",
        ),
        ("frame_ancestors", ["*", "self", "https://a/b", "a.example"], "https://ehr.example.org"),
        ("representation_cache_mb", ["0", "4097", "-1", "1.5", "x", "²", "9" * 5000], ""),
        ("database_connections", ["0", "257", "-1", "1.5", "x"], "from 1 to 256"),
        (
            "storage_timeout_seconds",
            ["0", "0.09", "2.6", "3", "-1", "nan", "inf", "1_0", "²", "9" * 5000],
            "from 0.1 to 2.5",
        ),
        ("secret_key", ["x", "x" * 31], "32 characters"),
        ("proxies", ["-1", "11", "x", "¹"], "from 0 to 10"),
        ("log_format", ["JSON", "xml"], "text, json"),
        ("access_log", ["1", "yes", "On"], "on or off"),
        ("metrics_token", ["x" * 31], "32 characters"),
        ("metrics_token", ["é" * 32, "x " * 16], "ASCII"),
    ],
)
def test_an_invalid_setting_is_reported_in_one_line(
    name: str, texts: list[str], allowed: str
) -> None:
    """The line has the name of the setting and the allowed values."""
    for text in texts:
        with pytest.raises(SettingsError) as caught:
            read(**{name: text})

        assert str(caught.value).startswith(f"EVREF_{name.upper()} must be ")
        assert allowed in str(caught.value)
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "wrong", "right"),
    [
        ("secret_key", "hush", "hush" * 8),
        ("metrics_token", "hush", "hush" * 8),
        ("database_url", "mysql://u:hush@h/d", "postgresql://u:hush@h/d"),
        ("quota_url", "http://:hush@h", "redis://:hush@h"),
    ],
)
def test_no_message_contains_a_secret(name: str, wrong: str, right: str) -> None:
    """Neither an error about the value nor the representation of the settings shows it."""
    with pytest.raises(SettingsError) as caught:
        read(**{name: wrong})

    assert "hush" not in str(caught.value)
    assert "hush" not in repr(read(**{name: right}))


def test_unknown_variables_are_named(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Names with the prefix are listed in order, from the file and from the environment."""
    file = folder / ".env"
    file.write_text("EVREF_ZZZ=1\nDATABASE_URL=x\n")
    environ = {"EVREF_DATABASE": "x", "EVREF_STORAGE": "sql", "OTHER": "x", "EVREF_EMPTY": ""}
    environ |= {"EVREF_KEY": "a client's key"}
    for name, text in environ.items():
        monkeypatch.setenv(name, text)

    assert Settings.unknown_names(file) == ["EVREF_DATABASE", "EVREF_ZZZ"]


def test_all_faults_are_reported_at_once() -> None:
    """Each fault has a line, in the order of the reference."""
    with pytest.raises(SettingsError) as caught:
        read(fhir="maybe", passwords="perhaps", proxies="many")

    assert str(caught.value).splitlines() == [
        "EVREF_PROXIES must be a number from 0 to 10, not 'many'",
        "EVREF_PASSWORDS must be on or off, not 'perhaps'",
        "EVREF_FHIR must be on or off, not 'maybe'",
    ]


def test_a_binary_file_is_reported_in_one_line(tmp_path: Path) -> None:
    """It is not treated as a file without settings."""
    file = tmp_path / ".env"
    file.write_bytes(b"EVREF_STORAGE=\xff")

    for use in (Settings.read, Settings.unknown_names):
        with pytest.raises(SettingsError, match="is not UTF-8 text"):
            use(file)


def test_an_unreadable_file_is_reported_in_one_line(tmp_path: Path) -> None:
    """It is not treated as a missing file."""
    file = tmp_path / ".env"
    file.touch(mode=0o000)
    # Root, as in a container, can read any file; reading this file of Linux always fails.
    unreadable = Path("/proc/self/mem") if os.geteuid() == 0 else file

    with pytest.raises(SettingsError, match=r"cannot be read: [A-Z]"):
        Settings.read(unreadable)


@pytest.mark.parametrize("line", ["EVREF_OPERATOR='St Mary's Hospital'", "=off", "EVREF_FHIR off"])
def test_a_line_of_the_file_that_cannot_be_read_is_an_error(tmp_path: Path, line: str) -> None:
    """Otherwise the service would run without the setting."""
    file = tmp_path / ".env"
    file.write_text(f"# of the test\nEVREF_PROXIES=1\n\n\n{line}\nEVREF_STORAGE=memory\n")

    with pytest.raises(SettingsError, match="line 5, must have the form NAME=VALUE"):
        Settings.read(file)
