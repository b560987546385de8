"""What one module alone does: read the environment, and know dependency-injector."""

from pathlib import Path

import pytest

from tests.architecture.checker import ROOT, reads_of_environment, sources

FILES = [pytest.param(path, id=str(path.relative_to(ROOT))) for path in sources("evref", "wsgi.py")]
SETTINGS = ROOT / "evref" / "bootstrap" / "settings.py"


@pytest.mark.parametrize("path", FILES)
def test_only_the_settings_read_the_environment(path: Path) -> None:
    assert bool(reads_of_environment(path.read_text())) is (path == SETTINGS)


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
