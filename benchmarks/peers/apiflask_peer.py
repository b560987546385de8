"""The API in APIFlask: marshmallow, SQLAlchemy's ORM, Flask-Limiter on Redis."""

import os
from typing import Any

from apiflask import APIFlask, HTTPTokenAuth, Schema, fields
from flask import Response, abort, g, request
from flask_limiter import Limiter
from sqlalchemy import create_engine, select
from sqlalchemy.orm import Session, sessionmaker

from benchmarks.peers import models
from benchmarks.peers.models import DISCLAIMER, Module, Phase

app = APIFlask("apiflask_peer", title="Evidence reference", version="1")
engine = create_engine(os.environ["PEER_DATABASE_URL"])
new_session = sessionmaker(engine)
auth = HTTPTokenAuth()
limiter = Limiter(
    lambda: str(g.key.id),
    app=app,
    storage_uri=os.environ["PEER_REDIS_URL"],
    strategy="fixed-window",
    headers_enabled=True,
)


class Diagnosis(Schema):
    id = fields.String()
    name = fields.String()
    icd10_codes = fields.List(fields.String())
    icd11_codes = fields.List(fields.String())
    enabled_modules = fields.List(fields.String())
    checked_on = fields.Date()
    version = fields.String()


class FittVp(Schema):
    frequency = fields.String()
    intensity = fields.String()
    time = fields.String()
    type = fields.String()
    volume = fields.String()
    progression = fields.String()


class Evidence(Schema):
    certainty = fields.String()
    recommendation = fields.String()
    direction = fields.String()
    source_grade = fields.String()


class Reference(Schema):
    title = fields.String()
    authors = fields.String()
    year = fields.Integer()
    source = fields.String()
    kind = fields.String()
    doi = fields.String()
    pmid = fields.String()
    url = fields.String()


class Intervention(Schema):
    id = fields.String()
    diagnosis_id = fields.String()
    module = fields.String()
    phase = fields.String()
    title = fields.String()
    summary = fields.String()
    fitt_vp = fields.Nested(FittVp)
    evidence = fields.Nested(Evidence)
    references = fields.List(fields.Nested(Reference))


class Filters(Schema):
    module = fields.Enum(Module, by_value=True, load_default=None)
    phase = fields.Enum(Phase, by_value=True, load_default=None)


class Meta(Schema):
    count = fields.Integer()
    catalogue_version = fields.String()
    disclaimer = fields.String()


class InterventionsMeta(Meta):
    diagnosis = fields.Nested(Diagnosis)
    filters = fields.Nested(Filters)


class DiagnosisList(Schema):
    data = fields.List(fields.Nested(Diagnosis))
    meta = fields.Nested(Meta)


class InterventionList(Schema):
    data = fields.List(fields.Nested(Intervention))
    meta = fields.Nested(InterventionsMeta)


def session() -> Session:
    """Return the session of this request."""
    if "session" not in g:
        g.session = new_session()
    opened: Session = g.session
    return opened


@app.teardown_appcontext
def close_session(_error: BaseException | None) -> None:
    if "session" in g:
        g.session.close()


def verify(token: str) -> bool:
    g.key = session().scalar(models.key_with(token))
    return g.key is not None and g.key.is_live


auth.verify_token(verify)


daily_limit = limiter.shared_limit(lambda: f"{g.key.daily_limit} per day", scope="daily")


def catalogue_version() -> str:
    """Return the catalogue's version; abort with 304 if the client has its response."""
    version = session().scalars(select(models.Publication.version)).one()
    g.etag = version
    if version in request.if_none_match:
        abort(Response(status=304))
    return version


@app.after_request
def add_etag(response: Response) -> Response:
    if "etag" in g:
        response.set_etag(g.etag)
    return response


@app.get("/health/live")
def live() -> dict[str, str]:
    return {"status": "ok"}


@app.get("/api/v1/diagnoses")
@app.auth_required(auth)
@daily_limit
@app.output(DiagnosisList)
def list_diagnoses() -> dict[str, Any]:
    version = catalogue_version()
    statement = select(models.Diagnosis).order_by(models.Diagnosis.name, models.Diagnosis.id)
    found = session().scalars(statement).all()
    return {"data": found, "meta": _meta(version, len(found))}


@app.get("/api/v1/diagnoses/<diagnosis_id>/interventions")
@app.auth_required(auth)
@daily_limit
@app.input(Filters, location="query")
@app.output(InterventionList)
def list_interventions(diagnosis_id: str, query_data: dict[str, Any]) -> dict[str, Any]:
    version = catalogue_version()
    diagnosis = session().get(models.Diagnosis, diagnosis_id)
    if diagnosis is None:
        abort(404)
    found = session().scalars(models.visible(diagnosis, **query_data)).all()
    return {
        "data": found,
        "meta": {**_meta(version, len(found)), "diagnosis": diagnosis, "filters": query_data},
    }


def _meta(version: str, count: int) -> dict[str, Any]:
    return {"count": count, "catalogue_version": version, "disclaimer": DISCLAIMER}
