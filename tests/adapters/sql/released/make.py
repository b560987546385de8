"""Creates the database of a release that the tests upgrade, by running that release.

Run it in an environment with the release's dependencies; ROOT is the root of this repository, and
URL that of an empty PostgreSQL database:

    git archive 9b037284 | tar --extract --directory /tmp/release && cd /tmp/release
    cd evref/data/catalogue && rm [!b]*.yaml && cd -
    python ROOT/tests/adapters/sql/released/make.py ROOT/tests/adapters/sql/released URL

It uses only the release's commands and interfaces. The catalogue is a part of the bundled one, so
that the file stays small. `0.2.0.json` contains what a client would know. `0.2.0.sql.xz` contains
the same rows for PostgreSQL. The files of 0.1.0 were made in the same way.
"""

import json
import lzma
import os
import re
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from sqlalchemy import MetaData, create_engine, insert, select, text

sys.path.insert(0, str(Path.cwd()))
import evref as released

RELEASED, POSTGRESQL, RELEASE = Path(sys.argv[1]), sys.argv[2], released.__version__
PASSWORD = "correct horse battery staple"


def evref(*arguments: str, typed: str | None = None) -> str:
    """Run the command of the release; return what it prints."""
    command = [sys.executable, "-m", "evref", *arguments]
    printed = subprocess.run(command, input=typed, check=True, text=True, stdout=subprocess.PIPE)
    return printed.stdout.strip()


def copy(source: str, target: str) -> None:
    """Copy all rows of the database to another with the same tables."""
    metadata, read = MetaData(), create_engine(source)
    write = create_engine(target, connect_args={"options": "-c TimeZone=UTC"})
    metadata.reflect(read)
    with read.connect() as origin, write.begin() as destination:
        for table in reversed(metadata.sorted_tables):
            destination.execute(table.delete())
        for table in metadata.sorted_tables:
            rows = origin.execute(select(table)).mappings().all()
            if rows:
                destination.execute(insert(table), [dict(row) for row in rows])
        destination.execute(text("SELECT setval('audit_entries_id_seq', 1000)"))


with TemporaryDirectory() as temporary:
    database, files = Path(temporary, "evref.db"), Path(temporary, "catalogue")
    os.environ["EVREF_DATABASE_URL"] = f"sqlite:///{database}"
    os.environ["EVREF_SECRET_KEY"] = f"of release {RELEASE}, for the tests only"
    evref("init")
    evref("institution", "create", "General Hospital")
    evref("institution", "set-limits", "General Hospital", "--most-keys", "5")
    member = ("member", "create", "ward@example.org", "--institution", "General Hospital")
    evref(*member, "--password-stdin", typed=PASSWORD)
    create = ("key", "create", "--institution", "General Hospital", "--json", "--name")
    keys = [json.loads(evref(*create, name, "--limit", "9")) for name in ("Ward", "Study", "Old")]
    evref("key", "revoke", keys[2]["id"])
    evref("member", "create", "left@example.org", *member[3:], "--password-stdin", typed=PASSWORD)
    evref("member", "remove", "left@example.org")
    rotated = evref("key", "rotate", keys[1]["id"], "--keep-old-for", "1")

    # Publish a removal and a change, then the bundled catalogue again, then both changes again.
    evref("catalogue", "export", str(files))
    removed, changed = sorted(files.iterdir())[:2]
    removed.unlink()
    record = re.sub("phase: subacute", "phase: chronic", changed.read_text(), count=1)
    changed.write_text(record)
    evref("catalogue", "load", str(files), "--allow-removals")
    evref("catalogue", "rollback")
    evref("catalogue", "load", str(files), "--allow-removals")

    codes = Path(temporary, "codes.csv")
    codes.write_text("12295008,J47\n")
    evref("codes", "load", str(codes), "--system", "snomed-ct")

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
    page = client.get("/settings/members/invite").text
    token = re.findall('name="csrf_token"[^>]* value="([^"]+)"', page)[0]
    sent = {"csrf_token": token, "email": "desk@example.org", "role": "viewer"}
    invited = client.post("/settings/members/invite", data=sent, follow_redirects=True).text
    invitation = re.findall(r"/settings/invitation/[\w-]+", invited)[0]
    cookies = {cookie.key: cookie.value for cookie in (client._cookies or {}).values()}

    known = {
        "versions": versions,
        "keys": [keys[0]["key"], keys[1]["key"], rotated.split()[-1], keys[2]["key"]],
        "cookies": cookies,
        "invitation": invitation,
        "diagnoses": {diagnosis["id"]: diagnosis["version"] for diagnosis in listed},
        "removed": removed.stem,
        "responses": responses,
    }
    (RELEASED / f"{RELEASE}.json").write_text(
        json.dumps(known, indent=1, ensure_ascii=False) + "\n"
    )
    # SQLite moves the rest of its journal into the file when the last connection closes.
    app.extensions["evref"].storage().close()
    assert [path.name for path in Path(temporary).iterdir() if path.suffix.startswith(".db")] == [
        "evref.db"
    ]
    (RELEASED / f"{RELEASE}.db.xz").write_bytes(lzma.compress(database.read_bytes()))

    os.environ["EVREF_DATABASE_URL"] = POSTGRESQL
    evref("init")
    copy(f"sqlite:///{database}", POSTGRESQL.replace("postgresql:", "postgresql+psycopg:"))
    dump = ["pg_dump", "--inserts", "--no-owner", POSTGRESQL]
    dumped = subprocess.run(dump, check=True, stdout=subprocess.PIPE).stdout
    # Only psql understands its own commands.
    statements = re.sub(rb"(?m)^\\.*\n", b"", dumped)
    (RELEASED / f"{RELEASE}.sql.xz").write_bytes(lzma.compress(statements))
