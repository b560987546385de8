"""The service with long storage timeouts, for tests in which no request may be refused.

On a busy machine, storage can take longer than the longest timeout that operators can set.
"""

from evref.bootstrap.container import Container
from evref.bootstrap.settings import Settings
from tests.servers import PATIENCE

CONTAINER = f"{__name__}:container"
"""The value of EVREF_CONTAINER."""


def container(settings: Settings) -> Container:
    return Container(settings=settings.model_copy(update={"storage_timeout_seconds": PATIENCE}))
