"""Builders with defaults, so that a test gives only the fields that matter to it."""

import hashlib
from collections.abc import Sequence
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

from evref.domain.access.key import ApiKey, KeySecret, Permission
from evref.domain.accounts.institution import Institution, Member
from evref.domain.accounts.invitation import Invitation
from evref.domain.catalogue.catalogue import Catalogue
from evref.domain.catalogue.diagnosis import Diagnosis, Module
from evref.domain.catalogue.effect import Better, Effect, Interval, Measure, Per1000
from evref.domain.catalogue.entry import Entry
from evref.domain.catalogue.evidence import (
    Certainty,
    Direction,
    Evidence,
    Recommendation,
    Reference,
    ReferenceKind,
)
from evref.domain.catalogue.intervention import FittVp, Intervention, Phase
from evref.domain.catalogue.publication import Publication
from evref.domain.catalogue.record_code import Edition
from evref.domain.catalogue.snomed import LoadedMap, SnomedMap
from evref.domain.principal import Operator, Role

NOON = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)

OPERATOR = Operator()

CAUTION = "The label warns of harm to the skin below the brace (regulator, 2024)."


def at_noon(day: date) -> datetime:
    """Return a time on this UTC day."""
    return datetime.combine(day, NOON.timetz())


def a_diagnosis(
    diagnosis_id: str = "knee-osteoarthritis",
    *,
    name: str = "Knee osteoarthritis",
    icd10: Sequence[str] = ("M17",),
    icd11: Sequence[str] = ("FA01",),
    modules: Sequence[Module] = tuple(Module),
    checked_on: date = date(2026, 2, 1),
    **optional: Any,  # noqa: ANN401 - each field has its own type
) -> Diagnosis:
    """Return a diagnosis; `optional` has fields of `Diagnosis` that may be omitted."""
    return Diagnosis(
        id=diagnosis_id,
        name=name,
        icd10_codes=tuple(icd10),
        icd11_codes=tuple(icd11),
        enabled_modules=tuple(modules),
        checked_on=checked_on,
        **optional,
    )


def a_reference(
    *,
    title: str = "A guideline",
    authors: str = "Kolasinski SL, Neogi T, et al.",
    year: int = 2020,
    doi: str | None = "10.1002/art.41142",
    pmid: str | None = None,
    url: str | None = None,
) -> Reference:
    return Reference(
        title=title,
        authors=authors,
        year=year,
        source="Arthritis & Rheumatology",
        kind=ReferenceKind.GUIDELINE,
        doi=doi,
        pmid=pmid,
        given_url=url,
    )


def an_effect(
    estimate: str = "-0.49",
    interval: tuple[str, str] | None = ("-0.59", "-0.39"),
    measure: Measure = Measure.STANDARDISED_MEAN_DIFFERENCE,
    *,
    outcome: str = "Pain at the end of treatment",
    unit: str | None = None,
    better: Better = Better.LOWER,
    per_1000: Per1000 | None = None,
    studies: int | None = 44,
    reference: int = 0,
) -> Effect:
    return Effect(
        outcome=outcome,
        comparison="no exercise",
        measure=measure,
        estimate=Decimal(estimate),
        interval=None if interval is None else Interval(*map(Decimal, interval)),
        unit=unit,
        better=better,
        per_1000=per_1000,
        studies=studies,
        participants=3537,
        certainty=Certainty.HIGH,
        reference=reference,
    )


def an_intervention(
    intervention_id: str = "knee-osteoarthritis-exercise",
    *,
    diagnosis_id: str = "knee-osteoarthritis",
    module: Module = Module.HOME,
    phase: Phase = Phase.CHRONIC,
    title: str = "Exercise at home",
    summary: str = "A guideline describes exercise at home for people with this diagnosis. " * 2,
    references: Sequence[Reference] | None = None,
    cautions: str | None = None,
    effects: Sequence[Effect] = (),
) -> Intervention:
    dose = FittVp("Twice a week", None, None, "Strength", None, None)
    return Intervention(
        id=intervention_id,
        diagnosis_id=diagnosis_id,
        module=module,
        phase=phase,
        title=title,
        summary=summary.strip(),
        fitt_vp=dose if module is Module.FITT_VIP else None,
        evidence=Evidence(Certainty.MODERATE, Recommendation.STRONG_FOR, Direction.FOR, "Strong"),
        references=tuple(references) if references is not None else (a_reference(),),
        cautions=cautions,
        effects=tuple(effects),
    )


