"""The composition root: connects each port to its adapter, with dependency-injector."""

from collections.abc import Callable, Mapping
from importlib.metadata import entry_points
from pathlib import Path
from typing import ClassVar

from dependency_injector import containers, providers

from evref.adapters.outbound import memory, redis, sql, system
from evref.adapters.outbound.files import YamlCatalogueFiles, read_word_lists
from evref.application.access.gate import Gate
from evref.application.access.manage_keys import ManageKeys
from evref.application.accounts.cookie_secret import cookie_secret
from evref.application.accounts.manage_institutions import ManageInstitutions
from evref.application.accounts.passwords import Attempts, Bulkhead, Passwords
from evref.application.accounts.people import People
from evref.application.accounts.refused_sign_ins import RefusedSignIns
from evref.application.accounts.sign_in import SignIn
from evref.application.accounts.sign_in_by_proxy import SignInByProxy
from evref.application.catalogue.browse_catalogue import BrowseCatalogue
from evref.application.catalogue.load_codes import LoadCodes
from evref.application.catalogue.publish_catalogue import PublishCatalogue
from evref.application.circuit_breaker import CircuitBreaker
from evref.application.read_audit_log import ReadAuditLog
from evref.application.report_health import readiness
from evref.bootstrap.settings import PREFIX, Settings, SettingsError, StorageKind, made_by
from evref.domain.catalogue.entry import Entry
from evref.domain.errors import InvalidValueError
from evref.ports.catalogue import CatalogueFiles
from evref.ports.storage import Storage

STORAGES = "evref.storages"
"""The group of entry points that name the storages of other packages."""

BUNDLED_CATALOGUE = Path(__file__).resolve().parents[1] / "data" / "catalogue"

# gunicorn's threads may request the first instance concurrently; a Singleton could create two.
One = providers.ThreadSafeSingleton


def _example(files: CatalogueFiles) -> Entry:
    """Return an entry of the bundled catalogue, for examples in documents."""
    path = BUNDLED_CATALOGUE / "knee-osteoarthritis.yaml"
    (entry,) = files.read([path]).entries
    return entry


def _storage(settings: Settings, own: Mapping[str, Callable[[], Storage]]) -> Storage:
    """Return one of evref's own storages, or one that an entry point makes.

    Its callable gets the settings and a function that returns the SQL storage.
    """
    name = settings.storage
    if name in own:
        return own[name]()
    offered = {entry_point.name: entry_point for entry_point in entry_points(group=STORAGES)}
    if name not in offered:
        known = ", ".join([*own, *sorted(offered)])
        raise SettingsError(f"EVREF_STORAGE must be one of {known}, not {name!r}")
    return made_by(
        offered[name],
        Storage,  # type: ignore[type-abstract]  # for isinstance
        f"EVREF_STORAGE={name}",
        settings,
        own[StorageKind.SQL],
    )


class Container(containers.DeclarativeContainer):
    """Created with `Container(settings=…)`; call an attribute to get its single instance."""

    settings = providers.Dependency(instance_of=Settings)

    clock = One(system.SystemClock)
    randomness = One(system.SystemRandomness)
    passwords = One(system.Argon2PasswordHasher)
    guesser = One(system.ZxcvbnPasswordGuesser)
    catalogue_files = One(YamlCatalogueFiles)
    word_lists = One(read_word_lists)
    example = providers.Callable(_example, catalogue_files)

    own_storages = providers.Dict(
        sql=One(
            sql.SqlStorage,
            One(
                sql.SqlDatabase,
                settings.provided.database_url,
                pool_size=settings.provided.database_connections,
                timeout_seconds=settings.provided.storage_timeout_seconds,
            ),
        ).provider,
        memory=One(memory.MemoryStorage).provider,
    )
    main_storage: providers.ThreadSafeSingleton[Storage] = One(_storage, settings, own_storages)
    storage: providers.Selector[Storage] = providers.Selector(
        providers.Callable(lambda settings: "redis" if settings.quota_url else "storage", settings),
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
    gate = One(Gate, storage, clock, One(CircuitBreaker, clock))
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
    _of_passwords: ClassVar = {**_to_manage, "passwords": One(Passwords, passwords, guesser)}
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


def container_for(settings: Settings) -> Container:
    container = Container(settings=settings)
    try:
        # This parses the addresses without connecting.
        container.storage()
    except InvalidValueError as error:
        lines = (f"{PREFIX}{fault.field.upper()} {fault.message}" for fault in error.faults)
        raise SettingsError("\n".join(lines)) from error
    return container
