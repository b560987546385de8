"""Tests of publishing catalogues from files, and of rollbacks."""

from datetime import timedelta
from pathlib import Path

import pytest

from evref.adapters.outbound.memory import MemoryStorage
from evref.adapters.outbound.memory.catalogue import MemoryPublishedCatalogue
from evref.application.catalogue.publish_catalogue import PublishCatalogue
from evref.domain.audit import Action, AuditEntry, Subject, SubjectKind
from evref.domain.catalogue.catalogue import Catalogue
from evref.domain.errors import CatalogueReplacedError, StorageUnavailableError
from evref.ports.storage import AuditLog
from evref.testing.builders import NOON, OPERATOR, a_catalogue, an_entry
from evref.testing.filling import keep_catalogue
from tests.fakes import BreakableStorage, FakeCatalogueFiles, FakeClock

BUNDLED, ONE, OTHER = Path("bundled"), Path("one"), Path("other")
CATALOGUES = {
    BUNDLED: a_catalogue(an_entry("bundled")),
    ONE: a_catalogue(an_entry("kept"), an_entry("edited"), an_entry("gone")),
    OTHER: a_catalogue(an_entry("kept"), an_entry("edited", name="Edited"), an_entry("new")),
}


@pytest.fixture
def files() -> FakeCatalogueFiles:
    files = FakeCatalogueFiles()
    files.held = dict(CATALOGUES)
    return files


@pytest.fixture
def publish(
    store: BreakableStorage, files: FakeCatalogueFiles, clock: FakeClock
) -> PublishCatalogue:
    return PublishCatalogue(store, files, clock, BUNDLED)


def load(publish: PublishCatalogue, path: Path) -> None:
    """Publish the files at the path, even if this removes diagnoses."""
    plan = publish.plan_load(OPERATOR, path)
    publish.publish(OPERATOR, plan, by="ward", allow_removals=True)


def served(publish: PublishCatalogue) -> str:
    return publish.status(OPERATOR)[1].version


def test_the_later_of_two_concurrent_plans_is_refused(publish: PublishCatalogue) -> None:
    """The changes in the later plan refer to a catalogue that has been replaced."""
    first, second = (
        publish.plan_load(OPERATOR, ONE),
        publish.plan_load(OPERATOR, OTHER),
    )
    publish.publish(OPERATOR, first, by="ward")

    with pytest.raises(CatalogueReplacedError):
        publish.publish(OPERATOR, second, by="other ward", allow_removals=True)

    assert served(publish) == CATALOGUES[ONE].version
    assert len(publish.history(OPERATOR)) == 1


class DamagedCatalogue(MemoryPublishedCatalogue):
    """Contains catalogues that can be replaced but no longer read."""

    def load(self, version: str | None = None) -> Catalogue | None:
        raise StorageUnavailableError("the stored catalogue is damaged")


def test_a_damaged_catalogue_can_be_published_again(
    storage: MemoryStorage, files: FakeCatalogueFiles, clock: FakeClock
) -> None:
    store = storage.catalogue = DamagedCatalogue(storage.state)
    publish = PublishCatalogue(storage, files, clock, BUNDLED)
    keep_catalogue(storage, CATALOGUES[ONE])

    publish.publish(OPERATOR, publish.plan_load(OPERATOR, ONE), by="ward")

    assert store.history()[0].version == CATALOGUES[ONE].version
    assert len(store.history()) == 2


def test_each_publication_and_rollback_is_audited(
    publish: PublishCatalogue, audit: AuditLog, clock: FakeClock
) -> None:
    load(publish, ONE)
    load(publish, ONE)
    load(publish, OTHER)
    clock.advance(days=1)
    publish.publish(
        OPERATOR, publish.plan_rollback(OPERATOR), by="night shift", allow_removals=True
    )

    one, other = CATALOGUES[ONE].version, CATALOGUES[OTHER].version
    rollback, *earlier = audit.entries(None)
    assert rollback == AuditEntry(
        at=NOON + timedelta(days=1),
        institution_id=None,
        actor="operator",
        action=Action.CATALOGUE_PUBLISHED,
        subject=Subject(SubjectKind.CATALOGUE, one),
        detail=f"by night shift: 1 added, 1 changed, 1 removed; in place of {other}",
    )
    assert [entry.detail for entry in earlier] == [
        f"by ward: 1 added, 1 changed, 1 removed; in place of {one}",
        "by ward: 3 added, 0 changed, 0 removed; in place of none",
    ]


def test_the_bundled_catalogue_is_published_where_there_is_none_or_an_older_bundled_one(
    publish: PublishCatalogue, files: FakeCatalogueFiles
) -> None:
    """Removals need no permission, because the operator never chose what is removed."""
    for name, removed in (("bundled", ()), ("newly-bundled", ("bundled",))):
        files.held[BUNDLED] = a_catalogue(an_entry(name))

        plan = publish.publish_bundled(OPERATOR, by="root")

        assert plan is not None
        assert (plan.changes.added, plan.changes.removed) == ((name,), removed)
        assert served(publish) == files.held[BUNDLED].version
        assert publish.history(OPERATOR)[0].is_bundled
        assert publish.history(OPERATOR)[0].published_by == "root"
        assert publish.publish_bundled(OPERATOR, by="root") is None


def test_the_bundled_catalogue_counts_as_bundled_wherever_it_is_loaded_from(
    publish: PublishCatalogue, files: FakeCatalogueFiles
) -> None:
    """A catalogue that counts as bundled has the bundled licence and is replaced by a newer one."""
    load(publish, ONE)
    files.held[OTHER] = files.held[BUNDLED]
    load(publish, OTHER)

    assert [publication.is_bundled for publication in publish.history(OPERATOR)] == [True, False]
    files.held[BUNDLED] = a_catalogue(an_entry("newly-bundled"))
    assert publish.publish_bundled(OPERATOR, by="root") is not None


def test_the_bundled_catalogue_does_not_replace_one_that_the_operator_chose(
    publish: PublishCatalogue, files: FakeCatalogueFiles
) -> None:
    """The operator chooses a catalogue by loading files, or by a rollback to an earlier one."""
    publish.publish_bundled(OPERATOR, by="root")
    load(publish, ONE)
    files.held[BUNDLED] = a_catalogue(an_entry("newly-bundled"))

    assert publish.publish_bundled(OPERATOR, by="root") is None
    assert served(publish) == CATALOGUES[ONE].version

    publish.publish(OPERATOR, publish.plan_rollback(OPERATOR), by="ward", allow_removals=True)
    assert publish.publish_bundled(OPERATOR, by="root") is None
    assert served(publish) == CATALOGUES[BUNDLED].version
