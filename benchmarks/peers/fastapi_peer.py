"""The API in FastAPI: dependencies, response models, SQLAlchemy's ORM, `limits` on Redis."""

import os
from collections.abc import Iterator
from datetime import date
from typing import Annotated, Any

from fastapi import Depends, FastAPI, HTTPException
from fastapi.middleware.gzip import GZipMiddleware
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from limits import RateLimitItemPerDay
from limits.storage import RedisStorage
from limits.strategies import FixedWindowRateLimiter
from pydantic import BaseModel, ConfigDict
from sqlalchemy import create_engine
from sqlalchemy.orm import Session, sessionmaker

from benchmarks.peers import models

new_session = sessionmaker(create_engine(os.environ["PEER_DATABASE_URL"]))
limiter = FixedWindowRateLimiter(RedisStorage(os.environ["PEER_REDIS_URL"]))

app = FastAPI(title="Evidence reference", version="1")
app.add_middleware(GZipMiddleware, minimum_size=1024)


class Record(BaseModel):
    model_config = ConfigDict(from_attributes=True)


class Diagnosis(Record):
    id: str
    name: str
    icd10_codes: list[str]
    icd11_codes: list[str]
    terms: dict[str, list[str]]
    broader_codes: list[str]
    scope: str | None
    mainstays: list[str]
    enabled_modules: list[str]
    checked_on: date
    reviewed: dict[str, str] | None
    version: str


class Reference(Record):
    title: str
    authors: str
    year: int
    source: str
    kind: str
    doi: str | None
    pmid: str | None
    url: str


class Intervention(Record):
    id: str
    diagnosis_id: str
    module: str
    phase: str
    title: str
    summary: str
    cautions: str | None
    fitt_vp: dict[str, str | None] | None
    evidence: dict[str, str | None]
    effects: list[dict[str, Any]]
    references: list[Reference]


class Meta(Record):
    count: int


class DiagnosisList(Record):
    data: list[Diagnosis]
    meta: Meta


class InterventionList(Record):
    data: list[Intervention]
    meta: Meta


def session() -> Iterator[Session]:
    with new_session() as opened:
        yield opened


Db = Annotated[Session, Depends(session)]
Credentials = Annotated[HTTPAuthorizationCredentials | None, Depends(HTTPBearer(auto_error=False))]


def admit(db: Db, credentials: Credentials) -> None:
    """Look the key up and count the request."""
    found = None if credentials is None else db.scalar(models.key_with(credentials.credentials))
    if found is None:
        raise HTTPException(401, "Unknown API key", {"WWW-Authenticate": "Bearer"})
    if not limiter.hit(RateLimitItemPerDay(found.daily_limit), str(found.id)):
        raise HTTPException(429, "Daily limit reached")


@app.get("/api/v1/diagnoses", dependencies=[Depends(admit)])
def list_diagnoses(db: Db) -> DiagnosisList:
    found = [Diagnosis.model_validate(row) for row in db.scalars(models.all_diagnoses())]
    return DiagnosisList(data=found, meta=Meta(count=len(found)))


@app.get(
    "/api/v1/diagnoses/{diagnosis_id}/interventions",
    dependencies=[Depends(admit)],
    response_model=InterventionList,
)
def list_interventions(db: Db, diagnosis_id: str) -> dict[str, object]:
    diagnosis = db.get(models.Diagnosis, diagnosis_id)
    if diagnosis is None:
        raise HTTPException(404, "Unknown diagnosis")
    found = db.scalars(models.visible(diagnosis)).all()
    return {"data": found, "meta": {"count": len(found)}}
