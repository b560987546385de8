"""The alerts fire, the dashboard shows metrics that exist, and nginx's logs are rotated."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import yaml
from prometheus_client.parser import text_string_to_metric_families

from tests.deploy.proxy import HOST, METRICS_TOKEN, Nginx
from tests.deploy.shell import DEPLOY, ROOT, adapted, needs, output
from tests.server.conftest import Server, Store
from tests.servers import wait_until

HOW_TO = ROOT / "docs" / "how-to" / "monitor.md"
RULES = DEPLOY / "prometheus" / "evref-rules.yml"
ALERTS = {
    rule["alert"]: rule
    for group in yaml.safe_load(RULES.read_text())["groups"]
    for rule in group["rules"]
}
PANELS = json.loads((DEPLOY / "grafana" / "evref.json").read_text())["panels"]
EXPRESSIONS = [target["expr"] for panel in PANELS for target in panel["targets"]]

OF_A = 'job="evref",instance="a"'
FROM_A = {"job": "evref", "instance": "a"}
# The time series during which an alert fires, one value a minute, and the labels of the alert.
FIRING: dict[str, tuple[dict[str, str], dict[str, str]]] = {
    "EvrefDown": ({f"up{{{OF_A}}}": "0x90"}, FROM_A),
    "EvrefStorageUnavailable": (
        {f'evref_admissions_total{{{OF_A},outcome="storage_unavailable"}}': "0+10x90"},
        {"instance": "a"},
    ),
    "EvrefErrors": (
        {
            f'evref_http_requests_total{{{OF_A},route="/docs",status="200"}}': "0+98x90",
            f'evref_http_requests_total{{{OF_A},route="/docs",status="500"}}': "0+2x90",
        },
        {"instance": "a"},
    ),
    "EvrefNoCatalogue": ({f"up{{{OF_A}}}": "1x90"}, FROM_A),
    "EvrefSlowStorage": (
        {
            f'evref_admission_duration_seconds_bucket{{{OF_A},le="0.25"}}': "0+98x90",
            f'evref_admission_duration_seconds_bucket{{{OF_A},le="+Inf"}}': "0+100x90",
            f'evref_admission_duration_seconds_bucket{{{OF_A},le="0.5"}}': "0+100x90",
        },
        {"instance": "a"},
    ),
    "EvrefCataloguesDiffer": (
        {f'evref_catalogue_info{{{OF_A},version="{version}"}}': "1x90" for version in "12"},
        {},
    ),
    "EvrefVersionsDiffer": (
        {f'evref_build_info{{{OF_A},version="{version}"}}': "1x90" for version in "12"},
        {},
    ),
    # The time of the first value is 0.
    "EvrefCatalogueNotChecked": (
        {f"evref_catalogue_oldest_check_timestamp_seconds{{{OF_A}}}": "-40000000x90"},
        {},
    ),
    "EvrefWorkersMissing": ({f"evref_workers{{{OF_A}}}": "2x60 1x30"}, FROM_A),
    "EvrefKeysNearLimit": ({f"evref_keys_near_limit_total{{{OF_A}}}": "0x60 1x30"}, {}),
    "EvrefUnknownKeys": (
        {f'evref_admissions_total{{{OF_A},outcome="invalid_api_key"}}': "0+120x90"},
        {},
    ),
}
HEALTHY = {
    f"up{{{OF_A}}}": "1x90",
    f'evref_admissions_total{{{OF_A},outcome="admitted"}}': "0+900x90",
    f'evref_admissions_total{{{OF_A},outcome="invalid_api_key"}}': "0+10x90",
    f'evref_http_requests_total{{{OF_A},route="/docs",status="200"}}': "0+1000x90",
    f'evref_http_requests_total{{{OF_A},route="/docs",status="500"}}': "0+2x90",
    f'evref_admission_duration_seconds_bucket{{{OF_A},le="0.25"}}': "0+900x90",
    f'evref_admission_duration_seconds_bucket{{{OF_A},le="+Inf"}}': "0+900x90",
    f'evref_catalogue_info{{{OF_A},version="1"}}': "1x90",
    f'evref_build_info{{{OF_A},version="1"}}': "1x90",
    f"evref_catalogue_oldest_check_timestamp_seconds{{{OF_A}}}": "-20000000x90",
    f"evref_workers{{{OF_A}}}": "2x90",
    f"evref_keys_near_limit_total{{{OF_A}}}": "1x90",
}


def expected(alert: str, labels: dict[str, str]) -> dict[str, Any]:
    rule = ALERTS[alert]
    annotations = {
        name: text.replace("{{ $labels.instance }}", "a")
        for name, text in rule["annotations"].items()
    }
    return {"exp_labels": {**labels, **rule["labels"]}, "exp_annotations": annotations}


def test_each_alert_fires_and_none_in_health(tmp_path: Path) -> None:
    observed: list[tuple[dict[str, str], dict[str, list[dict[str, Any]]]]] = [
        *((series, {name: [expected(name, of)]}) for name, (series, of) in FIRING.items()),
        (HEALTHY, {name: [] for name in ALERTS}),
    ]
    cases = [
        {
            "interval": "1m",
            "input_series": [{"series": name, "values": of} for name, of in series.items()],
            "alert_rule_test": [
                {"eval_time": "85m", "alertname": alert, "exp_alerts": alerts}
                for alert, alerts in fires.items()
            ],
        }
        for series, fires in observed
    ]
    file = tmp_path / "tests.yml"
    file.write_text(yaml.safe_dump({"rule_files": [str(RULES)], "tests": cases}))

    output(needs("promtool"), "test", "rules", file)

    assert FIRING.keys() == ALERTS.keys()


def test_prometheus_accepts_what_is_added_to_its_configuration(tmp_path: Path) -> None:
    token = tmp_path / "token"
    token.touch()
    text = (DEPLOY / "prometheus" / "scrape.yml").read_text()
    here = {
        "/etc/prometheus/evref-rules.yml": str(RULES),
        "/etc/prometheus/evref-token": str(token),
    }
    file = tmp_path / "prometheus.yml"
    file.write_text(adapted(text, here))

    output(needs("promtool"), "check", "config", file)


def test_the_how_to_says_what_to_do_about_each_alert() -> None:
    assert re.findall(r"(?m)^\| `(Evref\w+)` \| \S", HOW_TO.read_text()) == list(ALERTS)


def test_each_panel_and_alert_uses_metrics_that_the_service_has(
    service: Server, store: Store, tmp_path: Path
) -> None:
    key = store.key(limit=1)
    for _ in range(2):
        service.get("/api/v1/diagnoses", key.token.text)
    answer = service.get("/metrics", METRICS_TOKEN)
    families = {one.name: one for one in text_string_to_metric_families(answer.body.decode())}
    samples = {
        sample.name: sample.labels for family in families.values() for sample in family.samples
    }
    used = [*EXPRESSIONS, *(rule["expr"] for rule in ALERTS.values())]
    metrics = {name for text in used for name in re.findall(r"\bevref_\w+", text)}
    documented = {*re.findall(r"^\| `(evref_\w+)`", HOW_TO.read_text(), re.MULTILINE)}
    rules = [
        {"record": f"panel:{number}", "expr": text.replace("$__rate_interval", "5m")}
        for number, text in enumerate(EXPRESSIONS)
    ]
    file = tmp_path / "panels.yml"
    file.write_text(yaml.safe_dump({"groups": [{"name": "panels", "rules": rules}]}))

    assert metrics | documented <= samples.keys() | families.keys()
    for text in used:
        for name, matchers in re.findall(r"\b(evref_\w+)\{([^}]*)\}", text):
            # Prometheus adds the job and the machine.
            labels = set(re.findall(r"(\w+)[=!]", matchers)) - {"job", "instance"}
            assert labels <= samples[name].keys(), text
    output(needs("promtool"), "check", "rules", file)


def test_logs_are_rotated_while_nginx_runs_and_end_after_two_weeks(
    nginx: Nginx, tmp_path: Path
) -> None:
    text = (DEPLOY / "nginx" / "logrotate").read_text()
    here = {
        "/var/log/nginx/": f"{nginx.folder}/evref",
        "/run/nginx.pid": f"{nginx.folder}/pid",
        " www-data adm": "",
    }
    rules = tmp_path / "logrotate"
    rules.write_text(adapted(text, here))
    rules.chmod(0o644)
    log = nginx.folder / "evref.log"
    log.write_text("the first day\n")

    for _ in range(16):
        output(needs("logrotate"), "--force", "--state", tmp_path / "state", rules)
        log.write_text("another day\n")
    rotated = sorted(nginx.folder.glob("evref.log.*"))
    before = log.stat().st_size

    def grows() -> bool:
        # nginx opens the new file when it has noticed the signal.
        nginx.get("/health/live", Host=HOST)
        return log.stat().st_size > before

    wait_until(grows)
    assert len(rotated) == 14
    assert "the first day" not in rotated[0].read_text(errors="replace")
