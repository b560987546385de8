"""Detection of forms from other sites, in addition to CSRF tokens."""

from urllib.parse import urlsplit

from flask import request

from evref.adapters.inbound.web.headers import SENT_HOST

_DEFAULT_PORTS = {"http": 80, "https": 443}


def from_another_site(base_url: str) -> bool:
    """Return whether a page of another site sent this request, according to the browser.

    Uses `Sec-Fetch-Site` (W3C Fetch Metadata) and `Origin` (RFC 6454). Browsers send at least one
    of them with a form, so a client that sends neither is not a browser.

    The origin in `Sec-Fetch-Site: same-origin` is the address that the browser sent the request
    to, which may be another address of the service than `base_url`.
    """
    site, origin = request.headers.get("Sec-Fetch-Site"), request.headers.get("Origin")
    if site not in {None, "same-origin", "none"}:
        return True
    if origin is None or _parts(origin) == _parts(base_url):
        return False
    scheme, _, host = origin.partition("://")
    own_host = request.environ.get(SENT_HOST)
    return site is None or scheme not in _DEFAULT_PORTS or not host or host != own_host


def _parts(origin: str) -> tuple[str, str | None, int | None] | None:
    try:
        parts = urlsplit(origin)
        port = parts.port or _DEFAULT_PORTS.get(parts.scheme)
    except ValueError:
        return None
    return parts.scheme, parts.hostname, port
