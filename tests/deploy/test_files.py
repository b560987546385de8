"""Everything that the files and commands for operators name exists."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import click
import pytest
import yaml

from evref.bootstrap.server import graceful_timeout
from evref.bootstrap.settings import PREFIX, Settings
from evref.cli.main import cli
from tests.deploy.shell import DEPLOY, HOW_TOS, ROOT, commands, files, needs, output, run
from tests.servers import PostgresqlServer, redis_server

UNITS = sorted([*DEPLOY.glob("systemd/evref*.s*"), *DEPLOY.glob("backup/*.*")])
SETTINGS = {f"{PREFIX}{name.upper()}" for name in Settings.model_fields}
COMPOSE_FILES = ("compose.yaml", "compose.redis.yaml")
BINARIES = Path(sys.executable).parent
# A client's variable for its key.
NO_SETTING = {"EVREF_KEY"}

# The commands that run evref.
_EVREF = re.compile(r"(?:^|docker compose run --rm | -- |/bin/)evref (?P<arguments>[a-z].*)$")


# The variables without which compose does not start.
REQUIRED = {
    "EVREF_BASE_URL": "https://evref.example.org",
    "POSTGRES_PASSWORD": "the-password-of-postgresql",
    "REDIS_PASSWORD": "the-password-of-redis",
}


def compose(variables: Mapping[str, str], *names: str) -> subprocess.CompletedProcess[str]:
    """Run `docker-compose config` on these files, with these variables in `.env`."""
    with TemporaryDirectory() as folder:
        for name in names:
            shutil.copy(DEPLOY / name, folder)
        lines = (f"{name}={value}\n" for name, value in variables.items())
        Path(folder, ".env").write_text("".join(lines))
        files = (f"--file={name}" for name in names)
        return subprocess.run(
            [BINARIES / "docker-compose", *files, "config", "--format=json"],
            cwd=folder,
            env={"HOME": folder, "PATH": os.environ["PATH"]},
            capture_output=True,
            text=True,
            check=False,
        )


@cache
def services() -> dict[str, Any]:
    """Return the services of both files, by name."""
    done = compose(REQUIRED, *COMPOSE_FILES)
    assert done.returncode == 0, done.stderr
    described: dict[str, Any] = json.loads(done.stdout)["services"]
    return described


def containerfile(instruction: str) -> list[str]:
    """Return the arguments of each use of an instruction, with continued lines joined."""
    text = (DEPLOY / "Containerfile").read_text().replace("\\\n", " ")
    return re.findall(rf"(?m)^{instruction} (.*)$", text)


def evref_commands() -> Iterator[tuple[str, list[str]]]:
    """Yield the place and the arguments of each evref command."""
    for page, line in commands():
        if match := _EVREF.search(line):
            yield page, shlex.split(match["arguments"], comments=True)
    for unit in UNITS:
        for line in re.findall(r"(?m)^ExecStart=\S+/evref (.*)$", unit.read_text()):
            yield unit.name, line.split()
    for name, service in services().items():
        if service.get("image") == "evref:latest":
            yield f"compose: {name}", service["command"]
    for name in ("deployment.yaml", "migration.yaml"):
        pod = yaml.safe_load((DEPLOY / "kubernetes" / name).read_text())["spec"]["template"]["spec"]
        yield name, pod["containers"][0]["args"]
    for line in containerfile("CMD"):
        yield "Containerfile", yaml.safe_load(line)


@pytest.mark.parametrize("path", files(), ids=lambda path: path.name)
def test_every_named_setting_exists(path: Path) -> None:
    named = set(re.findall(rf"\b{PREFIX}[A-Z_]+", path.read_text()))

    assert named <= SETTINGS | NO_SETTING


def test_every_named_command_and_option_of_evref_exists() -> None:
    named = list(evref_commands())

    for where, arguments in named:
        command: click.Command = cli
        while isinstance(command, click.Group):
            assert arguments, where
            assert arguments[0] in command.commands, (where, arguments)
            command = command.commands[arguments.pop(0)]
        options = {option for parameter in command.params for option in parameter.opts}
        assert {word for word in arguments if word.startswith("--")} <= options, (where, arguments)
    assert len(named) > 10


@pytest.mark.parametrize("page", HOW_TOS, ids=lambda path: path.name)
def test_every_file_that_a_how_to_names_exists(page: Path) -> None:
    named = set(re.findall(r"\b(?:deploy|requirements)/[A-Za-z0-9/._-]+[a-z]", page.read_text()))

    assert [name for name in named - {"deploy/.env"} if not (ROOT / name).exists()] == []


def test_systemd_accepts_the_units(tmp_path: Path) -> None:
    """Every directive is valid, and the services have a low exposure."""
    analyze = needs("systemd-analyze")
    units = []
    for unit in UNITS:
        # systemd checks that the program exists.
        text = re.sub(r"(?m)^(ExecStart=)\S+", r"\1/bin/true", unit.read_text())
        units.append(tmp_path / unit.name)
        units[-1].write_text(text)

    verified = subprocess.run(
        [analyze, "verify", *units], capture_output=True, text=True, check=False
    )

    assert [unit.name for unit in units] == [
        *("evref-backup.service", "evref-backup.timer"),
        *("evref-granian.service", "evref.service", "evref.socket"),
    ]
    assert [line for line in verified.stderr.splitlines() if str(tmp_path) in line] == []
    # The backup needs to become another user.
    for service, threshold in (units[0], 50), (units[2], 20), (units[3], 20):
        output(
            *(analyze, "security", "--offline=true", "--no-pager"),
            *(f"--threshold={threshold}", service),
        )


def test_a_stop_waits_as_long_as_active_requests_may_take() -> None:
    unit = (DEPLOY / "systemd" / "evref.service").read_text()
    (seconds,) = re.findall(r"(?m)^TimeoutStopSec=(\d+)$", unit)

    assert int(seconds) > graceful_timeout
    assert int(services()["evref"]["stop_grace_period"].removesuffix("s")) > graceful_timeout


def test_hadolint_accepts_the_containerfile() -> None:
    """One rule is off: it wants Debian's packages pinned, but Debian removes old versions."""
    output(BINARIES / "hadolint", "--ignore", "DL3008", DEPLOY / "Containerfile")


