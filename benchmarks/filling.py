"""Writes the service's catalogue and keys to the tables of the peers."""

from __future__ import annotations

import secrets
from dataclasses import asdict
from pathlib import Path

from sqlalchemy import create_engine
from sqlalchemy.orm import Session

from benchmarks.peers.models import (
    ApiKey,
    Base,
    Diagnosis,
    Intervention,
    Publication,
    Reference,
    cited,
    digest,
)
from benchmarks.storages import LIMITED_TO, Tokens
from evref.domain.access.quota import HIGHEST_DAILY_LIMIT
from evref.domain.catalogue import evidence
from evref.domain.catalogue.catalogue import Catalogue, Entry


def fill_for_peers(file: Path, catalogue: Catalogue) -> Tokens:
    """Create a SQLite file, and return the keys in it."""
    engine = create_engine(f"sqlite:///{file}")
    Base.metadata.create_all(engine)
    tokens = Tokens(
        busy=secrets.token_urlsafe(), spent=secrets.token_urlsafe(), limited=secrets.token_urlsafe()
    )
    limits = {
        tokens.busy: HIGHEST_DAILY_LIMIT,
        tokens.spent: 0,
        tokens.limited: LIMITED_TO,
    }
    with Session(engine) as session:
        session.add(Publication(version=catalogue.version))
        session.add_all(
            ApiKey(token_hash=digest(token), daily_limit=limit) for token, limit in limits.items()
        )
        references: dict[evidence.Reference, Reference] = {}
        for entry in catalogue.entries:
            _add(session, entry, references)
        session.commit()
    engine.dispose()
    return tokens


def _add(session: Session, entry: Entry, references: dict[evidence.Reference, Reference]) -> None:
    diagnosis = entry.diagnosis
    session.add(
        Diagnosis(
            id=diagnosis.id,
            name=diagnosis.name,
            icd10_codes=[str(code) for code in diagnosis.icd10_codes],
            icd11_codes=[str(code) for code in diagnosis.icd11_codes],
            enabled_modules=list(diagnosis.enabled_modules),
            checked_on=diagnosis.checked_on,
            version=entry.version,
        )
    )
    for position, intervention in enumerate(entry.interventions):
        session.add(
            Intervention(
                id=intervention.id,
                diagnosis_id=intervention.diagnosis_id,
                position=position,
                module=intervention.module,
                phase=intervention.phase,
                title=intervention.title,
                summary=intervention.summary,
                fitt_vp=None if intervention.fitt_vp is None else asdict(intervention.fitt_vp),
                evidence=asdict(intervention.evidence),
            )
        )
        for place, reference in enumerate(intervention.references):
            if reference not in references:
                values = asdict(reference) | {"url": reference.url}
                del values["given_url"]
                references[reference] = Reference(**values)
                session.add(references[reference])
            session.flush()
            session.execute(
                cited.insert().values(
                    intervention_id=intervention.id,
                    position=place,
                    reference_id=references[reference].id,
                )
            )
