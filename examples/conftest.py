"""The entry points of the examples, which are not installed for these tests."""

import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.entry_points import offer


@pytest.fixture(scope="session", autouse=True)
def _installed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    folder = tmp_path_factory.mktemp("installed")
    for file in Path(__file__).parent.glob("*/pyproject.toml"):
        project = tomllib.loads(file.read_text())["project"]
        offer(folder, project["name"], project["entry-points"])
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(folder)
        yield
