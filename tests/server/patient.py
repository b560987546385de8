"""The service with long storage timeouts, for tests in which no request may be refused.

On a busy machine, storage can take longer than operators can set, and than a request may wait.
"""

from evref.bootstrap.container import Container
from evref.bootstrap.settings import Settings, StorageKind
from evref.ports import deadline
from evref.ports.storage import Storage
from tests.servers import PATIENCE


def storage(settings: Settings, _default: object) -> Storage:
    """Return what `EVREF_STORAGE=patient` names in the servers of these tests."""
    deadline.REQUEST_SECONDS = PATIENCE
    made: Storage = container(settings).main_storage()
    return made


def container(settings: Settings) -> Container:
    patience = {"storage": StorageKind.SQL, "storage_timeout_seconds": PATIENCE}
    return Container(settings=settings.model_copy(update=patience))
