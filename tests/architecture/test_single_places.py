"""What one module alone does: read the environment, and know dependency-injector."""

from pathlib import Path

import pytest

from tests.architecture.checker import ROOT, imports_inside, reads_of_environment, sources

FILES = [pytest.param(path, id=str(path.relative_to(ROOT))) for path in sources("evref", "wsgi.py")]
SETTINGS = ROOT / "evref" / "bootstrap" / "settings.py"
CONTAINER = ROOT / "evref" / "bootstrap" / "container.py"


@pytest.mark.parametrize("path", FILES)
def test_only_the_settings_read_the_environment(path: Path) -> None:
    assert bool(reads_of_environment(path.read_text())) is (path == SETTINGS)


@pytest.mark.parametrize("path", FILES)
def test_only_the_container_imports_dependency_injector(path: Path) -> None:
    found = imports_inside(path.read_text(), {"dependency_injector"})

    assert bool(found) is (path == CONTAINER)


@pytest.mark.parametrize(
    "source",
    [
        "import os\nos.environ['EVREF_BASE_URL']",
        "import os\nos.getenv('EVREF_BASE_URL')",
        "import os as system\nsystem.environ.get('A')",
        "from os import environ",
        "from os import getenv as read",
        "from os import *",
        "import environs",
        "from dotenv import load_dotenv",
        "click.option('--bind', envvar='EVREF_BIND')",
        "app.config.from_prefixed_env()",
    ],
)
def test_a_read_of_the_environment_is_found(source: str) -> None:
    assert len(reads_of_environment(source)) == 1


@pytest.mark.parametrize(
    "source",
    [
        "import os\nos.cpu_count()",
        "from os import PathLike",
        "request.environ['QUERY_STRING']",
        "def read(environ): return environ",
    ],
)
def test_what_only_sounds_like_the_environment_passes(source: str) -> None:
    assert reads_of_environment(source) == []


@pytest.mark.parametrize(
    "source",
    ["import dependency_injector", "from dependency_injector.wiring import inject, Provide as P"],
)
def test_an_import_of_dependency_injector_is_found(source: str) -> None:
    assert imports_inside(source, {"dependency_injector"}) != []
