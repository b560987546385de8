"""A restart refuses no request if systemd holds the socket; here the test holds it instead."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path
from threading import Event

from gunicorn.workers.gthread import ThreadWorker

from evref.testing.builders import OPERATOR
from tests.server.conftest import Connection, Store, environment
from tests.servers import PATIENCE, wait_until

LIST = "/api/v1/diagnoses"

# Passes the socket as sd_listen_fds(3) specifies, and becomes the service.
HAND_OVER = """
import os, sys
os.dup2(int(sys.argv[1]), 3)
os.environ |= {"LISTEN_FDS": "1", "LISTEN_PID": str(os.getpid())}
os.execv(sys.executable, [sys.executable, "-m", "evref", "serve"])
"""


class SlowToStart(ThreadWorker):  # type: ignore[misc]
    """A worker of a busy machine; gunicorn has no types."""

    def init_process(self) -> None:
        time.sleep(2)
        super().init_process()


@contextmanager
def service(
    held: socket.socket, folder: Path, options: str = ""
) -> Iterator[subprocess.Popen[bytes]]:
    with (folder / "log").open("ab") as log:
        process = subprocess.Popen(
            [sys.executable, "-c", HAND_OVER, str(held.fileno())],
            cwd=folder,
            env=environment() | {"GUNICORN_CMD_ARGS": options},
            pass_fds=[held.fileno()],
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    try:
        yield process
        process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE) == 0
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait(PATIENCE)


def test_no_request_is_refused_while_the_service_restarts(tmp_path: Path) -> None:
    """New connections wait, active requests get responses, and each request is counted once."""
    store = Store(tmp_path)
    key = store.key()
    store.container.storage().close()
    over = Event()

    with socket.create_server(("127.0.0.1", 0), backlog=100) as held:
        port = held.getsockname()[1]

        def send(_client: int) -> Counter[int]:
            statuses: Counter[int] = Counter()
            while not over.is_set():
                with closing(Connection(port)) as connection:
                    statuses[connection.get(LIST, key.token.text).status] += 1
            return statuses

        with ThreadPoolExecutor(4) as clients:
            try:
                with service(held, tmp_path):
                    sent = clients.map(send, range(4))
                    history = store.container.manage_keys().history
                    wait_until(lambda: history(OPERATOR, key.key.id), (tmp_path / "log").read_text)
                (before,) = history(OPERATOR, key.key.id)
                with service(held, tmp_path):
                    wait_until(
                        lambda: history(OPERATOR, key.key.id)[0].admitted > before.admitted,
                        (tmp_path / "log").read_text,
                    )
                    over.set()
                    statuses = sum(sent, Counter())
            finally:
                over.set()

    (day,) = history(OPERATOR, key.key.id)
    store.container.storage().close()
    assert statuses == {200: day.admitted}


def test_a_worker_that_is_still_starting_ends_gracefully(tmp_path: Path) -> None:
    Store(tmp_path).container.storage().close()
    log = tmp_path / "log"
    slow = "--worker-class tests.deploy.test_restart.SlowToStart"
    with socket.create_server(("127.0.0.1", 0)) as held, service(held, tmp_path, slow):
        wait_until(lambda: log.exists() and "Booting worker" in log.read_text())

    # gunicorn kills a worker that has lost the signal, which then logs nothing.
    booted = re.findall(r"Booting worker with pid: (\d+)", log.read_text())
    assert set(re.findall(r"Worker exiting \(pid: (\d+)\)", log.read_text())) == set(booted)
