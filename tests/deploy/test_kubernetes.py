"""The manifests for Kubernetes, as kubectl builds them, are valid and fit the service."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from base64 import b64decode
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import kubernetes_validate
import pytest
import yaml

from evref.bootstrap.server import graceful_timeout
from evref.bootstrap.settings import PREFIX, Settings
from tests.deploy.shell import HOW_TOS, KUBERNETES, blocks, needs, output, run
from tests.deploy.test_files import containerfile
from tests.server.conftest import Server
from tests.servers import PATIENCE, PostgresqlServer, free_port

(PAGE,) = (page for page in HOW_TOS if page.stem == "run-on-kubernetes")
VERSIONS = [f"1.{minor}" for minor in range(25, 38)]


@pytest.fixture(scope="module")
def objects() -> dict[str, Any]:
    """Return what is applied to a cluster, by kind."""
    documents = list(yaml.safe_load_all(output(needs("kubectl"), "kustomize", KUBERNETES)))
    by_kind = {document["kind"]: document for document in documents}
    assert len(by_kind) == len(documents)
    return by_kind


def pods(objects: dict[str, Any]) -> dict[str, Any]:
    """Return the specification of the pods of the Deployment and of the Job."""
    return {kind: objects[kind]["spec"]["template"]["spec"] for kind in ("Deployment", "Job")}


def secret() -> dict[str, str]:
    """Return the Secret that the how-to creates."""
    (block,) = (text for text in blocks(PAGE.read_text()) if "secret generic" in text)
    (command,) = re.findall(r"(?ms)^kubectl[^\n]* create secret generic .*?^END$", block)
    program = f"{needs('kubectl')} --dry-run=client --output=json"
    made = json.loads(run(command, Path("/"), {"kubectl": program}))
    assert made["metadata"].items() >= {"name": "evref", "namespace": "evref"}.items()
    return {name: b64decode(text).decode() for name, text in made["data"].items()}


def environment(pod: dict[str, Any], objects: dict[str, Any]) -> dict[str, str]:
    """Return the settings that a pod gets."""
    config, given = objects["ConfigMap"], secret()
    (container,) = pod["containers"]
    assert container["envFrom"] == [
        {"configMapRef": {"name": config["metadata"]["name"]}},
        {"secretRef": {"name": "evref"}},
    ]
    assert not config["data"].keys() & given.keys()
    return {**config["data"], **given}


def test_the_how_to_and_the_kustomization_name_every_file() -> None:
    page, files = PAGE.read_text(), {path.name for path in KUBERNETES.iterdir()}
    words = " ".join(page.split())
    kustomization = yaml.safe_load((KUBERNETES / "kustomization.yaml").read_text())

    assert f"Kubernetes {VERSIONS[0]} or newer" in words
    assert f"{VERSIONS[0]} to {VERSIONS[-1]}" in words
    assert set(re.findall(r"(?m)^\| `(\S+)` \| \S", page)) == files
    assert {*kustomization["resources"], "kustomization.yaml"} == files


@pytest.mark.parametrize("version", VERSIONS)
def test_kubernetes_accepts_every_object(version: str, objects: dict[str, Any]) -> None:
    """Unknown fields are errors."""
    for document in objects.values():
        assert kubernetes_validate.validate(document, version, strict=True) == version
    wrong = {**objects["Service"], "spec": {"ports": [{"prot": 80}]}}
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(wrong, version, strict=True)


def test_the_objects_refer_to_each_other(objects: dict[str, Any]) -> None:
    deployment = objects["Deployment"]["spec"]
    labels = deployment["template"]["metadata"]["labels"]
    (rule,) = objects["Ingress"]["spec"]["rules"]
    (path,) = rule["http"]["paths"]
    (port,) = objects["Service"]["spec"]["ports"]

    assert deployment["selector"]["matchLabels"] == labels
    assert objects["Service"]["spec"]["selector"] == labels
    assert objects["PodDisruptionBudget"]["spec"]["selector"]["matchLabels"] == labels
    assert objects["NetworkPolicy"]["spec"]["podSelector"]["matchLabels"] == labels
    for spread in deployment["template"]["spec"]["topologySpreadConstraints"]:
        assert spread["labelSelector"]["matchLabels"] == labels
    # Otherwise the Service would send requests to the Job.
    assert "labels" not in objects["Job"]["spec"]["template"].get("metadata", {})
    assert path["backend"]["service"] == {
        "name": objects["Service"]["metadata"]["name"],
        "port": {"name": port["name"]},
    }
    assert {document["metadata"]["namespace"] for document in objects.values()} == {"evref"}
    assert objects["Ingress"]["spec"]["tls"][0]["hosts"] == [rule["host"]]
    assert urlsplit(objects["ConfigMap"]["data"]["EVREF_BASE_URL"]).netloc == rule["host"]


def test_the_pods_fit_the_image(objects: dict[str, Any]) -> None:
    (port,) = containerfile("EXPOSE")
    (user,) = containerfile("USER")
    (container,) = pods(objects)["Deployment"]["containers"]

    assert f"0.0.0.0:{port}" in container["args"]
    assert container["ports"] == [{"name": "http", "containerPort": int(port)}]
    assert objects["Service"]["spec"]["ports"][0]["targetPort"] == "http"
    for pod in pods(objects).values():
        context = pod["securityContext"]
        assert f"{context['runAsUser']}:{context['runAsGroup']}" == user
    assert len({pod["containers"][0]["image"] for pod in pods(objects).values()}) == 1


def test_the_settings_are_those_of_the_service(
    objects: dict[str, Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Passwords and tokens are in the Secret only."""
    secrets = {f"{PREFIX}{name.upper()}" for name, f in Settings.model_fields.items() if not f.repr}
    for pod in pods(objects).values():
        given = environment(pod, objects)
        for name in [name for name in os.environ if name.startswith(PREFIX)]:
            monkeypatch.delenv(name)
        for name, value in given.items():
            monkeypatch.setenv(name, value)
        # Kubernetes would set EVREF_PORT and others.
        assert pod["enableServiceLinks"] is False

        Settings.read(tmp_path / ".env")

        assert Settings.unknown_names(tmp_path / ".env") == []
        assert "EVREF_DATABASE_URL" in given
        assert not objects["ConfigMap"]["data"].keys() & secrets


