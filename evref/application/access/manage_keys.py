"""Manage keys: create, list, change, rotate, revoke and monitor them."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta
from typing import Unpack

from evref.domain.access.caps import CapUse, KeyCaps
from evref.domain.access.key import ApiKey, KeyFields, KeySecret, KeyState, KeyToken, Permission
from evref.domain.access.quota import DEFAULT_DAILY_LIMIT, DayUsage, utc_day
from evref.domain.audit import Action, Subject, SubjectKind
from evref.domain.errors import (
    Fault,
    InvalidValueError,
    KeyAlreadyRotatedError,
    NotFoundError,
    OutdatedError,
    StorageUnavailableError,
)
from evref.domain.identifiers import IDS, new_id
from evref.domain.principal import Principal, Right, authorise, authorise_in
from evref.domain.redaction import refuse_keys
from evref.ports.storage import Changes, Storage
from evref.ports.system import Clock, Randomness


@dataclass(frozen=True, slots=True)
class NewKey:
    """A new or rotated key with its new token, which is not stored."""

    key: ApiKey
    token: KeyToken

    @property
    def ending_secrets(self) -> tuple[KeySecret, ...]:
        """The older secrets that are valid beside the new token, oldest first."""
        return self.key.ending_secrets(self.key.newest.created_at)


@dataclass(frozen=True, slots=True)
class KeyInUse:
    """A key with its state, the last day with an admitted request, and today's counts."""

    key: ApiKey
    state: KeyState
    last_used_on: date | None
    today: DayUsage | None
    ending_secrets: tuple[KeySecret, ...]


@dataclass(kw_only=True, eq=False)
class ManageKeys:
    """Manages keys. To a member, keys of other institutions do not exist."""

    storage: Storage
    clock: Clock
    randomness: Randomness
    _pruned_on: date | None = field(default=None, init=False)

    def create(
        self,
        principal: Principal,
        institution_id: str,
        *,
        name: str,
        permission: Permission = Permission.READ,
        daily_limit: int = DEFAULT_DAILY_LIMIT,
        expires_on: date | None = None,
    ) -> NewKey:
        authorise_in(institution_id, principal, Right.CHANGE)
        refuse_keys("name", name)
        self._check_expiry(expires_on)
        token = self._new_token()
        instant = self.clock.now()
        key = ApiKey(
            id=new_id(self.randomness.below(IDS)),
            institution_id=institution_id,
            name=name.strip(),
            permission=permission,
            daily_limit=daily_limit,
            secrets=(token.secret(instant),),
            created_at=instant,
            expires_on=expires_on,
        )
        expiry = "never expires" if expires_on is None else f"expires after {expires_on}"
        detail = f"name {key.name!r}, permission {permission}, limit {daily_limit}, {expiry}"
        self._prune_usage()
        with self.storage.changes(principal, instant) as changes:
            changes.keys.add(key)
            _check_caps(changes, None, key)
            _record(changes, Action.KEY_CREATED, key, detail)
        return NewKey(key, token)

    def list(self, principal: Principal, institution_id: str) -> tuple[KeyInUse, ...]:
        """Return the keys of an institution, oldest first."""
        authorise_in(institution_id, principal, Right.SEE)
        return self._in_use(self.storage.keys.list(institution_id))

    def list_all(self, principal: Principal) -> tuple[KeyInUse, ...]:
        """Return the keys of all institutions, oldest first."""
        authorise(principal, Right.OPERATE)
        return self._in_use(self.storage.keys.list())

    def get(self, principal: Principal, key_id: str, *, to_change: bool = False) -> KeyInUse:
        """Return a key; `to_change` requires the right to change it."""
        right = Right.CHANGE if to_change else Right.SEE
        (key,) = self._in_use([self._key(principal, right, key_id)])
        return key

    def change(
        self,
        principal: Principal,
        key_id: str,
        *,
        version: str | None = None,
        **fields: Unpack[KeyFields],
    ) -> ApiKey:
        """Change these fields of a key, and return it. If no value differs, nothing is recorded.

        `version` is the version of the key that the caller read, if any.
        """

        def changed(key: ApiKey, _: datetime) -> ApiKey:
            after = key.changed(**fields)
            refuse_keys("name", after.name)
            # The form of an expired key repeats its date, even if only another field changes.
            if after.expires_on != key.expires_on:
                self._check_expiry(after.expires_on)
            if after != key and version not in {None, key.version}:
                raise OutdatedError
            return after

        return self._change(principal, key_id, Action.KEY_CHANGED, changed)

    def rotate(
        self,
        principal: Principal,
        key_id: str,
        *,
        keep_old_for: timedelta,
        current: str | None = None,
    ) -> NewKey:
        """Give a key a new token. The old one remains valid for `keep_old_for`.

        A form, which may be sent again, passes as `current` the id of the newest secret that it
        showed: then only the first request rotates the key.
        """
        token = self._new_token()

        def rotated(key: ApiKey, instant: datetime) -> ApiKey:
            after = key.rotated(token.secret(instant), keep_old_for, instant)
            if current is not None and current != key.newest.id:
                raise KeyAlreadyRotatedError(key.id)
            return after

        key = self._change(principal, key_id, Action.KEY_ROTATED, rotated)
        return NewKey(key, token)

    def end_previous(self, principal: Principal, key_id: str) -> ApiKey:
        """End the replaced secrets of a key now. If none is valid, nothing changes."""
        return self._change(principal, key_id, Action.KEY_CHANGED, ApiKey.without_previous)

    def revoke(self, principal: Principal, key_id: str) -> ApiKey:
        return self._change(principal, key_id, Action.KEY_REVOKED, ApiKey.revoked)

    def caps(self, principal: Principal, institution_id: str, *, to_change: bool = False) -> CapUse:
        """Return the use of the caps; `to_change` requires the right to create keys."""
        authorise_in(institution_id, principal, Right.CHANGE if to_change else Right.SEE)
        keys = self.storage.keys.list(institution_id)
        return self.storage.keys.caps(institution_id).use(keys, self.today())

    def set_caps(self, principal: Principal, institution_id: str, **changed: int | None) -> KeyCaps:
        """Set these fields of `KeyCaps`, and return all caps."""
        authorise(principal, Right.OPERATE)
        with self.storage.changes(principal, self.clock.now()) as changes:
            before = changes.keys.caps(institution_id)
            caps = replace(before, **changed)
            changes.keys.set_caps(institution_id, caps)
            if caps != before:
                detail = _differences(before.in_words(), caps.in_words())
                changes.record(Action.CAPS_SET, detail, institution_id=institution_id)
        return caps

    def history(self, principal: Principal, key_id: str, days: int = 30) -> tuple[DayUsage, ...]:
        """Return the last days with requests of a key, including today, oldest first."""
        key = self._key(principal, Right.SEE, key_id)
        today = self.today()
        return self.storage.usage.history(key.id, today - timedelta(days=days - 1), today)

    def _prune_usage(self) -> None:
        """Remove old counts, at most once a day per process, and never during admission."""
        today = self.today()
        if self._pruned_on != today:
            self._pruned_on = today
            # The change must not fail because of this; the next day removes the rest.
            with suppress(StorageUnavailableError):
                self.storage.usage.prune(today)

    def _in_use(self, keys: Sequence[ApiKey]) -> tuple[KeyInUse, ...]:
        instant = self.clock.now()
        today = utc_day(instant)
        uses = self.storage.usage.overview([key.id for key in keys], today)

        def in_use(key: ApiKey) -> KeyInUse:
            last_used_on, usage = uses.get(key.id, (None, None))
            state = key.state(today, admitted=0 if usage is None else usage.admitted)
            return KeyInUse(key, state, last_used_on, usage, key.ending_secrets(instant))

        return tuple(in_use(key) for key in keys)

    def _key(self, principal: Principal, right: Right, key_id: str) -> ApiKey:
        key = self.storage.keys.get(key_id)
        unseen = NotFoundError("API key", key_id)
        authorise_in(key.institution_id, principal, right, unseen=unseen)
        return key

    def _change(
        self,
        principal: Principal,
        key_id: str,
        action: Action,
        change: Callable[[ApiKey, datetime], ApiKey],
    ) -> ApiKey:
        # Checked before the unit of work, so that a principal without permission blocks nobody.
        self._key(principal, Right.CHANGE, key_id)
        self._prune_usage()
        with self.storage.changes(principal, self.clock.now()) as changes:
            before = changes.keys.get(key_id)
            after = change(before, changes.instant)
            if after != before:
                changes.keys.replace(after)
                _check_caps(changes, before, after)
                _record(changes, action, after, _change_in_words(before, after))
        return after

    def _new_token(self) -> KeyToken:
        return KeyToken.make(self.randomness.below(KeyToken.SECRETS))

    def _check_expiry(self, expires_on: date | None) -> None:
        if expires_on is not None and expires_on < self.today():
            rule = f"must be today ({self.today()}, UTC) or later"
            raise InvalidValueError([Fault("expires_on", rule)])

    def today(self) -> date:
        return utc_day(self.clock.now())


