"""The API in APIFlask: marshmallow, SQLAlchemy's ORM, Flask-Limiter on Redis."""

import os
from typing import Any

from apiflask import APIFlask, HTTPTokenAuth, Schema, fields
from flask import abort, g
from flask_limiter import Limiter
from sqlalchemy import create_engine
from sqlalchemy.orm import scoped_session, sessionmaker

from benchmarks.peers import models

app = APIFlask("apiflask_peer", title="Evidence reference", version="1")
session = scoped_session(sessionmaker(create_engine(os.environ["PEER_DATABASE_URL"])))
auth = HTTPTokenAuth()
limiter = Limiter(
    lambda: str(g.key.id),
    app=app,
    storage_uri=os.environ["PEER_REDIS_URL"],
    strategy="fixed-window",
    headers_enabled=True,
)


class Diagnosis(Schema):
    id, name, scope, version = (fields.String() for _ in range(4))
    icd10_codes = fields.List(fields.String())
    icd11_codes = fields.List(fields.String())
    terms, reviewed = fields.Dict(), fields.Dict()
    broader_codes = fields.List(fields.String())
    mainstays = fields.List(fields.String())
    enabled_modules = fields.List(fields.String())
    checked_on = fields.Date()


class Reference(Schema):
    title, authors, source, kind = (fields.String() for _ in range(4))
    doi, pmid, url = (fields.String() for _ in range(3))
    year = fields.Integer()


class Intervention(Schema):
    id, diagnosis_id, module, phase = (fields.String() for _ in range(4))
    title, summary, cautions = (fields.String() for _ in range(3))
    fitt_vp, evidence = fields.Dict(), fields.Dict()
    effects = fields.List(fields.Dict())
    references = fields.List(fields.Nested(Reference))


class Meta(Schema):
    count = fields.Integer()


class DiagnosisList(Schema):
    data = fields.List(fields.Nested(Diagnosis))
    meta = fields.Nested(Meta)


class InterventionList(Schema):
    data = fields.List(fields.Nested(Intervention))
    meta = fields.Nested(Meta)


@app.teardown_appcontext
def close_session(_error: BaseException | None) -> None:
    session.remove()


@auth.verify_token  # type: ignore[untyped-decorator]
def verify(token: str) -> bool:
    g.key = session.scalar(models.key_with(token))
    return g.key is not None


daily_limit = limiter.shared_limit(lambda: f"{g.key.daily_limit} per day", scope="daily")


@app.get("/api/v1/diagnoses")
@app.auth_required(auth)
@daily_limit
@app.output(DiagnosisList)
def list_diagnoses() -> dict[str, Any]:
    found = session.scalars(models.all_diagnoses()).all()
    return {"data": found, "meta": {"count": len(found)}}


@app.get("/api/v1/diagnoses/<diagnosis_id>/interventions")
@app.auth_required(auth)
@daily_limit
@app.output(InterventionList)
def list_interventions(diagnosis_id: str) -> dict[str, Any]:
    diagnosis = session.get(models.Diagnosis, diagnosis_id)
    if diagnosis is None:
        abort(404)
    found = session.scalars(models.visible(diagnosis)).all()
    return {"data": found, "meta": {"count": len(found)}}