def test_a_rolling_update_takes_no_pod_away_before_another_is_ready(
    objects: dict[str, Any],
) -> None:
    deployment = objects["Deployment"]["spec"]
    pod = deployment["template"]["spec"]
    (container,) = pod["containers"]
    command, seconds = container["lifecycle"]["preStop"]["exec"]["command"]

    assert deployment["strategy"]["rollingUpdate"]["maxUnavailable"] == 0
    assert deployment["replicas"] > objects["PodDisruptionBudget"]["spec"]["maxUnavailable"]
    assert command == "sleep"
    # Longer than it takes to notice that a pod is not ready, and the time of preStop counts.
    assert int(seconds) >= container["readinessProbe"]["periodSeconds"]
    assert pod["terminationGracePeriodSeconds"] > int(seconds) + graceful_timeout


def test_the_pods_migrate_serve_are_probed_and_end(
    objects: dict[str, Any], postgresql: PostgresqlServer, tmp_path: Path
) -> None:
    """The processes run with the arguments and settings of the manifests, on another port."""
    specifications, url = pods(objects), postgresql.url(postgresql.new_database())
    migration, service = (specifications[kind]["containers"][0] for kind in ("Job", "Deployment"))
    env = {
        **{name: text for name, text in os.environ.items() if not name.startswith(PREFIX)},
        "PYTHONPATH": str(Path(__file__).parents[2]),
        **environment(specifications["Deployment"], objects),
        "EVREF_DATABASE_URL": url,
    }
    port = free_port()
    arguments = [text.replace(":8000", f":{port}") for text in service["args"]]
    command = [sys.executable, "-m", "evref", *arguments]

    early = subprocess.run(command, env=env, cwd=tmp_path, capture_output=True, check=False)
    output(sys.executable, "-m", "evref", *migration["args"], env=env, cwd=tmp_path)
    server = Server(command, tmp_path, port, env)
    try:
        server.wait_until_ready(workers=2)
        for probe in ("readinessProbe", "livenessProbe"):
            assert server.get(service[probe]["httpGet"]["path"]).status == 200
        server.process.send_signal(signal.SIGTERM)

        # Before the tables exist, a pod ends and is started again.
        assert early.returncode == 1
        assert server.process.wait(PATIENCE) == 0
        assert list(tmp_path.iterdir()) == [tmp_path / f"log-{port}"]
    finally:
        server.kill()
