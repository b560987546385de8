"""Everything that the files and commands for operators name exists."""

from __future__ import annotations

import re
import shlex
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest
import yaml

from evref.bootstrap.server import GRACEFUL_SECONDS
from evref.bootstrap.settings import PREFIX, Settings
from evref.cli.main import cli
from tests.deploy.shell import DEPLOY, HOW_TOS, KUBERNETES, ROOT, commands, files, needs
from tests.servers import PostgresqlServer, redis_server

UNITS = sorted([*DEPLOY.glob("systemd/evref*.s*"), *DEPLOY.glob("backup/*.*")])
SETTINGS = {f"{PREFIX}{name.upper()}" for name in Settings.model_fields}
# A client's variable for its key.
NO_SETTING = {"EVREF_KEY"}

# The commands that run evref.
_EVREF = re.compile(r"(?:^|docker compose run --rm | -- |/bin/)evref (?P<arguments>[a-z].*)$")


def compose(*names: str) -> dict[str, Any]:
    """Return the services of several files, by name; later files override earlier ones."""
    services: dict[str, Any] = {}
    for name in names:
        for service, values in yaml.safe_load((DEPLOY / name).read_text())["services"].items():
            services[service] = services.get(service, {}) | values
    return services


SERVICES = compose("compose.yaml", "compose.redis.yaml")


def containerfile(instruction: str) -> list[str]:
    """Return the arguments of each use of an instruction, with continued lines joined."""
    text = (DEPLOY / "Containerfile").read_text().replace("\\\n", " ")
    return re.findall(rf"(?m)^{instruction} (.*)$", text)


def evref_commands() -> Iterator[tuple[str, list[str]]]:
    """Yield the place and the arguments of each evref command."""
    for page, line in commands():
        if found := _EVREF.search(line):
            yield page, shlex.split(found["arguments"], comments=True)
    for unit in UNITS:
        for line in re.findall(r"(?m)^ExecStart=\S+/evref (.*)$", unit.read_text()):
            yield unit.name, line.split()
    for name, service in SERVICES.items():
        if service.get("image") == "evref:latest":
            yield f"compose: {name}", service["command"]
    for name in ("deployment.yaml", "migration.yaml"):
        pod = yaml.safe_load((KUBERNETES / name).read_text())["spec"]["template"]["spec"]
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
        exposed = subprocess.run(
            [
                *(analyze, "security", "--offline=true", "--no-pager"),
                *(f"--threshold={threshold}", service),
            ],
            capture_output=True,
            text=True,
            check=False,
        )
        assert exposed.returncode == 0, exposed.stdout[-200:]


def test_a_stop_waits_as_long_as_active_requests_may_take() -> None:
    unit = (DEPLOY / "systemd" / "evref.service").read_text()
    (seconds,) = re.findall(r"(?m)^TimeoutStopSec=(\d+)$", unit)

    assert int(seconds) > GRACEFUL_SECONDS
    assert int(SERVICES["evref"]["stop_grace_period"].removesuffix("s")) > GRACEFUL_SECONDS


def test_the_compose_services_match_each_other_and_the_image() -> None:
    (port,) = containerfile("EXPOSE")

    assert SERVICES["evref"]["ports"] == [f"127.0.0.1:{port}:{port}"]
    assert f"0.0.0.0:{port}" in SERVICES["evref"]["command"]
    assert f"0.0.0.0:{port}" in containerfile("CMD")[0]
    assert all(f":{port}/health/" in line for line in containerfile(r"   CMD"))
    for service in SERVICES.values():
        assert service["read_only"] is True
        assert set(service.get("depends_on", {})) <= set(SERVICES)
    assert "healthcheck" in SERVICES["postgresql"]
    assert "healthcheck" in SERVICES["redis"]


def test_the_settings_of_the_env_file_take_effect() -> None:
    """All but the addresses of the databases, which the compose file sets."""
    written = {"EVREF_CONTACT": "https://example.org/help", "EVREF_PROXIES": "2"}

    assert SERVICES["evref"]["env_file"] == SERVICES["prepare"]["env_file"] == [".env"]
    for name in ("compose.yaml", "compose.redis.yaml"):
        services = compose(name)
        fixed = services["evref"].get("environment", {}).items()
        effective = {
            variable: re.sub(
                r"\$\{(\w+):[-?]([^}]*)\}",
                lambda found: written.get(found[1], found[2]),
                str(value),
            )
            for variable, value in fixed
        }
        assert {**written, **effective}.items() >= written.items()
        assert {variable for variable, value in fixed if f"${{{variable}" not in str(value)} <= {
            "EVREF_DATABASE_URL",
            "EVREF_QUOTA_URL",
        }


def test_the_images_have_the_versions_of_the_tests(postgresql: PostgresqlServer) -> None:
    page = (ROOT / "docs" / "explanation" / "compatibility.md").read_text()
    ((version,),) = postgresql.execute("SHOW server_version")
    major = str(version).partition(".")[0]

    assert SERVICES["postgresql"]["image"] == f"docker.io/library/postgres:{major}"
    assert f"| {major}, which `deploy/compose.yaml` uses" in page
    with redis_server() as server, server.client() as client:
        told = client.info("server")
    tag = SERVICES["redis"]["image"].partition(":")[2]
    # On Python 3.13, the server of the tests is Valkey.
    assert "valkey_version" in told or told["redis_version"].startswith(f"{tag}.")
    assert f"| {tag}, which `deploy/compose.redis.yaml` uses" in page


def test_no_file_contains_a_password() -> None:
    """If a required one is missing, compose reports it instead of starting without."""
    for name, service in SERVICES.items():
        for variable, value in service.get("environment", {}).items():
            if re.search("PASSWORD|AUTH|URL", variable) and variable != "EVREF_BASE_URL":
                assert re.search(r"\$\{[A-Z]+_PASSWORD:\?", value), (name, variable)


def test_redis_keeps_its_counts_as_the_how_to_says() -> None:
    how_to = (ROOT / "docs" / "how-to" / "run-on-many-machines.md").read_text()
    wanted = re.findall(r"(?m)^(?:append|maxmemory).*$", how_to)

    command = SERVICES["redis"]["command"][-1]

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
