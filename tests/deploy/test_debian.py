"""A clone installs and serves on a minimal Debian, by the words of the documents."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from os import environ
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests.deploy.shell import ROOT, blocks, missing, needs, output, section
from tests.docs.pages import assert_printed, commands

README = ROOT / "README.md"
DEPLOY = ROOT / "docs" / "how-to" / "deploy.md"
MANY_MACHINES = ROOT / "docs" / "how-to" / "run-on-many-machines.md"
CLONE = "/usr/local/src/evref"

# Whatever is mounted and started in these namespaces ends with the script.
UNSHARE = ("unshare", "--mount", "--pid", "--fork", "--kill-child", "--uts")
# A network with the address of the page, and with nothing else.
OFFLINE = "ip link set lo up; ip address add 10.0.0.20/24 dev lo"
ENTER = """
root=$1 script=$2
mount --rbind /dev "$root/dev"
mount -t proc proc "$root/proc"
for path in "${@:3}"; do mount --bind "$path" "$root$path"; done
exec chroot "$root" bash -euo pipefail -c "$script"
"""
WAIT = """
until curl --fail --silent --output /dev/null http://127.0.0.1:8000/health/ready; do
    kill -0 $! || { cat /tmp/said >&2; exit 1; }
    sleep 0.2
done
export EVREF_KEY=${EVREF_KEY:-$(grep --only-matching 'evref_[0-9A-Za-z]*' /tmp/said)}
"""


@dataclass(frozen=True)
class Debian:
    """A folder with an installed Debian."""

    root: Path

    def run(self, script: str, **variables: str) -> str:
        """Run a script without a network; return its output."""
        return self._run(script, ["--net", "bash", "-euc", OFFLINE + ENTER], (), variables)

    def download(self, script: str, files: Iterable[str] = (), **variables: str) -> str:
        """Run a script with the network, and these files and folders, of this machine."""
        outside = sorted({"/etc/hosts", "/etc/resolv.conf", *files})
        for path in outside:
            inside = self.root / path[1:]
            inside.parent.mkdir(parents=True, exist_ok=True)
            if Path(path).is_dir():
                inside.mkdir(exist_ok=True)
            else:
                inside.touch()
        proxies = {name: text for name, text in environ.items() if name.lower().endswith("_proxy")}
        return self._run(script, ["bash", "-euc", ENTER], outside, {**proxies, **variables})

    def _run(
        self, script: str, enter: list[str], files: Iterable[str], variables: dict[str, str]
    ) -> str:
        return output(
            *UNSHARE,
            *(*enter, "enter"),
            self.root,
            *(script, *files),
            env={
                "DEBIAN_FRONTEND": "noninteractive",
                "HOME": "/root",
                "LANG": "C.UTF-8",
                "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
                **variables,
            },
        )


def mirror() -> str:
    """Return the mirror of Debian from which this machine installs packages."""
    targets = output(
        *(needs("apt-get"), "indextargets", "--format", "$(REPO_URI)"),
        *("Created-By: Packages", "Origin: Debian", "Label: Debian"),
    ).split()
    if not targets:
        missing("apt knows no mirror of Debian; run: apt-get update")
    return targets[0]


def pip_settings() -> dict[str, str]:
    """Return the settings of pip on this machine, as variables of the environment."""
    listed = output(sys.executable, "-m", "pip", "config", "list")
    settings: dict[str, str] = {}
    # pip lists what the environment sets, which takes precedence, first.
    for name, text in re.findall(r"(?m)^\S*\.([a-z-]+)=(.*)$", listed):
        settings.setdefault(f"PIP_{name.upper().replace('-', '_')}", ast.literal_eval(text))
    return settings


def named_files(settings: dict[str, str]) -> Iterator[str]:
    """Yield the files and folders that settings of pip name."""
    for word in " ".join(settings.values()).split():
        path = Path(word.removeprefix("file://"))
        # The packages of an index are in a folder beside it.
        path = path.parent if word.startswith("file://") else path
        if path.is_absolute() and path.exists():
            yield str(path)


@pytest.fixture(params=["bookworm", "trixie"], ids=["debian-12", "debian-13"])
def debian(request: pytest.FixtureRequest) -> Iterator[Debian]:
    """Yield a minimal Debian with a clone of the last commit."""
    git, mmdebstrap, _ = (needs(program) for program in ("git", "mmdebstrap", "ip"))
    if subprocess.run([*UNSHARE, "--net", "true"], capture_output=True, check=False).returncode:
        missing("the right to mount and to chroot is missing; run the tests as root")
    with TemporaryDirectory() as folder:
        root = Path(folder, "root")
        # The repository can belong to another user.
        config = Path(folder, "gitconfig")
        config.write_text("[safe]\ndirectory = *\n")
        install = [
            *(*UNSHARE, mmdebstrap, "--quiet", "--variant=minbase", "--skip=cleanup/apt"),
            *("--aptopt=APT::Get::Assume-Yes true", "--dpkgopt=force-unsafe-io"),
            *(request.param, str(root), mirror()),
        ]
        clone = [git, "clone", "--quiet", str(ROOT), f"{root}{CLONE}"]
        for command in (install, clone):
            output(*command, env={**environ, "GIT_CONFIG_GLOBAL": str(config)})
        # Packages start nothing in a root: systemd, which would, does not run there.
        (root / "usr/sbin/policy-rc.d").write_text("#!/bin/sh\nexit 101\n")
        (root / "usr/sbin/policy-rc.d").chmod(0o755)
        yield Debian(root)


@pytest.mark.timeout(900)
def test_a_clone_installs_and_serves_by_the_words_of_the_documents(debian: Debian) -> None:
    """First as in the README, then as in *Deploy*, and with Redis over TLS."""
    (packages,) = re.findall(r"`(apt-get install [^`]*)`", README.read_text())
    examples = commands(README)
    (start,) = (example for example in examples if example.code == "make run")
    (request,) = (example for example in examples if example.code.startswith("curl "))
    assert start.shown is not None
    assert request.shown is not None
    settings = pip_settings()
    files = list(named_files(settings))

    debian.download(packages)
    installed = debian.download(f"cd {CLONE}; make install", files, **settings)
    answer = debian.run(f"cd {CLONE}; {start.code} >/tmp/said 2>&1 & {WAIT} {request.code}")

    said = (debian.root / "tmp/said").read_text()
    assert_printed(start.shown + "…", installed + said)
    assert_printed(request.shown, answer)

    (packages,) = blocks(section(DEPLOY, "### Install the packages"))
    (install,) = blocks(section(DEPLOY, "### Install the code"))
    debian.download(packages.replace("install", "install --simulate"))
    debian.download(install, files, **settings)
    start_redis = install_redis_with_tls(debian)
    lines, certificates, _ = blocks(
        section(MANY_MACHINES, "## evref and nginx, on app-1 and app-2")
    )
    (url,) = re.findall(r"(?m)^EVREF_QUOTA_URL=.*$", lines)
    answer = debian.run(
        f"hostname app-1; {certificates} cd {CLONE}; {start_redis}"
        f"export {url}; /opt/evref/current/bin/evref demo >/tmp/said 2>&1 & {WAIT} {request.code}"
    )
    assert_printed(request.shown, answer)


def install_redis_with_tls(debian: Debian) -> str:
    """Follow the page for Redis; return the command that starts it as systemd does."""
    (certificates,) = blocks(section(MANY_MACHINES, "## Certificates between the machines"))
    page = section(MANY_MACHINES, "## Redis, on data")
    install, restart = blocks(page)
    (lines,) = re.findall(r"(?ms)^```text\n(.*?)^```$", page)
    assert restart == "systemctl restart redis-server\n"
    debian.run(f"cd /root; {certificates}")
    debian.download(install)
    with (debian.root / "etc/redis/redis.conf").open("a") as file:
        file.write(lines)
    return "runuser --user redis -- redis-server /etc/redis/redis.conf --daemonize yes; "
