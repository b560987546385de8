"""The composition root: connects each port to its adapter.

Only this module uses dependency-injector, and only this module imports both the ports and their
adapters.
"""

from importlib import import_module
from pathlib import Path
from typing import ClassVar

from dependency_injector import containers, providers

from evref.adapters.outbound import memory, redis, sql, system
from evref.adapters.outbound.files import YamlCatalogueFiles, read_word_lists
from evref.application.access.gate import Gate
from evref.application.access.manage_keys import ManageKeys
from evref.application.accounts.cookie_secret import cookie_secret
from evref.application.accounts.manage_institutions import ManageInstitutions
from evref.application.accounts.passwords import Attempts, Bulkhead
from evref.application.accounts.people import People
from evref.application.accounts.refused_sign_ins import RefusedSignIns
from evref.application.accounts.sign_in import SignIn
from evref.application.accounts.sign_in_by_proxy import SignInByProxy
from evref.application.catalogue.browse_catalogue import BrowseCatalogue
from evref.application.catalogue.load_codes import LoadCodes
from evref.application.catalogue.publish_catalogue import PublishCatalogue
from evref.application.circuit_breaker import CircuitBreaker
from evref.application.provision_demo import ProvisionDemo
from evref.application.read_audit_log import ReadAuditLog
from evref.application.report_health import readiness
from evref.bootstrap.settings import PREFIX, Settings, SettingsError
from evref.domain.errors import EvrefError, InvalidValueError
from evref.ports.storage import Storage

BUNDLED_CATALOGUE = Path(__file__).resolve().parents[1] / "data" / "catalogue"

# gunicorn's threads may request the first instance concurrently; a Singleton could create two.
One = providers.ThreadSafeSingleton


def _where_counted(settings: Settings) -> str:
    return "redis" if settings.quota_url else "storage"


class Container(containers.DeclarativeContainer):
    """Created with `Container(settings=…)`; call an attribute to get its single instance.

    To use another storage, override `main_storage`; Redis can still count for it.
    """

    settings = providers.Dependency(instance_of=Settings)

    clock = One(system.SystemClock)
    randomness = One(system.SystemRandomness)
    passwords = One(system.Argon2PasswordHasher)
    guesser = One(system.ZxcvbnPasswordGuesser)
    catalogue_files = One(YamlCatalogueFiles)
    word_lists = One(read_word_lists)

    main_storage: providers.Selector[Storage] = providers.Selector(
        settings.provided.storage,
        memory=One(memory.MemoryStorage),
        sql=One(
            sql.SqlStorage,
            One(
                sql.SqlDatabase,
                settings.provided.database_url,
                pool_size=settings.provided.database_connections,
                timeout_seconds=settings.provided.storage_timeout_seconds,
            ),
        ),
    )
    storage: providers.Selector[Storage] = providers.Selector(
        providers.Callable(_where_counted, settings),
        storage=main_storage,
        redis=One(
            redis.RedisStorage,
            main_storage,
            settings.provided.quota_url,
            clock,
            timeout_seconds=settings.provided.storage_timeout_seconds,
        ),
    )

    circuit_breaker = One(CircuitBreaker, clock)
    # Redis may hang while the database, with the catalogue and the sessions, responds.
    gate = One(Gate, storage.provided.admission, clock, One(CircuitBreaker, clock, circuit_breaker))
    browse = One(
        BrowseCatalogue,
        storage.provided.catalogue,
        clock,
        circuit_breaker,
        word_lists,
    )
    publish = One(PublishCatalogue, storage, catalogue_files, clock, BUNDLED_CATALOGUE)
    load_codes = One(LoadCodes, storage, catalogue_files, clock)
    readiness = providers.Callable(readiness, storage, browse)
    _to_manage: ClassVar = {"storage": storage, "clock": clock, "randomness": randomness}
    _of_passwords: ClassVar = {**_to_manage, "passwords": passwords, "guesser": guesser}
    manage_keys = One(ManageKeys, **_to_manage)
    manage_institutions = One(ManageInstitutions, **_to_manage)
    bulkhead = One(Bulkhead)
    people = One(People, bulkhead=bulkhead, **_of_passwords)
    attempts = One(Attempts, storage, bulkhead, clock)
    refused_sign_ins = One(RefusedSignIns, storage.provided.audit, clock)
    sign_in = One(SignIn, attempts=attempts, refused=refused_sign_ins, **_of_passwords)
    sign_in_by_proxy = One(
        SignInByProxy,
        storage=storage,
        sign_in=sign_in,
        refused=refused_sign_ins,
        people=people,
        clock=clock,
    )
    cookie_secret = One(cookie_secret, storage, randomness, clock, settings.provided.secret_key)
    read_audit_log = One(ReadAuditLog, storage.provided.audit)
    provision_demo = One(
        ProvisionDemo,
        institutions=manage_institutions,
        people=people,
        keys=manage_keys,
        randomness=randomness,
    )


def container_for(settings: Settings) -> Container:
    """Return the container that `EVREF_CONTAINER` creates; by default, a `Container`.

    Raises:
        SettingsError: If the named object is missing, fails or does not return a container; or the
            address of a storage is not valid.

    """
    container = Container(settings=settings) if settings.container is None else _named(settings)
    try:
        # This parses the addresses without connecting.
        container.storage()
    except InvalidValueError as error:
        lines = (f"{PREFIX}{fault.field.upper()} {fault.message}" for fault in error.faults)
        raise SettingsError("\n".join(lines)) from error
    return container


def _named(settings: Settings) -> Container:
    module, _, name = (settings.container or "").partition(":")
    try:
        make = getattr(import_module(module), name)
    except (ImportError, AttributeError) as error:
        raise SettingsError(f"EVREF_CONTAINER cannot be found: {error}") from error
    try:
        container = make(settings)
    except EvrefError:
        raise
    except Exception as error:
        reason = " ".join(f"{type(error).__name__}: {error}".split())
        raise SettingsError(f"EVREF_CONTAINER cannot create a container: {reason}") from error
    if not isinstance(container, containers.Container):
        raise SettingsError(f"EVREF_CONTAINER must create a container, but {name} does not")
    return container  # type: ignore[return-value]  # instances are dynamic containers
