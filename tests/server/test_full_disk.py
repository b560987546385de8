"""What a load balancer sees of a service whose file system is full."""

import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from tests.server.conftest import Server, Store, environment
from tests.servers import free_port

# A mount of its own, without rights on the machine.
_ISOLATED = ("unshare", "--user", "--map-root-user", "--mount", "--fork", "--kill-child")
_ON_SMALL_DISK = 'mount -t tmpfs -o size=2m none "$0" && cp "$1" "$0" && shift && exec "$@"'


def test_a_service_on_a_full_disk_is_not_ready_until_there_is_space(
    tmp_path: Path,
) -> None:
    """As long as requests cannot be counted, the load balancer sends them elsewhere."""
    if subprocess.run([*_ISOLATED, "true"], capture_output=True, check=False).returncode != 0:
        pytest.skip("this system does not allow a process a mount of its own")
    store, disk, port = Store(tmp_path), tmp_path / "disk", free_port()
    key = store.key().token.text
    store.container.storage().close()
    disk.mkdir()
    database = tmp_path / "evref.sqlite"
    serve = [sys.executable, "-m", "evref", "serve", "--bind", f"127.0.0.1:{port}"]
    command = [*_ISOLATED, "sh", "-c", _ON_SMALL_DISK, str(disk), str(database), *serve]
    env = environment(database_url=f"sqlite:///{disk / database.name}")
    server = Server(command, tmp_path, port, env)
    try:
        server.wait_until_ready()
        # The disk as the service sees it.
        filler = Path(f"/proc/{server.workers()[0]}/root{disk}/filler")

        with filler.open("wb", buffering=0) as file, suppress(OSError):
            while file.write(b"x" * 4096):
                pass
        while_full = [server.get("/health/ready"), server.get("/api/v1/diagnoses", key)]
        filler.unlink()
        after = [server.get("/health/ready"), server.get("/api/v1/diagnoses", key)]
    finally:
        server.kill()

    assert [response.status for response in while_full] == [503, 503]
    assert all(response.headers["Retry-After"] for response in while_full)
    assert [response.status for response in after] == [200, 200]
