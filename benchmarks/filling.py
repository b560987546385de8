"""Writes the catalogue, as the service returns it, and keys to the tables of the peers."""

from __future__ import annotations

import secrets
from datetime import date
from pathlib import Path
from typing import Any

from sqlalchemy import create_engine
from sqlalchemy.orm import Session

from benchmarks.peers.models import ApiKey, Base, Diagnosis, Intervention, Reference, digest
from benchmarks.storages import LIMITED_TO, Keys
from evref.domain.access.quota import HIGHEST_DAILY_LIMIT


def fill_for_peers(file: Path, entries: list[dict[str, Any]]) -> Keys:
    """Create a SQLite file, and return the keys in it."""
    engine = create_engine(f"sqlite:///{file}")
    Base.metadata.create_all(engine)
    keys = {}
    with Session(engine) as session:
        for name, limit in (("busy", HIGHEST_DAILY_LIMIT), ("limited", LIMITED_TO)):
            keys[name] = secrets.token_urlsafe()
            session.add(ApiKey(token_hash=digest(keys[name]), daily_limit=limit))
        for entry in entries:
            diagnosis = entry["diagnosis"]
            diagnosis["checked_on"] = date.fromisoformat(diagnosis["checked_on"])
            session.add(Diagnosis(**diagnosis))
            for position, record in enumerate(entry["interventions"]):
                works = [Reference(**work) for work in record.pop("references")]
                session.add(Intervention(**record, position=position, references=works))
        session.commit()
    engine.dispose()
    return keys