def test_the_compose_services_match_each_other_and_the_image() -> None:
    """Compose itself checks that a service on which another depends exists."""
    (port,) = containerfile("EXPOSE")
    described = services()
    (published,) = described["evref"]["ports"]

    assert [published[name] for name in ("host_ip", "published", "target")] == [
        *("127.0.0.1", port, int(port))
    ]
    assert f"0.0.0.0:{port}" in described["evref"]["command"]
    assert f"0.0.0.0:{port}" in containerfile("CMD")[0]
    assert all(f":{port}/health/" in line for line in containerfile(r"   CMD"))
    assert all(service["read_only"] is True for service in described.values())
    assert "healthcheck" in described["postgresql"]
    assert "healthcheck" in described["redis"]


@pytest.mark.parametrize("name", COMPOSE_FILES)
def test_the_settings_of_the_env_file_take_effect(name: str) -> None:
    """The compose files set the addresses of the databases themselves."""
    written = dict.fromkeys(SETTINGS, "from-the-file")

    done = compose({**REQUIRED, **written}, *dict.fromkeys(("compose.yaml", name)))

    assert done.returncode == 0, done.stderr
    for service in ("evref", "prepare"):
        effective = json.loads(done.stdout)["services"][service]["environment"]
        assert effective.keys() >= SETTINGS
        assert {setting for setting in SETTINGS if effective[setting] != written[setting]} == (
            {"EVREF_DATABASE_URL"}
            if name == "compose.yaml"
            else {"EVREF_DATABASE_URL", "EVREF_QUOTA_URL"}
        )


def test_the_images_have_the_versions_of_the_tests(postgresql: PostgresqlServer) -> None:
    page = (ROOT / "docs" / "explanation" / "compatibility.md").read_text()
    ((version,),) = postgresql.execute("SHOW server_version")
    major = str(version).partition(".")[0]

    assert services()["postgresql"]["image"] == f"docker.io/library/postgres:{major}"
    assert f"| {major}, which `deploy/compose.yaml` uses" in page
    with redis_server() as server, server.client() as client:
        told = client.info("server")
    tag = services()["redis"]["image"].partition(":")[2]
    # On Python 3.13, the server of the tests is Valkey.
    assert "valkey_version" in told or told["redis_version"].startswith(f"{tag}.")
    assert f"| {tag}, which `deploy/compose.redis.yaml` uses" in page


@pytest.mark.parametrize("missing", REQUIRED)
def test_compose_does_not_start_without_a_password(missing: str) -> None:
    variables = {name: value for name, value in REQUIRED.items() if name != missing}

    done = compose(variables, *COMPOSE_FILES)

    assert done.returncode != 0
    assert f"required variable {missing} is missing a value: in .env" in done.stderr
    for service in services().values():
        for name, value in service.get("environment", {}).items():
            if re.search("PASSWORD|AUTH|URL", name):
                assert any(given in value for given in REQUIRED.values()), name


def test_redis_keeps_its_counts_as_the_how_to_says() -> None:
    how_to = (ROOT / "docs" / "how-to" / "run-on-many-machines.md").read_text()
    wanted = re.findall(r"(?m)^(?:append|maxmemory).*$", how_to)

    command = services()["redis"]["command"][-1]

    assert len(wanted) == 3
    assert [line for line in wanted if f"--{line}" not in command] == []


def test_the_image_is_built_from_existing_files_and_runs_as_an_unprivileged_user() -> None:
    sources = [
        name
        for line in containerfile("COPY")
        if not line.startswith("--from")
        for name in line.split()[:-1]
    ]

    assert [name for name in sources if not (ROOT / name).exists()] == []
    assert "requirements/run.txt" in sources
    assert any("--require-hashes" in line for line in containerfile("RUN"))
    (user,) = containerfile("USER")
    assert int(user.partition(":")[0]) > 1000


def test_the_installed_command_has_the_service_s_settings(tmp_path: Path) -> None:
    """The test replaces only the address of the database in the example."""
    example = DEPLOY / "systemd" / "env.example"
    assert Settings.read(example).base_url == "https://evref.example.org"
    text, times = re.subn(
        "(?m)^EVREF_DATABASE_URL=.*$",
        f"EVREF_DATABASE_URL=sqlite:///{tmp_path}/here",
        example.read_text(),
    )
    (tmp_path / ".env").write_text(text)

    said = run(
        (DEPLOY / "systemd" / "evref").read_text().replace('"$@"', "init"),
        ROOT,
        {
            "/etc/evref": str(tmp_path),
            "runuser --user evref -- /opt/evref/current/bin/": f"{BINARIES}/",
        },
    )

    assert times == 1
    assert said == "The storage is ready.\n"
    assert (tmp_path / "here").exists()
