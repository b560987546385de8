"""Builds the wheel and the sdist of the last commit, and checks that each installs and serves.

`make release` adds the SBOM and the checksums. Both files have the version of the bundled catalogue
in `evref/data/catalogue-version.txt`. The repository has no such file, which could be outdated.
"""

import contextlib
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from tempfile import TemporaryDirectory

from evref.adapters.outbound.files import YamlCatalogueFiles
from evref.domain.catalogue.catalogue import Catalogue
from tests.server.conftest import REPOSITORY, Server
from tests.servers import free_port

SYSTEM = {"PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8"}


def build(source: Path, made: Path) -> tuple[str, list[Path]]:
    """Build wheel and sdist from the last commit; return the catalogue's version and the files."""
    archive = subprocess.run(
        ["git", "archive", "HEAD"], cwd=REPOSITORY, capture_output=True, check=True
    )
    subprocess.run(["tar", "--extract", "--directory", source], input=archive.stdout, check=True)
    data = source / "evref" / "data"
    entries = YamlCatalogueFiles().read([data / "catalogue"]).entries
    version = Catalogue(entries).version
    (data / "catalogue-version.txt").write_text(f"{version}\n")
    # With the time of the commit, the same commit gives the same bytes.
    time = subprocess.check_output(["git", "log", "-1", "--format=%ct"], cwd=REPOSITORY, text=True)
    for kind in ("wheel", "sdist"):
        subprocess.run(
            [
                sys.executable,
                "-c",
                f"from flit_core import buildapi as b; b.build_{kind}('{made}')",
            ],
            cwd=source,
            env={**os.environ, "SOURCE_DATE_EPOCH": time.strip()},
            check=True,
        )
    return version, sorted(made.iterdir())


def check(file: Path, python: Path, folder: Path, version: str, catalogue: str) -> None:
    """Check that the file installs, and serves in an empty folder without settings."""
    pip = [str(python), "-m", "pip", "--quiet", "--disable-pip-version-check"]
    install = ["install", "--force-reinstall", "--no-deps", "--no-build-isolation", str(file)]
    subprocess.run([*pip, *install], cwd=folder, check=True)
    evref = python.with_name("evref")
    printed = subprocess.check_output([evref, "--version"], cwd=folder, env=SYSTEM, text=True)
    assert printed == f"evref, version {version}\n", printed
    port = free_port()
    server = Server([str(evref), "demo", "--bind", f"127.0.0.1:{port}"], folder, port, SYSTEM)
    with contextlib.ExitStack() as stack:
        stack.callback(server.kill)
        server.wait_until_ready()
        assert catalogue in server.get("/health/ready").body.decode()
        key = re.search(r"evref_\w+", server.log)
        assert key, server.log
        answer = server.get("/api/v1/diagnoses?icd10=M17.11&include=interventions", key[0])
        assert answer.status == 200, answer
        assert b"knee-osteoarthritis" in answer.body
        assert server.get("/catalogue").status == 200


def main(target: Path) -> None:
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    with TemporaryDirectory() as temporary:
        work = Path(temporary)
        for name in ("source", "made", "empty"):
            (work / name).mkdir()
        catalogue, files = build(work / "source", work / "made")
        # The new environment has the locked packages only, and nothing of this environment.
        subprocess.run([sys.executable, "-m", "venv", work / "venv"], check=True)
        python = work / "venv" / "bin" / "python"
        locked = ["--no-deps", "--only-binary", ":all:", "--require-hashes", "--requirement"]
        requirements = work / "source" / "requirements" / "run.txt"
        subprocess.run(
            [python, "-m", "pip", "--quiet", "install", *locked, requirements], check=True
        )
        subprocess.run([python, "-m", "pip", "--quiet", "check"], check=True)
        for file in files:
            folder = work / "empty" / file.name
            folder.mkdir()
            check(file, python, folder, project["version"], catalogue)
        target.mkdir(exist_ok=True)
        for file in files:
            shutil.copy(file, target)
            print(f"{target.name}/{file.name} installs and serves catalogue {catalogue}")  # noqa: T201


if __name__ == "__main__":
    main(REPOSITORY / "dist")
