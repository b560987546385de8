"""The composition root: connects each port to its adapter.

Each storage is a separate container, with a provider for each port that stores something, and an
option of the selector `Container.storage`. Only this module uses dependency-injector, and only
this module imports both the ports and their adapters.
"""

from importlib import import_module
from pathlib import Path

from dependency_injector import containers, providers

from evref.adapters.outbound import memory, redis, sql, system
from evref.adapters.outbound.files import YamlCatalogueFiles, read_lexicon
from evref.application.access.admit_request import AdmitRequest
from evref.application.access.manage_keys import ManageKeys
from evref.application.access.read_limit import ReadLimit
from evref.application.accounts.attempts import Attempts
from evref.application.accounts.bulkhead import Bulkhead
from evref.application.accounts.cookie_secret import CookieSecret
from evref.application.accounts.manage_institutions import ManageInstitutions
from evref.application.accounts.manage_members import ManageMembers
from evref.application.accounts.sign_in import SignIn
from evref.application.catalogue.browse_catalogue import BrowseCatalogue
from evref.application.catalogue.find_licence import FindLicence
from evref.application.catalogue.publish_catalogue import PublishCatalogue
from evref.application.circuit_breaker import CircuitBreaker
from evref.application.consult_catalogue import ConsultCatalogue
from evref.application.provision_demo import ProvisionDemo
from evref.application.read_audit_log import ReadAuditLog
from evref.application.report_health import ReportHealth
from evref.bootstrap.settings import Settings, SettingsError
from evref.ports.access.keys import KeyStore
from evref.ports.clock import Clock
from evref.ports.storage import StorageConnections, StorageHealth

BUNDLED_CATALOGUE = Path(__file__).parents[1] / "data" / "catalogue"

# gunicorn's threads may request the first instance concurrently; a Singleton could create two.
One = providers.ThreadSafeSingleton


def _where_counted(settings: Settings) -> str:
    return "redis" if settings.quota_url else "storage"


class MemoryStores(containers.DeclarativeContainer):
    """The memory of this process."""

    state = One(memory.MemoryState)
    stored = One(memory.MemoryStorage, state)
    schema = stored
    health = stored
    connections = stored
    catalogue_store = One(memory.MemoryCatalogueStore, state)
    keys = One(memory.MemoryKeyStore, state)
    admission = One(memory.MemoryAdmission, state)
    usage_reports = One(memory.MemoryUsageReports, state)
    institutions = One(memory.MemoryInstitutionStore, state)
    members = One(memory.MemoryMemberStore, state)
    teams = One(memory.MemoryTeamStore, state)
    audit_log = One(memory.MemoryAuditLog, state)
    sessions = One(memory.MemorySessionStore, state)
    sign_in_attempts = One(memory.MemorySignInAttempts, state)
    secrets = One(memory.MemorySharedSecrets, state)


class SqlStores(containers.DeclarativeContainer):
    """A SQL database."""

    settings = providers.Dependency(instance_of=Settings)

    database = One(
        sql.SqlDatabase,
        settings.provided.database_url,
        pool_size=settings.provided.database_connections,
        timeout_seconds=settings.provided.storage_timeout_seconds,
    )
    stored = One(sql.SqlStorage, database)
    schema = stored
    health = stored
    connections = stored
    catalogue_store = One(sql.SqlCatalogueStore, database)
    keys = One(sql.SqlKeyStore, database)
    admission = One(sql.SqlAdmission, database)
    usage_reports = One(sql.SqlUsageReports, database)
    institutions = One(sql.SqlInstitutionStore, database)
    members = One(sql.SqlMemberStore, database)
    teams = One(sql.SqlTeamStore, database)
    audit_log = One(sql.SqlAuditLog, database)
    sessions = One(sql.SqlSessionStore, database)
    sign_in_attempts = One(sql.SqlSignInAttempts, database)
    secrets = One(sql.SqlSharedSecrets, database)


class RedisCounters(containers.DeclarativeContainer):
    """Redis for the counters; another storage has everything else."""

    settings = providers.Dependency(instance_of=Settings)
    stored_health: providers.Dependency[StorageHealth] = providers.Dependency()
    stored_connections: providers.Dependency[StorageConnections] = providers.Dependency()
    keys: providers.Dependency[KeyStore] = providers.Dependency()
    clock: providers.Dependency[Clock] = providers.Dependency()

    server = One(
        redis.RedisServer,
        settings.provided.quota_url,
        timeout_seconds=settings.provided.storage_timeout_seconds,
    )
    health = One(redis.RedisHealth, stored_health, server)
    connections = One(redis.RedisConnections, stored_connections, server)
    admission = One(redis.RedisAdmission, server, keys, clock)
    usage_reports = One(redis.RedisUsageReports, server)


