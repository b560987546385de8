"""Keys, passwords, sessions and tokens are used everywhere, and then looked for everywhere."""

from __future__ import annotations

import json
import re
import secrets
import subprocess
import sys
from dataclasses import dataclass, field
from http.cookiejar import CookieJar
from pathlib import Path
from urllib.error import HTTPError
from urllib.parse import quote, urlencode
from urllib.request import HTTPCookieProcessor, Request, build_opener

import psutil

from tests.hostile.test_secrets import EMAIL, WRONG_PASSWORD, routes
from tests.server.conftest import Start, Store, environment, evref
from tests.settings_pages.visitor import fields_of, key_on

FIRST_PASSWORD = "seven lamps under the bridge"
SECOND_PASSWORD = "eleven kettles in a meadow"


@dataclass
class Browser:
    """Keeps cookies, and everything that it was ever answered."""

    address: str
    seen: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.cookies = CookieJar()
        self._opener = build_opener(HTTPCookieProcessor(self.cookies))

    def ask(
        self,
        method: str,
        path: str,
        data: bytes | None = None,
        headers: dict[str, str] | None = None,
    ) -> str:
        request = Request(self.address + path, data, headers or {}, method=method)
        try:
            answer = self._opener.open(request)
        except HTTPError as error:
            answer = error
        with answer:
            text: str = answer.read().decode(errors="replace")
            self.seen.append(text + str(answer.headers))
        return text

    def send(self, path: str, **fields: str) -> str:
        """Fill in the form on a page, and send it."""
        whole = fields_of(self.ask("GET", path)) | fields
        return self.ask("POST", path, urlencode(whole).encode())


def test_no_secret_is_left_anywhere(start: Start, store: Store) -> None:
    """In no log, file, process list, or answer but the one page that shows a new key."""
    folder = store.folder
    member = ("member", "create", EMAIL, "--institution", "Hospital", "--password-stdin")
    evref_with(folder, *member, stdin=FIRST_PASSWORD)
    key = evref(folder, "key", "create", "--institution", "Hospital", "--name", "Ward").strip()
    token, secret_key = secrets.token_hex(24), secrets.token_hex(24)
    server = start(
        folder,
        *("serve", "--workers", "1", "--threads", "4"),
        metrics_token=token,
        metrics_folder=str(folder / "metrics"),
        secret_key=secret_key,
        access_log="on",
    )
    server.wait_until_ready()
    browser = Browser(f"http://127.0.0.1:{server.port}")

    bearer = {"Authorization": f"Bearer {key}"}
    for method, path in routes():
        browser.ask(method, path, headers=bearer)
    for misplaced in (f"/api/v1/diagnoses?key={key}", f"/api/v1/diagnoses/{key}", f"/{key}",
                      f"/settings/api-keys/{quote(key)}", f"/problems/{key}"):  # fmt: skip
        browser.ask("GET", misplaced, headers=bearer | {"Cookie": key})
    browser.ask("GET", "/metrics", headers={"Authorization": f"Bearer {token}"})
    browser.ask("GET", "/metrics", headers={"Authorization": f"Bearer {token[:-1]}"})
    browser.send("/settings/sign-in", email=EMAIL, password=WRONG_PASSWORD)
    browser.send("/settings/sign-in", email=EMAIL, password=FIRST_PASSWORD)
    page_key = key_on(browser.send("/settings/api-keys/new", name="Tablet"))
    del browser.seen[-1]
    page = browser.send("/settings/members/invite", email="colleague@example.org", role="viewer")
    (invitation,) = re.findall(r"/settings/invitation/(\w+)", page)
    del browser.seen[-1]
    for path in (f"/settings/invitation/{invitation}", f"/settings/invitation/{invitation}x"):
        browser.ask("GET", path)
        browser.ask("POST", path, b"password=x")
    changed = {"password": SECOND_PASSWORD, "repeated": SECOND_PASSWORD}
    browser.send("/settings/password", present=WRONG_PASSWORD, **changed)
    browser.send("/settings/password", present=FIRST_PASSWORD, **changed)
    for path in ("/settings/api-keys", "/settings/audit-log"):
        browser.ask("GET", path)
    (key_id, *_) = (each["id"] for each in json.loads(evref(folder, "key", "list", "--json")))
    new_key = evref(folder, "key", "rotate", key_id).strip()
    for each in (key, new_key):
        browser.ask("GET", "/api/v1/diagnoses", headers={"Authorization": f"Bearer {each}"})
    printed = [
        evref(folder, *command, "--json")
        for command in (("key", "list"), ("member", "list"), ("institution", "list"))
    ]
    (session,) = (cookie.value for cookie in browser.cookies if cookie.name == "evref_session")

    assert session is not None
    places = {
        "log": server.log,
        "processes": " ".join(
            " ".join(process.info["cmdline"] or ()) for process in psutil.process_iter(["cmdline"])
        ),
        "commands": "".join(printed),
        # A cookie is how a browser is given its session.
        "answers": re.sub(r"Set-Cookie: .*", "", "".join(browser.seen)),
    } | {
        str(path): path.read_bytes().decode("latin-1")
        for path in folder.rglob("*")
        if path.is_file()
    }
    for secret in (key, page_key, FIRST_PASSWORD, SECOND_PASSWORD, WRONG_PASSWORD, session, token,
                   secret_key, key[6:46], page_key[6:46], new_key, new_key[6:46]):  # fmt: skip
        assert [place for place, text in places.items() if secret in text] == []


def evref_with(folder: Path, *arguments: str, stdin: str) -> None:
    subprocess.run(
        [sys.executable, "-m", "evref", *arguments],
        cwd=folder,
        env=environment(),
        input=stdin.encode(),
        check=True,
        capture_output=True,
    )
