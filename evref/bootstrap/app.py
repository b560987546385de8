"""Builds the WSGI application. The import has no side effects; applications share no state."""

import sys
from collections.abc import Collection
from contextlib import closing
from functools import partial
from itertools import chain
from urllib.parse import urlsplit

from apiflask import APIFlask
from werkzeug.middleware.proxy_fix import ProxyFix

import evref
from evref.adapters.inbound.web import cookies, core, headers, static_files
from evref.adapters.inbound.web.admission import CatalogueEndpoints
from evref.adapters.inbound.web.frame import Frame
from evref.adapters.inbound.web.host import Host
from evref.adapters.inbound.web.identity import Identity
from evref.adapters.inbound.web.problems import Failures
from evref.adapters.inbound.web.representations import JsonProvider, ResponseCache
from evref.adapters.inbound.web.service import Service, log_access
from evref.bootstrap import logs
from evref.bootstrap.container import Container, container_for
from evref.bootstrap.demo import demo_of, prepare
from evref.bootstrap.interfaces import enabled_interfaces
from evref.bootstrap.settings import Settings, SettingsError, StorageKind, hand_on_metrics_folder
from evref.domain.errors import EvrefError, StorageUnavailableError

CONTAINER = "evref"
"""The name of an application's container among its extensions."""


def create_app(settings: Settings | None = None, container: Container | None = None) -> APIFlask:
    """Return the application. Settings and container default to those of the environment."""
    settings = settings or Settings.read()
    container = container or container_for(settings)
    if settings.metrics_folder is not None:
        hand_on_metrics_folder(settings.metrics_folder)

    app = _new_flask(settings)
    app.extensions[CONTAINER] = container
    enabled = enabled_interfaces(settings)
    forms = {interface.root: interface.render_problem for interface in enabled.values()}
    failures = Failures(settings.base_url, forms)
    host = _host(settings, container, failures, enabled)
    host.frame.register(app)
    # After the frame, whose options of Jinja hold only until the first use of its environment.
    static_files.register(app, settings.base_url)
    of_interfaces = (interface.blueprints(host) for interface in enabled.values())
    for blueprint in chain(core.blueprints(container.readiness, host.frame), *of_interfaces):
        app.register_blueprint(blueprint)
    cookies.configure(app, container.cookie_secret, settings.base_url)
    _refuse_own_path(app, settings.base_url)
    app.register_error_handler(Exception, failures.response)
    app.before_request(partial(headers.begin, host.frame.redirect))

    may_vary = enabled.values() if settings.cors_origins else ()
    cross_origin = [interface.root for interface in may_vary if interface.cross_origin]
    if cross_origin:
        headers.allow_scripts(app, settings.cors_origins, cross_origin)
    app.wsgi_app = Service(  # type: ignore[method-assign]
        app.wsgi_app,
        settings.base_url,
        host.endpoint.cached_response,
        headers.CommonHeaders(settings.frame_ancestors, cross_origin),
        [*[log_access] * settings.access_log, *host.observers],
    )
    if settings.proxies:
        # Only the client's address is taken from proxies; it is used to throttle sign-in attempts.
        app.wsgi_app = ProxyFix(  # type: ignore[method-assign]
            app.wsgi_app, x_for=settings.proxies, x_proto=0, x_host=0
        )
    return app


def _refuse_own_path(app: APIFlask, base_url: str) -> None:
    """Refuse a path of the service that begins like one below it: nobody could tell them apart."""
    first = urlsplit(base_url).path.lower().split("/")[1:2]
    if first and first[0] in {rule.rule.split("/")[1] for rule in app.url_map.iter_rules()}:
        raise SettingsError(
            f"EVREF_BASE_URL must not begin with /{first[0]}, which is a path below the service"
        )


def _new_flask(settings: Settings) -> APIFlask:
    app = APIFlask(
        "evref",
        title="Evidence Reference Service",
        version=evref.__version__,
        spec_path=None,
        docs_path=None,
        json_errors=False,
        static_folder=None,  # type: ignore[arg-type]  # APIFlask passes it to Flask, which allows None
        template_folder="adapters/inbound/web/templates",
    )
    # Each URL has one spelling. There are no redirects, because a client could influence the
    # target.
    app.url_map.merge_slashes = False
    app.config["PROVIDE_AUTOMATIC_OPTIONS"] = bool(settings.cors_origins)
    app.json = JsonProvider(app)
    return app


def _host(
    settings: Settings, container: Container, failures: Failures, interfaces: Collection[str]
) -> Host:
    cache_bytes = settings.representation_cache_mb * 1024 * 1024
    visitor = Identity(
        members=container.sign_in(),
        by_proxy=container.sign_in_by_proxy(),
        breaker=container.circuit_breaker(),
        clock=container.clock(),
        header=settings.sign_in_header,
        has_passwords=settings.passwords,
        sign_out_url=settings.sign_out_url,
    )
    frame = Frame(
        readers=settings.catalogue_pages,
        browse=container.browse(),
        identity=visitor,
        base_url=settings.base_url,
        own_licence=settings.licence,
        cache=ResponseCache(cache_bytes),
    )
    return Host(
        settings=settings,
        browse=container.browse(),
        gate=container.gate(),
        people=container.people(),
        keys=container.manage_keys(),
        log=container.read_audit_log(),
        endpoint=CatalogueEndpoints(
            container.browse(), container.gate().admit, cache_bytes, failures.raw_response
        ),
        frame=frame,
        visitor=visitor,
        interfaces=interfaces,
        warnings=container.storage().warnings,
        example=container.example,
    )


def create_app_or_exit() -> APIFlask:
    """Return the application for a WSGI server; on an error, print one line and exit.

    Storage in memory is filled here: no command can fill the memory of another process. Storage
    that is out of reach prevents no start.
    """
    try:
        settings = Settings.read()
        _refuse_two_spellings(settings)
        logs.configure(settings.log_format)
        container = container_for(settings)
        with closing(container.storage()) as storage:
            app = create_app(settings, container)
            if settings.storage == StorageKind.MEMORY:
                prepare(container, by="evref")
                print(demo_of(container), file=sys.stderr)  # noqa: T201
            try:
                storage.verify()
                storage.ping()
                warnings = storage.warnings()
            except StorageUnavailableError as error:
                warnings = [f"starting without storage: {error.reason}"]
            for warning in warnings:
                print(f"evref: {warning}", file=sys.stderr)  # noqa: T201
    except (SettingsError, EvrefError) as error:
        for line in str(error).splitlines():
            print(f"evref: {line}", file=sys.stderr)  # noqa: T201
        # The status with which gunicorn stops, without a retry, if an application cannot be loaded.
        raise SystemExit(4) from None
    return app


def _refuse_two_spellings(settings: Settings) -> None:
    header = settings.sign_in_header or ""
    # WSGI has one name for X-Forwarded-Email and X_Forwarded_Email, which a client can send through
    # some proxies. Only gunicorn is known to drop the second.
    keeps_apart = "gunicorn" in sys.modules and "granian" not in sys.modules
    if "-" in header and not keeps_apart:
        name = header.replace("-", "")
        raise SettingsError(
            f"EVREF_SIGN_IN_HEADER must have no hyphen under a server other than gunicorn: set it "
            f"to {name}, and in /etc/nginx/evref-sign-in.conf replace the line that sets {header} "
            f"by: proxy_set_header {name} $evref_email; (set there from the answer of auth_request)"
        )
