"""The address of the service, which its operator sets and no client can change."""

from collections.abc import Iterable
from urllib.parse import urlsplit
from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

from evref.adapters.inbound.web import headers


def served_at(base_url: str, wsgi_app: WSGIApplication) -> WSGIApplication:
    """Return the application at `base_url`, independent of headers that a client sends.

    A client chooses the Host header: it would appear in links, and an invalid host would make
    pages fail. gunicorn moves a part of the path to SCRIPT_NAME if a header field with that name
    says so, even from a client. The service never upgrades a connection (RFC 9110, section 7.8),
    but Flask would find no route for a request to upgrade to WebSocket.

    A proxy may pass the path of `base_url` on or strip it: it is removed once if a request begins
    with it.
    """
    parts = urlsplit(base_url)
    port = str(parts.port or {"http": 80, "https": 443}[parts.scheme])
    known = {
        "wsgi.url_scheme": parts.scheme,
        "HTTP_HOST": parts.netloc,
        "SERVER_NAME": parts.hostname or "",
        "SERVER_PORT": port,
        "SCRIPT_NAME": parts.path,
    }
    below = f"{parts.path}/"

    def serve(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        # The path of a URL that ends with its host is empty, and equivalent to /.
        path = environ.get("SCRIPT_NAME", "") + environ["PATH_INFO"] or "/"
        # Without its slash, the path of the service is another spelling of its front page.
        if parts.path and (path == parts.path or path.startswith(below)):
            path = path.removeprefix(parts.path)
        environ["PATH_INFO"] = path
        environ[headers.SENT_HOST] = environ.get("HTTP_HOST")
        environ.update(known)
        environ.pop("HTTP_UPGRADE", None)
        return wsgi_app(environ, start_response)

    return serve
