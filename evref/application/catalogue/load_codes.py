"""Load the map with which SNOMED CT codes are read."""

from dataclasses import dataclass
from pathlib import Path

from evref.domain.audit import Action
from evref.domain.catalogue.snomed import LoadedMap, SnomedMap
from evref.domain.errors import NoCodesError
from evref.domain.principal import Principal, Right, authorise
from evref.ports.catalogue import CatalogueFiles, MapFile
from evref.ports.storage import Storage
from evref.ports.system import Clock


@dataclass(eq=False)
class LoadCodes:
    storage: Storage
    files: CatalogueFiles
    clock: Clock

    def read_map(self, principal: Principal, path: Path, refset: str | None = None) -> MapFile:
        authorise(principal, Right.OPERATE)
        return self.files.read_snomed_map(path, refset)

    def load(self, principal: Principal, snomed: SnomedMap, *, by: str) -> None:
        """Replace the map; `by` names the person who loads it."""
        authorise(principal, Right.OPERATE)
        now = self.clock.now()
        with self.storage.changes(principal, now) as changes:
            changes.catalogue.replace_map(LoadedMap(snomed, now, by))
            changes.record(Action.CODES_LOADED, f"by {by}: {len(snomed.groups)} of SNOMED CT")

    def remove(self, principal: Principal, *, by: str) -> None:
        self.status(principal)
        with self.storage.changes(principal, self.clock.now()) as changes:
            changes.catalogue.replace_map(None)
            changes.record(Action.CODES_REMOVED, f"by {by}: of SNOMED CT")

    def status(self, principal: Principal) -> LoadedMap:
        authorise(principal, Right.OPERATE)
        loaded = self.storage.catalogue.loaded_map()
        if loaded is None:
            raise NoCodesError
        return loaded

    def leading(self, principal: Principal, snomed: SnomedMap) -> int:
        """Return the number of codes of a map that lead to a diagnosis of the served catalogue."""
        authorise(principal, Right.OPERATE)
        catalogue = self.storage.catalogue.load()
        return 0 if catalogue is None else snomed.count_leading_to(catalogue)