class Container(containers.DeclarativeContainer):
    """Created with `Container(settings=…)`; call an attribute to get its single instance."""

    settings = providers.Dependency(instance_of=Settings)

    clock = One(system.SystemClock)
    randomness = One(system.SystemRandomness)
    passwords = One(system.Argon2PasswordHasher)
    guesser = One(system.ZxcvbnPasswordGuesser)
    catalogue_files = One(YamlCatalogueFiles)
    lexicon = One(read_lexicon)

    memory = providers.Container(MemoryStores)
    sql = providers.Container(SqlStores, settings=settings)
    storage = providers.Selector(settings.provided.storage, memory=memory, sql=sql)
    schema = storage.provided.schema.call()
    catalogue_store = storage.provided.catalogue_store.call()
    keys = storage.provided.keys.call()
    institutions = storage.provided.institutions.call()
    members = storage.provided.members.call()
    teams = storage.provided.teams.call()
    audit_log = storage.provided.audit_log.call()
    sessions = storage.provided.sessions.call()
    sign_in_attempts = storage.provided.sign_in_attempts.call()
    secrets = storage.provided.secrets.call()

    redis = providers.Container(
        RedisCounters,
        settings=settings,
        stored_health=storage.provided.health.call(),
        stored_connections=storage.provided.connections.call(),
        keys=keys,
        clock=clock,
    )
    counters = providers.Selector(
        providers.Callable(_where_counted, settings), storage=storage, redis=redis
    )
    health = counters.provided.health.call()
    connections = counters.provided.connections.call()
    admission = counters.provided.admission.call()
    usage_reports = counters.provided.usage_reports.call()

    circuit_breaker = One(CircuitBreaker, clock)
    admit = One(AdmitRequest, admission, clock, circuit_breaker)
    read_limit = One(ReadLimit, admission, clock, circuit_breaker)
    browse = One(BrowseCatalogue, catalogue_store, clock, circuit_breaker, lexicon)
    find_licence = One(FindLicence, catalogue_store, circuit_breaker, settings.provided.licence)
    consult = providers.Factory(ConsultCatalogue, browse=browse, admit=admit)
    publish = One(PublishCatalogue, catalogue_store, catalogue_files, clock, BUNDLED_CATALOGUE)
    report_health = One(ReportHealth, health, browse)
    manage_keys = One(
        ManageKeys,
        keys=keys,
        usage_reports=usage_reports,
        clock=clock,
        randomness=randomness,
    )
    manage_institutions = One(
        ManageInstitutions,
        institutions=institutions,
        members=members,
        teams=teams,
        passwords=passwords,
        guesser=guesser,
        clock=clock,
        randomness=randomness,
    )
    bulkhead = One(Bulkhead)
    manage_members = One(
        ManageMembers,
        institutions=institutions,
        members=members,
        teams=teams,
        bulkhead=bulkhead,
        passwords=passwords,
        guesser=guesser,
        clock=clock,
        randomness=randomness,
    )
    attempts = One(Attempts, sign_in_attempts, bulkhead, clock)
    sign_in = One(
        SignIn,
        members=members,
        institutions=institutions,
        sessions=sessions,
        attempts=attempts,
        passwords=passwords,
        guesser=guesser,
        clock=clock,
        randomness=randomness,
    )
    cookie_secret = One(CookieSecret, secrets, randomness, settings.provided.secret_key)
    read_audit_log = One(ReadAuditLog, audit_log)
    provision_demo = One(
        ProvisionDemo, institutions=manage_institutions, keys=manage_keys, randomness=randomness
    )


def container_for(settings: Settings) -> Container:
    """Return the container that `EVREF_CONTAINER` makes; by default, the one above.

    Raises:
        SettingsError: If the named object is missing or does not return a container.

    """
    if settings.container is None:
        return Container(settings=settings)
    module, _, name = settings.container.partition(":")
    try:
        make = getattr(import_module(module), name)
    except (ImportError, AttributeError) as error:
        raise SettingsError(f"EVREF_CONTAINER cannot be found: {error}") from error
    made = make(settings)
    if not isinstance(made, containers.Container):
        raise SettingsError(f"EVREF_CONTAINER must make a container, which {name} does not")
    return made  # type: ignore[return-value]  # instances are dynamic containers
