"""The API in FastAPI: dependencies, response models, SQLAlchemy's ORM, `limits` on Redis."""

import os
from collections.abc import Iterator
from datetime import date
from typing import Annotated

from fastapi import Depends, FastAPI, HTTPException, Request, Response
from fastapi.middleware.gzip import GZipMiddleware
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from limits import RateLimitItemPerDay
from limits.storage import RedisStorage
from limits.strategies import FixedWindowRateLimiter
from pydantic import BaseModel, ConfigDict
from sqlalchemy import create_engine, select
from sqlalchemy.orm import Session, sessionmaker

from benchmarks.peers import models
from benchmarks.peers.models import DISCLAIMER, Module, Phase

engine = create_engine(os.environ["PEER_DATABASE_URL"])
new_session = sessionmaker(engine)
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
    enabled_modules: list[Module]
    checked_on: date
    version: str


class FittVp(Record):
    frequency: str | None
    intensity: str | None
    time: str | None
    type: str | None
    volume: str | None
    progression: str | None


class Evidence(Record):
    certainty: str
    recommendation: str
    direction: str
    source_grade: str | None


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
    module: Module
    phase: Phase
    title: str
    summary: str
    fitt_vp: FittVp | None
    evidence: Evidence
    references: list[Reference]


class Filters(Record):
    module: Module | None
    phase: Phase | None


class Meta(Record):
    count: int
    catalogue_version: str
    disclaimer: str = DISCLAIMER


class InterventionsMeta(Meta):
    diagnosis: Diagnosis
    filters: Filters


class DiagnosisList(Record):
    data: list[Diagnosis]
    meta: Meta


class InterventionList(Record):
    data: list[Intervention]
    meta: InterventionsMeta


def session() -> Iterator[Session]:
    with new_session() as opened:
        yield opened


Db = Annotated[Session, Depends(session)]
Credentials = Annotated[HTTPAuthorizationCredentials | None, Depends(HTTPBearer(auto_error=False))]


def admit(db: Db, credentials: Credentials, response: Response) -> None:
    """Look the key up and count the request."""
    found = None if credentials is None else db.scalar(models.key_with(credentials.credentials))
    if found is None or not found.is_live:
        raise HTTPException(401, "Unknown API key", {"WWW-Authenticate": "Bearer"})
    item = RateLimitItemPerDay(found.daily_limit)
    admitted = limiter.hit(item, str(found.id))
    window = limiter.get_window_stats(item, str(found.id))
    headers = {
        "X-RateLimit-Limit": str(found.daily_limit),
        "X-RateLimit-Remaining": str(window.remaining),
        "X-RateLimit-Reset": str(int(window.reset_time)),
    }
    if not admitted:
        raise HTTPException(429, "Daily limit reached", headers)
    response.headers.update(headers)


def catalogue_version(db: Db, request: Request, response: Response) -> str:
    """Return the catalogue's version; abort with 304 if the client has its response."""
    version = db.scalars(select(models.Publication.version)).one()
    etag = f'"{version}"'
    response.headers["ETag"] = etag
    if request.headers.get("If-None-Match") == etag:
        raise HTTPException(304, headers=dict(response.headers))
    return version


Admitted = Depends(admit)
Version = Annotated[str, Depends(catalogue_version)]


@app.get("/health/live")
def live() -> dict[str, str]:
    return {"status": "ok"}


@app.get("/api/v1/diagnoses", dependencies=[Admitted])
def list_diagnoses(db: Db, version: Version) -> DiagnosisList:
    statement = select(models.Diagnosis).order_by(models.Diagnosis.name, models.Diagnosis.id)
    found = [Diagnosis.model_validate(row) for row in db.scalars(statement)]
    return DiagnosisList(data=found, meta=Meta(count=len(found), catalogue_version=version))


@app.get(
    "/api/v1/diagnoses/{diagnosis_id}/interventions",
    dependencies=[Admitted],
    response_model=InterventionList,
)
def list_interventions(
    db: Db,
    version: Version,
    diagnosis_id: str,
    module: Module | None = None,
    phase: Phase | None = None,
) -> dict[str, object]:
    diagnosis = db.get(models.Diagnosis, diagnosis_id)
    if diagnosis is None:
        raise HTTPException(404, "Unknown diagnosis")
    found = db.scalars(models.visible(diagnosis, module, phase)).all()
    return {
        "data": found,
        "meta": {
            "count": len(found),
            "catalogue_version": version,
            "diagnosis": diagnosis,
            "filters": {"module": module, "phase": phase},
        },
    }
