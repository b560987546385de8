"""The service with this catalogue store instead of evref's own."""

import os
from pathlib import Path

from evref.bootstrap.container import Container
from evref.bootstrap.settings import Settings
from evref_jsonlines.store import JsonLinesCatalogueStore


def container(settings: Settings) -> Container:
    """Build the container; `EVREF_CONTAINER=evref_jsonlines.wiring:container` names it."""
    made = Container(settings=settings)
    file = Path(os.environ.get("CATALOGUE_FILE", "catalogue.jsonl"))
    made.catalogue_store.override(JsonLinesCatalogueStore(file))
    return made
