"""What errors hold, and that their text is fit to be shown."""

import pytest

from evref.domain.access.quota import QuotaExceededError, QuotaStatus
from evref.domain.errors import (
    AlreadyExistsError,
    EvrefError,
    Fault,
    InvalidApiKeyError,
    InvalidValueError,
    KeyRevokedError,
    NoCatalogueError,
    NotFoundError,
    StorageUnavailableError,
    UnknownDiagnosisError,
)
from evref.ports.catalogue.files import FileFault, InvalidCatalogueError


def test_the_reason_why_storage_is_out_of_reach_is_not_for_clients() -> None:
    error = StorageUnavailableError("/var/lib/evref.sqlite is locked by pid 7")

    assert "evref.sqlite" not in str(error)
    assert "evref.sqlite" in error.reason


def test_an_invalid_key_never_says_why() -> None:
    assert str(InvalidApiKeyError()) == "The key is mistyped, unknown, revoked or expired."


def test_an_unknown_diagnosis_is_not_repeated_in_the_text() -> None:
    error = UnknownDiagnosisError("<script>")

    assert "<script>" not in str(error)
    assert error.diagnosis_id == "<script>"


def test_an_invalid_value_tells_every_fault_and_is_a_value_error() -> None:
    error = InvalidValueError([Fault("name", "must be short"), Fault("limit", "must be low")])

    assert str(error) == "name: must be short; limit: must be low"
    assert isinstance(error, ValueError)


def test_a_quota_error_holds_where_the_key_stands() -> None:
    status = QuotaStatus("k1", limit=1000, remaining=0, resets_at=86_400, seconds_left=60)
    error = QuotaExceededError(status)

    assert error.status is status
    assert "1000" in str(error)


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (NotFoundError("API key", "k1"), "There is no API key 'k1'."),
        (AlreadyExistsError("member", "a@b.org"), "The member 'a@b.org' already exists."),
        (KeyRevokedError("k1"), "API key 'k1' is revoked. A revoked key cannot be changed."),
        (NoCatalogueError(), "No catalogue has been published."),
        (InvalidCatalogueError([FileFault("a.yaml", 3, "x")]), "1 error in the catalogue files."),
        (InvalidCatalogueError([]), "0 errors in the catalogue files."),
    ],
)
def test_each_text_is_one_plain_line(error: EvrefError, text: str) -> None:
    assert str(error) == text


def test_a_line_break_in_a_name_does_not_break_the_text() -> None:
    assert "\n" not in str(NotFoundError("institution", "General\nHospital"))


@pytest.mark.parametrize(
    ("line", "text"), [(3, "a.yaml:3: must be short"), (None, "a.yaml: must be short")]
)
def test_a_fault_in_a_file_names_the_place_as_editors_do(line: int | None, text: str) -> None:
    assert str(FileFault("a.yaml", line, "must be short")) == text