def _check_caps(changes: Changes, before: ApiKey | None, after: ApiKey) -> None:
    caps = changes.keys.caps(after.institution_id)
    if caps != KeyCaps():
        keys = changes.keys.list(after.institution_id)
        caps.check(before, after, keys, utc_day(changes.instant))


def _record(changes: Changes, action: Action, key: ApiKey, detail: str) -> None:
    subject = Subject(SubjectKind.KEY, key.id)
    changes.record(action, detail, institution_id=key.institution_id, subject=subject)


def _key_in_words(key: ApiKey) -> dict[str, object]:
    return {
        "name": repr(key.name),
        "permission": key.permission,
        "limit": key.daily_limit,
        "expiry": key.expires_on or "never",
    }


def _differences(before: Mapping[str, object], after: Mapping[str, object]) -> str:
    return ", ".join(
        f"{label} from {old} to {after[label]}"
        for label, old in before.items()
        if old != after[label]
    )


def _change_in_words(before: ApiKey, after: ApiKey) -> str:
    if before.revoked_at != after.revoked_at:
        return f"name {after.name!r}"
    if before.newest != after.newest:
        older = "".join(
            f", …{secret.last_four} ends at {secret.ends_at:%Y-%m-%d %H:%M:%S} UTC"
            for secret in after.secrets[:-1]
        )
        older = older or ", no older secret is valid"
        return f"secret from …{before.last_four} to …{after.last_four}{older}"
    if before.secrets != after.secrets:
        ended = (secret for secret in before.secrets if secret not in after.secrets)
        return ", ".join(f"…{secret.last_four} ended" for secret in ended)
    return _differences(_key_in_words(before), _key_in_words(after))