def an_entry(
    diagnosis_id: str = "knee-osteoarthritis",
    *,
    name: str = "Knee osteoarthritis",
    modules: Sequence[Module] = tuple(Module),
    interventions: Sequence[Intervention] | None = None,
) -> Entry:
    if interventions is None:
        interventions = [an_intervention(f"{diagnosis_id}-exercise", diagnosis_id=diagnosis_id)]
    return Entry(a_diagnosis(diagnosis_id, name=name, modules=modules), tuple(interventions))


def interventions_of_every_kind() -> list[Intervention]:
    """Return an intervention of each module, in all phases, with references of several forms."""
    return [
        an_intervention(
            f"knee-osteoarthritis-{number}",
            module=module,
            phase=list(Phase)[number % 3],
            references=[
                a_reference(doi=None, pmid="31908163"),
                a_reference(doi=None, url="https://example.org/ä?b=c&d=%20#e"),
            ],
        )
        for number, module in enumerate(Module)
    ]


def a_catalogue(*entries: Entry) -> Catalogue:
    return Catalogue(entries or [an_entry()])


def a_publication(
    catalogue: Catalogue,
    *,
    at: datetime = NOON,
    by: str | None = "operator",
    is_bundled: bool = False,
    earlier: Catalogue | None = None,
) -> Publication:
    """Return the publication of this catalogue in place of an earlier one, if there is one."""
    comparison = catalogue.compared_with(earlier)
    return Publication(
        version=catalogue.version,
        published_at=at,
        published_by=by,
        is_bundled=is_bundled,
        added=len(comparison.added),
        changed=len(comparison.changed),
        removed=len(comparison.removed),
        comparison=comparison,
    )


def a_map(*targets: str, code: int = 239873007) -> LoadedMap:
    """Return a map of one code, with each target in a group of its own."""
    groups = tuple((target,) for target in targets)
    return LoadedMap(SnomedMap(Edition.WHO, {code: groups}), NOON, "operator")


def an_institution(institution_id: str = "i1", *, name: str = "General Hospital") -> Institution:
    return Institution(institution_id, name, NOON)


def a_member(
    member_id: str = "m1",
    *,
    institution_id: str = "i1",
    email: str = "ward@example.org",
    role: Role = Role.ADMIN,
) -> Member:
    return Member(member_id, institution_id, email, role, "$argon2id$not-a-real-hash", NOON)


def an_invitation(
    invitation_id: str = "v1",
    *,
    institution_id: str = "i1",
    email: str = "new@example.org",
    role: Role = Role.VIEWER,
    inviter: Member | None = None,
    created_at: datetime = NOON,
) -> Invitation:
    """Return an invitation with a unique digest; by default, the operator is the inviter."""
    return Invitation(
        id=invitation_id,
        institution_id=institution_id,
        email=email,
        role=role,
        digest=hashlib.sha256(invitation_id.encode()).hexdigest(),
        invited_by=OPERATOR.name if inviter is None else inviter.email,
        inviter_id=None if inviter is None else inviter.id,
        created_at=created_at,
    )


def a_secret(
    text: str = "k1",
    *,
    last_four: str = "Zz09",
    created_at: datetime = NOON,
    ends_at: datetime | None = None,
) -> KeySecret:
    """Return a secret with the digest of the text."""
    digest = hashlib.sha256(text.encode()).hexdigest()
    return KeySecret(digest, last_four, created_at, ends_at)


def a_key(
    key_id: str = "k1",
    *,
    institution_id: str = "i1",
    name: str = "Ward app",
    permission: Permission = Permission.READ,
    limit: int = 1000,
    created_at: datetime = NOON,
    expires_on: date | None = None,
    revoked_at: datetime | None = None,
    secrets: Sequence[KeySecret] = (),
) -> ApiKey:
    """Return a key with these secrets; by default, with one unique secret that never ends."""
    return ApiKey(
        id=key_id,
        institution_id=institution_id,
        name=name,
        permission=permission,
        daily_limit=limit,
        secrets=tuple(secrets) or (a_secret(key_id, created_at=created_at),),
        created_at=created_at,
        expires_on=expires_on,
        revoked_at=revoked_at,
    )
