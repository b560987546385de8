"""Clients generated from the document are compiled or type-checked, and call the service.

Each program finds diagnoses and interventions with filters, and gets 304, 401, 404, 422 and 429;
the assertions are in the programs, in the terms of each client.
"""

import json
import os
import re
import shutil
from pathlib import Path

from tests.clients.conftest import HERE, NODE_TOOLS, TOOLS, Run
from tests.server.conftest import REPOSITORY

PROGRAMS = HERE / "programs"
STRICTLY = ("--strict", "--skipLibCheck", "false", "--noEmitOnError")


def generate(run: Run, document: Path, generator: str, to: Path, **options: str) -> None:
    """Have openapi-generator make a client, with no more options than its user would need."""
    chosen = ",".join(f"{name}={value}" for name, value in options.items())
    said = run(
        *("openapi-generator-cli", "generate", "--generator-name", generator),
        *("--input-spec", document, "--output", to),
        *(("--additional-properties", chosen) if chosen else ()),
    )
    assert "ERROR" not in said, said


def compile_typescript(run: Run, program: Path) -> None:
    """Compile a program and all that it imports, strictly, into the folder `built`."""
    folder = program.parent
    # What node_modules has is found from the program's folder on upwards.
    (folder / "node_modules").symlink_to(NODE_TOOLS.parent, target_is_directory=True)
    (folder / "package.json").write_text('{"type": "module"}')
    run(
        *("tsc", "--target", "es2022", "--module", "nodenext", "--lib", "es2022,dom,dom.iterable"),
        *("--types", "node", "--outDir", folder / "built", *STRICTLY, program),
    )


def test_openapi_generator_for_python(run: Run, document: Path, tmp_path: Path) -> None:
    generate(run, document, "python", tmp_path / "made")
    shutil.move(tmp_path / "made" / "openapi_client", tmp_path)

    run("python", "-W", "error", "-m", "compileall", "-q", tmp_path / "openapi_client")
    run("python", PROGRAMS / "openapi_generator.py")


def test_openapi_generator_for_typescript(run: Run, document: Path, tmp_path: Path) -> None:
    generate(run, document, "typescript-fetch", tmp_path / "client", importFileExtension=".js")
    program = Path(shutil.copy(PROGRAMS / "typescript-fetch.ts", tmp_path))

    compile_typescript(run, program)
    run("node", tmp_path / "built" / "typescript-fetch.js")


def test_openapi_generator_for_java(run: Run, document: Path, tmp_path: Path) -> None:
    """It uses Java's own HTTP client, and the generator's version of Jackson."""
    generate(
        run,
        document,
        "java",
        tmp_path / "made",
        library="native",
        useJakartaEe="true",
        openApiNullable="false",
    )
    (jar,) = TOOLS.parent.glob("lib/python*/site-packages/openapi_generator_cli/*.jar")
    annotations = Path("/usr/share/java/jakarta-annotation-api.jar")
    assert annotations.exists(), "Debian's libjakarta-annotation-api-java is not on this machine"
    classes = tmp_path / "classes"
    classes.mkdir()
    path = os.pathsep.join(map(str, (jar, annotations, classes)))
    sources = [*(tmp_path / "made" / "src" / "main").rglob("*.java"), PROGRAMS / "Program.java"]

    run(
        "javac",
        "-Xlint:all,-processing,-deprecation",
        "-Werror",
        "-cp",
        path,
        "-d",
        classes,
        *sources,
    )
    run("java", "-cp", path, "Program")


def test_openapi_python_client(run: Run, document: Path, tmp_path: Path) -> None:
    """Program and client are type-checked as strictly as this project is."""
    said = run("openapi-python-client", "generate", "--path", document, "--output-path", "made")
    assert "Warning" not in said, said
    (package,) = (tmp_path / "made").glob("*_client")
    shutil.move(package, tmp_path)
    program = PROGRAMS / "openapi_python_client.py"

    run("mypy", "--strict", "--no-incremental", "--config-file", os.devnull, program)
    run("python", program)


def test_openapi_typescript_with_openapi_fetch(run: Run, document: Path, tmp_path: Path) -> None:
    run("openapi-typescript", document, "--output", tmp_path / "client.d.ts")
    program = Path(shutil.copy(PROGRAMS / "openapi-fetch.ts", tmp_path))

    compile_typescript(run, program)
    run("node", tmp_path / "built" / "openapi-fetch.js")


def _options_of_the_page(program: str) -> str:
    """Return the options with which the how-to runs the program."""
    page = (REPOSITORY / "docs" / "how-to" / "generate-a-client.md").read_text(encoding="utf-8")
    (options,) = re.findall(rf"`{program} .* -O ([^`]+)`", page)
    return str(options)


def test_postman(run: Run, document: Path, tmp_path: Path) -> None:
    """The collection is sent by newman, Postman's command line."""
    collection = tmp_path / "collection.json"
    options = _options_of_the_page("openapi2postmanv2")
    run("openapi2postmanv2", "--spec", document, "--output", collection, "-O", options)
    assert json.loads(collection.read_text())["info"]["name"] == "Evidence Reference Service"

    run("node", PROGRAMS / "postman.mjs", collection)
