"""The files and the metadata of the wheel."""

from collections.abc import Iterator
from email import message_from_bytes
from pathlib import Path
from zipfile import ZipFile

import pytest
from flit_core.wheel import make_wheel_in

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ZipFile]:
    made = make_wheel_in(ROOT / "pyproject.toml", tmp_path_factory.mktemp("wheel"))
    with ZipFile(made.file) as wheel:
        yield wheel


def test_the_wheel_has_every_file_of_the_package(wheel: ZipFile) -> None:
    """The files are code, catalogue, templates, migrations, and the tests that adapters inherit."""
    files = {
        str(path.relative_to(ROOT))
        for path in (ROOT / "evref").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }

    assert files == {name for name in wheel.namelist() if ".dist-info/" not in name}
    assert "evref/testing/access/usage.py" in files
    assert "evref/data/catalogue/knee-osteoarthritis.yaml" in files


def test_the_wheel_names_its_extras(wheel: ZipFile) -> None:
    (metadata,) = (name for name in wheel.namelist() if name.endswith(".dist-info/METADATA"))

    extras = message_from_bytes(wheel.read(metadata)).get_all("Provides-Extra")

    assert extras is not None
    assert {"postgresql", "redis", "testing"} <= set(extras)
