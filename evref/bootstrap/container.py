"""The composition root: which adapter stands behind each port, and nothing else.

Only this module knows dependency-injector, and only it knows both sides of the ports.
"""

from importlib import import_module
from pathlib import Path

from dependency_injector import containers, providers

from evref.adapters.outbound import memory, redis, sql, system
from evref.adapters.outbound.files import YamlCatalogueFiles
from evref.application.admit_request import AdmitRequest
from evref.application.browse_catalogue import BrowseCatalogue
from evref.application.circuit_breaker import CircuitBreaker
from evref.application.consult_catalogue import ConsultCatalogue
from evref.application.manage_institutions import ManageInstitutions
from evref.application.manage_keys import ManageKeys
from evref.application.provision_demo import ProvisionDemo
from evref.application.publish_catalogue import PublishCatalogue
from evref.application.read_audit_log import ReadAuditLog
from evref.application.report_health import ReportHealth
from evref.application.share_secret import ShareSecret
from evref.application.sign_in import SignIn
from evref.bootstrap.settings import Settings, SettingsError

BUNDLED_CATALOGUE = Path(__file__).parents[1] / "data" / "catalogue"

# gunicorn's threads ask for the first instance at once; a plain Singleton would make two.
One = providers.ThreadSafeSingleton


def _where_counted(settings: Settings) -> str:
    return "redis" if settings.quota_url else "storage"


class Container(containers.DeclarativeContainer):
    """Made with `Container(settings=…)`; each attribute is called to get the one instance."""

    settings = providers.Dependency(instance_of=Settings)

    clock = One(system.SystemClock)
    randomness = One(system.SystemRandomness)
    passwords = One(system.Argon2PasswordHasher)
    guesser = One(system.ZxcvbnPasswordGuesser)
    catalogue_files = One(YamlCatalogueFiles)

    state = One(memory.MemoryState)
    database = One(
        sql.SqlDatabase,
        settings.provided.database_url,
        pool_size=settings.provided.database_connections,
        timeout_seconds=settings.provided.storage_timeout_seconds,
    )

    counters = One(
        redis.RedisServer,
        settings.provided.quota_url,
        timeout_seconds=settings.provided.storage_timeout_seconds,
    )
    count_in = providers.Callable(_where_counted, settings)

    stored = providers.Selector(
        settings.provided.storage,
        memory=One(memory.MemoryStorage, state),
        sql=One(sql.SqlStorage, database),
    )
    schema = stored
    health = providers.Selector(
        count_in,
        storage=stored,
        redis=One(redis.RedisHealth, stored, counters),
    )
    connections = providers.Selector(
        count_in,
        storage=stored,
        redis=One(redis.RedisConnections, stored, counters),
    )
    catalogue_store = providers.Selector(
        settings.provided.storage,
        memory=One(memory.MemoryCatalogueStore, state),
        sql=One(sql.SqlCatalogueStore, database),
    )
    keys = providers.Selector(
        settings.provided.storage,
        memory=One(memory.MemoryKeyStore, state),
        sql=One(sql.SqlKeyStore, database),
    )
    admission = providers.Selector(
        count_in,
        storage=providers.Selector(
            settings.provided.storage,
            memory=One(memory.MemoryAdmission, state),
            sql=One(sql.SqlAdmission, database),
        ),
        redis=One(redis.RedisAdmission, counters, keys, clock),
    )
    usage_reports = providers.Selector(
        count_in,
        storage=providers.Selector(
            settings.provided.storage,
            memory=One(memory.MemoryUsageReports, state),
            sql=One(sql.SqlUsageReports, database),
        ),
        redis=One(redis.RedisUsageReports, counters),
    )
    institutions = providers.Selector(
        settings.provided.storage,
        memory=One(memory.MemoryInstitutionStore, state),
        sql=One(sql.SqlInstitutionStore, database),
    )
    members = providers.Selector(
        settings.provided.storage,
        memory=One(memory.MemoryMemberStore, state),
        sql=One(sql.SqlMemberStore, database),
    )
    audit_log = providers.Selector(
        settings.provided.storage,
        memory=One(memory.MemoryAuditLog, state),
        sql=One(sql.SqlAuditLog, database),
    )
    sessions = providers.Selector(
        settings.provided.storage,
        memory=One(memory.MemorySessionStore, state),
        sql=One(sql.SqlSessionStore, database),
    )
    sign_in_attempts = providers.Selector(
        settings.provided.storage,
        memory=One(memory.MemorySignInAttempts, state),
        sql=One(sql.SqlSignInAttempts, database),
    )
    secrets = providers.Selector(
        settings.provided.storage,
        memory=One(memory.MemorySharedSecrets, state),
        sql=One(sql.SqlSharedSecrets, database),
    )

    circuit_breaker = One(CircuitBreaker, clock)
    admit = One(AdmitRequest, admission, clock, circuit_breaker)
    browse = One(BrowseCatalogue, catalogue_store, clock, circuit_breaker)
    consult = providers.Factory(ConsultCatalogue, browse=browse, admit=admit)
    publish = One(PublishCatalogue, catalogue_store, catalogue_files, clock, BUNDLED_CATALOGUE)
    report_health = One(ReportHealth, health, browse)
    manage_keys = One(
        ManageKeys,
        keys=keys,
        institutions=institutions,
        usage_reports=usage_reports,
        clock=clock,
        randomness=randomness,
    )
    manage_institutions = One(
        ManageInstitutions,
        institutions=institutions,
        members=members,
        passwords=passwords,
        guesser=guesser,
        clock=clock,
        randomness=randomness,
    )
    sign_in = One(
        SignIn,
        members=members,
        institutions=institutions,
        sessions=sessions,
        attempts=sign_in_attempts,
        passwords=passwords,
        guesser=guesser,
        clock=clock,
        randomness=randomness,
    )
    share_secret = One(ShareSecret, secrets, randomness, settings.provided.secret_key)
    read_audit_log = One(ReadAuditLog, audit_log)
    provision_demo = One(
        ProvisionDemo, institutions=manage_institutions, keys=manage_keys, randomness=randomness
    )


def container_for(settings: Settings) -> Container:
    """The container that `EVREF_CONTAINER` makes, else the one above.

    Raises:
        SettingsError: when what it names makes none.

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
