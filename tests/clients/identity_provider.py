"""Sign-in by the institution's own system, with a real provider and a real proxy.

oidc-provider is the identity provider; Apache with mod_auth_openidc is the proxy.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
import requests

from evref.domain.accounts.proxy_sign_in import ProxySecret
from evref.domain.principal import Role
from evref.ports.accounts import MEMBERS
from evref.testing.builders import OPERATOR
from tests.clients.conftest import HERE, TOOLS
from tests.deploy.shell import proxy_lines
from tests.server.conftest import Start, Store
from tests.servers import PATIENCE, free_port, running

PROGRAM = HERE / "programs" / "identity_provider.mjs"
MODULES = (
    *("mpm_event", "authn_core", "authz_core", "headers"),
    *("proxy", "proxy_http", "auth_openidc"),
)


def configuration(folder: Path, port: int, provider: str, service: str, secret: str) -> str:
    """Return what an administrator writes for Apache, with the lines of the how-to."""
    lines = proxy_lines("apache").replace("http://127.0.0.1:8000", service).replace("…", secret)
    modules = "\n".join(
        f"LoadModule {name}_module /usr/lib/apache2/modules/mod_{name}.so" for name in MODULES
    )
    return f"""
ServerName 127.0.0.1
Listen 127.0.0.1:{port}
ServerRoot {folder}
PidFile {folder}/apache.pid
DefaultRuntimeDir {folder}
Mutex file:{folder}
ErrorLog {folder}/apache.log
{modules}
OIDCProviderMetadataURL {provider}/.well-known/openid-configuration
OIDCClientID proxy
OIDCClientSecret {"s" * 32}
OIDCRedirectURI http://127.0.0.1:{port}/oidc
OIDCCryptoPassphrase {"p" * 32}
OIDCScope "openid email"
{lines}
"""


@pytest.fixture
def proxy(start: Start, store: Store, tmp_path: Path) -> Iterator[str]:
    """Return the address of the proxy, which is in front of the service."""
    apache = shutil.which("apache2")
    assert apache is not None, "Apache is not on this machine; .ci/run installs it"
    manage = store.container.manage_institutions()
    found = manage.create_institution(OPERATOR, "Hospital with a provider")
    store.container.people().create(OPERATOR, found.id, "admin@hospital.example", password=None)
    secret = manage.set_sign_in(OPERATOR, found.id, domains=["hospital.example"])
    assert isinstance(secret, ProxySecret)
    of_provider, port = free_port(), free_port()
    service = start(
        store.folder,
        *("serve", "--workers", "1"),
        base_url=f"http://127.0.0.1:{port}",
        sign_in_header="X-Forwarded-Email",
    )
    service.wait_until_ready()
    provider = f"http://127.0.0.1:{of_provider}"
    file = tmp_path / "apache.conf"
    file.write_text(configuration(tmp_path, port, provider, service.url, secret.text))
    node = (TOOLS / "node", PROGRAM, str(of_provider), f"http://127.0.0.1:{port}/oidc")
    with (
        running(tmp_path / "node.log", of_provider, *node),
        running(tmp_path / "printed", port, apache, "-f", file, "-DFOREGROUND"),
    ):
        yield f"http://127.0.0.1:{port}"


def test_a_reader_signs_in_at_the_provider_and_lands_on_the_entry(proxy: str, store: Store) -> None:
    """The proxy replaces headers that the browser sends itself."""
    browser = requests.Session()
    names = ("X-Forwarded-Email", "X_Forwarded_Email", "X-Evref-Proxy-Secret")
    forged = dict.fromkeys(names, "other@hospital.example") | {"Connection": names[0]}

    page = browser.get(f"{proxy}/catalogue/gout", headers=forged, timeout=PATIENCE)
    while "/interaction/" in page.url:  # the name, then the consent
        (action,) = re.findall('<form[^>]* action="([^"]+)"', page.text)
        fields = dict(re.findall('<input type="hidden" name="([^"]+)" value="([^"]+)"', page.text))
        page = browser.post(
            action, {**fields, "login": "reader", "password": "x"}, timeout=PATIENCE
        )
    again = browser.get(page.url, headers=forged, timeout=PATIENCE)

    assert page.url == again.url == f"{proxy}/catalogue/gout"
    assert "<title>Gout" in again.text
    roles = {each.email: each.role for each in store.container.storage().records.find(MEMBERS)}
    assert roles["reader@hospital.example"] is Role.READER
    assert "other@hospital.example" not in roles
