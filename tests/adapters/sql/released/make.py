"""Creates the database of release 0.1.0 that the tests upgrade, by running that release.

Run it in an environment with the release's dependencies; ROOT is the root of this repository:

    git archive e27b581 | tar --extract --directory /tmp/release && cd /tmp/release
    cd evref/data/catalogue && rm [!b]*.yaml && cd -
    python ROOT/tests/adapters/sql/released/make.py ROOT/tests/adapters/sql/released

It uses only the release's commands and interfaces. The catalogue is a part of the bundled one, so
that the file stays small. `0.1.0.json` contains what a client would know. `0.1.0.sql.xz` contains
the same rows for PostgreSQL, as `pg_dump --inserts --no-owner` writes them.
"""

import json
import lzma
import os
import re
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.insert(0, str(Path.cwd()))
RELEASED = Path(sys.argv[1])
PASSWORD = "correct horse battery staple"


def evref(*arguments: str, typed: str | None = None) -> str:
    """Run the command of the release; return what it prints."""
    command = [sys.executable, "-m", "evref", *arguments]
    printed = subprocess.run(command, input=typed, check=True, text=True, stdout=subprocess.PIPE)
    return printed.stdout.strip()


with TemporaryDirectory() as temporary:
    database, files = Path(temporary, "evref.db"), Path(temporary, "catalogue")
    os.environ["EVREF_DATABASE_URL"] = f"sqlite:///{database}"
    os.environ["EVREF_SECRET_KEY"] = "of release 0.1.0, for the tests only"
    evref("init")
    evref("institution", "create", "General Hospital")
    evref("institution", "set-limits", "General Hospital", "--most-keys", "5")
    member = ("member", "create", "ward@example.org", "--institution", "General Hospital")
    evref(*member, "--password-stdin", typed=PASSWORD)
    create = ("key", "create", "--institution", "General Hospital", "--json", "--name")
    keys = [json.loads(evref(*create, name, "--limit", "9")) for name in ("Ward", "Study", "Old")]
    evref("key", "revoke", keys[2]["id"])
    rotated = evref("key", "rotate", keys[1]["id"], "--keep-old-for", "1")

    # Publish a removal and a change, then the bundled catalogue again, then both changes again.
    evref("catalogue", "export", str(files))
    removed, changed = sorted(files.iterdir())[:2]
    removed.unlink()
    text = changed.read_text()
    text = re.sub("direction: for", "direction: unclear", text, count=1)
    text = re.sub("recommendation: (strong|conditional)_for", "recommendation: not_stated", text)
    changed.write_text(text)
    evref("catalogue", "load", str(files), "--allow-removals")
    evref("catalogue", "rollback")
    evref("catalogue", "load", str(files), "--allow-removals")

    from wsgi import app

    client = app.test_client()
    bearer = {"Authorization": f"Bearer {keys[0]['key']}"}
    listed = client.get("/api/v1/diagnoses", headers=bearer).get_json()["data"]
    paths = ["/api/v1/changes", f"/api/v1/diagnoses/{removed.stem}", "/api/v1/limit"]
    versions = [row["version"] for row in json.loads(evref("catalogue", "history", "--json"))]
    paths.insert(1, f"/api/v1/changes?since={versions[1]}")
    responses = {path: client.get(path, headers=bearer).get_json() for path in paths}
    form = client.get("/settings/sign-in").text
    token = re.findall('name="csrf_token"[^>]* value="([^"]+)"', form)[0]
    sent = {"csrf_token": token, "email": "ward@example.org", "password": PASSWORD}
    assert client.post("/settings/sign-in", data=sent).status_code == 303
    cookies = {cookie.key: cookie.value for cookie in (client._cookies or {}).values()}

    known = {
        "versions": versions,
        "keys": [keys[0]["key"], keys[1]["key"], rotated.split()[-1], keys[2]["key"]],
        "cookies": cookies,
        "diagnoses": {diagnosis["id"]: diagnosis["version"] for diagnosis in listed},
        "removed": removed.stem,
        "responses": responses,
    }
    (RELEASED / "0.1.0.json").write_text(json.dumps(known, indent=1, ensure_ascii=False) + "\n")
    # SQLite moves the rest of its journal into the file when the last connection closes.
    app.extensions["evref"].storage().close()
    assert [path.name for path in Path(temporary).iterdir() if path.is_file()] == ["evref.db"]
    (RELEASED / "0.1.0.db.xz").write_bytes(lzma.compress(database.read_bytes()))
