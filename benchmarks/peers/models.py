"""The catalogue and the keys as SQLAlchemy ORM tables, for the FastAPI and APIFlask peers."""

from __future__ import annotations

import hashlib
from datetime import UTC, date, datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import JSON, Column, ForeignKey, Integer, Select, Table, select
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column, relationship

DISCLAIMER = "Educational reference data. It gives no clinical decisions."


class Module(StrEnum):
    FITT_VIP = "fitt_vip"
    PHARMACONEUTRAL = "pharmaconeutral"
    HOME = "home"
    CONCEPT = "concept"
    PREVENTION = "prevention"
    DIAGNOSTIC = "diagnostic"


class Phase(StrEnum):
    ACUTE = "acute"
    SUBACUTE = "subacute"
    CHRONIC = "chronic"


class Base(DeclarativeBase):
    type_annotation_map = {list[str]: JSON, dict[str, Any]: JSON(none_as_null=True)}  # noqa: RUF012


class Publication(Base):
    __tablename__ = "publication"

    version: Mapped[str] = mapped_column(primary_key=True)


class Diagnosis(Base):
    __tablename__ = "diagnoses"

    id: Mapped[str] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(index=True)
    icd10_codes: Mapped[list[str]]
    icd11_codes: Mapped[list[str]]
    enabled_modules: Mapped[list[str]]
    checked_on: Mapped[date]
    version: Mapped[str]


cited = Table(
    "cited",
    Base.metadata,
    Column("intervention_id", ForeignKey("interventions.id"), primary_key=True),
    Column("position", Integer, primary_key=True),
    Column("reference_id", ForeignKey("references.id")),
)


class Reference(Base):
    __tablename__ = "references"

    id: Mapped[int] = mapped_column(primary_key=True)
    title: Mapped[str]
    authors: Mapped[str]
    year: Mapped[int]
    source: Mapped[str]
    kind: Mapped[str]
    doi: Mapped[str | None]
    pmid: Mapped[str | None]
    url: Mapped[str]


class Intervention(Base):
    __tablename__ = "interventions"

    id: Mapped[str] = mapped_column(primary_key=True)
    diagnosis_id: Mapped[str] = mapped_column(ForeignKey("diagnoses.id"), index=True)
    position: Mapped[int]
    module: Mapped[str]
    phase: Mapped[str]
    title: Mapped[str]
    summary: Mapped[str]
    fitt_vp: Mapped[dict[str, Any] | None]
    evidence: Mapped[dict[str, Any]]
    references: Mapped[list[Reference]] = relationship(
        secondary=cited, order_by=cited.c.position, lazy="selectin"
    )


class ApiKey(Base):
    __tablename__ = "api_keys"

    id: Mapped[int] = mapped_column(primary_key=True)
    token_hash: Mapped[str] = mapped_column(unique=True)
    daily_limit: Mapped[int]
    expires_on: Mapped[date | None]
    revoked: Mapped[bool] = mapped_column(default=False)

    @property
    def is_live(self) -> bool:
        return not self.revoked and (
            self.expires_on is None or self.expires_on >= datetime.now(UTC).date()
        )


def digest(token: str) -> str:
    """Return the digest of a key, which is stored instead of the key."""
    return hashlib.sha256(token.encode()).hexdigest()


def key_with(token: str) -> Select[ApiKey]:
    return select(ApiKey).where(ApiKey.token_hash == digest(token))


def visible(
    diagnosis: Diagnosis, module: Module | None, phase: Phase | None
) -> Select[Intervention]:
    """Select the visible interventions of a diagnosis, in order."""
    statement = select(Intervention).where(
        Intervention.diagnosis_id == diagnosis.id,
        Intervention.module.in_(diagnosis.enabled_modules),
    )
    if module is not None:
        statement = statement.where(Intervention.module == module)
    if phase is not None:
        statement = statement.where(Intervention.phase == phase)
    return statement.order_by(Intervention.position)
