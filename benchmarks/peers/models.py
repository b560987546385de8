"""The catalogue and the keys as SQLAlchemy ORM tables, for the FastAPI and APIFlask peers."""

from __future__ import annotations

import hashlib
from datetime import date
from typing import Any

from sqlalchemy import JSON, ForeignKey, Select, select
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column, relationship


class Base(DeclarativeBase):
    type_annotation_map = {  # noqa: RUF012
        list[str]: JSON,
        list[dict[str, Any]]: JSON,
        dict[str, Any]: JSON(none_as_null=True),
    }


class Diagnosis(Base):
    __tablename__ = "diagnoses"

    id: Mapped[str] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(index=True)
    icd10_codes: Mapped[list[str]]
    icd11_codes: Mapped[list[str]]
    terms: Mapped[dict[str, Any]]
    broader_codes: Mapped[list[str]]
    scope: Mapped[str | None]
    mainstays: Mapped[list[str]]
    enabled_modules: Mapped[list[str]]
    checked_on: Mapped[date]
    reviewed: Mapped[dict[str, Any] | None]
    version: Mapped[str]


class Reference(Base):
    __tablename__ = "references"

    id: Mapped[int] = mapped_column(primary_key=True)
    intervention_id: Mapped[str] = mapped_column(ForeignKey("interventions.id"), index=True)
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
    cautions: Mapped[str | None]
    fitt_vp: Mapped[dict[str, Any] | None]
    evidence: Mapped[dict[str, Any]]
    effects: Mapped[list[dict[str, Any]]]
    references: Mapped[list[Reference]] = relationship(order_by=Reference.id, lazy="selectin")


class ApiKey(Base):
    __tablename__ = "api_keys"

    id: Mapped[int] = mapped_column(primary_key=True)
    token_hash: Mapped[str] = mapped_column(unique=True)
    daily_limit: Mapped[int]


def digest(token: str) -> str:
    """Return the digest of a key, which is stored instead of the key."""
    return hashlib.sha256(token.encode()).hexdigest()


def key_with(token: str) -> Select[ApiKey]:
    return select(ApiKey).where(ApiKey.token_hash == digest(token))


def all_diagnoses() -> Select[Diagnosis]:
    return select(Diagnosis).order_by(Diagnosis.name, Diagnosis.id)


def visible(diagnosis: Diagnosis) -> Select[Intervention]:
    """Select the visible interventions of a diagnosis, in order."""
    return (
        select(Intervention)
        .where(
            Intervention.diagnosis_id == diagnosis.id,
            Intervention.module.in_(diagnosis.enabled_modules),
        )
        .order_by(Intervention.position)
    )
