"""Manage keys: make, list, change, revoke and watch them."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, timedelta

from evref.application.identifiers import is_id, new_id
from evref.domain.access.key import ApiKey, KeyState, KeyToken, Permission
from evref.domain.access.quota import DEFAULT_DAILY_LIMIT, DailyWindow, DayUsage
from evref.domain.accounts.institution import Action, AuditEntry, Institution
from evref.domain.errors import Fault, InvalidValueError, NotFoundError, StorageUnavailableError
from evref.ports.clock import Clock
from evref.ports.institutions import InstitutionStore
from evref.ports.keys import KeyStore
from evref.ports.randomness import Randomness
from evref.ports.usage import KeyUse, Usage


@dataclass(frozen=True, slots=True)
class NewKey:
    """A key just made; the only moment at which its token exists outside of its holder."""

    key: ApiKey
    token: KeyToken


@dataclass(frozen=True, slots=True)
class KeyInUse:
    """A key with its institution, its state today and how it is being used."""

    key: ApiKey
    institution: Institution
    state: KeyState
    use: KeyUse


class ManageKeys:
    """What a member or the operator does with keys. `actor` is who asks for it.

    `institution_id` is the institution that a member acts for: to them, the key of another one
    is not there. The operator acts for all, and leaves it out.
    """

    def __init__(
        self,
        keys: KeyStore,
        institutions: InstitutionStore,
        usage: Usage,
        clock: Clock,
        randomness: Randomness,
    ) -> None:
        self._keys = keys
        self._institutions = institutions
        self._usage = usage
        self._clock = clock
        self._randomness = randomness
        self._pruned_on: date | None = None

    def new_key_id(self) -> str:
        """An id for a key that is yet to be made."""
        return new_id(self._randomness)

    def create(
        self,
        *,
        institution_name: str,
        name: str,
        actor: str,
        permission: Permission = Permission.READ,
        daily_limit: int = DEFAULT_DAILY_LIMIT,
        expires_on: date | None = None,
        key_id: str | None = None,
    ) -> NewKey:
        """A new key, with the token that is shown once.

        Whoever may ask twice for one key, such as a form that is sent again, gives its id, from
        `new_key_id`: only the first asking then makes it.

        Raises:
            InvalidValueError: when a value breaks a rule, or the key would have expired already.
            NotFoundError: when there is no such institution.
            AlreadyExistsError: when there is a key with this id.

        """
        institution = self._institutions.named(institution_name)
        if key_id is not None and not is_id(key_id):
            raise InvalidValueError([Fault("id", "must be one that was made for this key")])
        if expires_on is not None and expires_on < self.today():
            raise InvalidValueError(
                [Fault("expires_on", f"must be today ({self.today()}, UTC) or later")]
            )
        token = KeyToken.make(self._randomness.below(KeyToken.SECRETS))
        key = ApiKey(
            id=key_id or new_id(self._randomness),
            institution_id=institution.id,
            name=name.strip(),
            permission=permission,
            daily_limit=daily_limit,
            last_four=token.last_four,
            created_at=self._clock.now(),
            expires_on=expires_on,
        )
        expiry = "never expires" if expires_on is None else f"expires after {expires_on}"
        detail = f"name {key.name!r}, permission {permission}, limit {daily_limit}, {expiry}"
        self.prune_usage()
        self._keys.add(key, token.digest, self._entry(key, actor, Action.KEY_CREATED, detail))
        return NewKey(key, token)

    def list(self, institution_id: str | None = None) -> tuple[KeyInUse, ...]:
        """The keys of an institution, or of all, with their use; oldest first."""
        return self._in_use(self._keys.list(institution_id))

    def get(self, key_id: str, *, institution_id: str | None = None) -> KeyInUse:
        """One key with its use.

        Raises:
            NotFoundError: when there is no such key.

        """
        (found,) = self._in_use([self._found(key_id, institution_id)])
        return found

    def change(
        self,
        key_id: str,
        *,
        actor: str,
        institution_id: str | None = None,
        name: str | None = None,
        permission: Permission | None = None,
        daily_limit: int | None = None,
    ) -> ApiKey:
        """Change what is given of a key, and keep the rest.

        Where that is as it was before, there is no change, and nothing for the audit log to tell.

        Raises:
            NotFoundError: when there is no such key.
            InvalidValueError: when a value breaks a rule.
            KeyRevokedError: when the key is revoked.

        """
        trimmed = None if name is None else name.strip()
        return self._change(
            key_id,
            institution_id,
            actor,
            Action.KEY_CHANGED,
            lambda key: key.changed(name=trimmed, permission=permission, daily_limit=daily_limit),
        )

    def revoke(self, key_id: str, *, actor: str, institution_id: str | None = None) -> ApiKey:
        """End a key, for good.

        Raises:
            NotFoundError: when there is no such key.
            KeyRevokedError: when it was revoked before.

        """
        return self._change(
            key_id,
            institution_id,
            actor,
            Action.KEY_REVOKED,
            lambda key: key.revoked(self._clock.now()),
        )

    def history(
        self, key_id: str, days: int = 30, *, institution_id: str | None = None
    ) -> tuple[DayUsage, ...]:
        """A key's last days, today included, that had any request; oldest first.

        Raises:
            NotFoundError: when there is no such key.

        """
        key = self._found(key_id, institution_id)
        today = self.today()
        return self._usage.history(key.id, today - timedelta(days=days - 1), today)

    def prune_usage(self) -> None:
        """Remove counts that are older than their retention; once a day at most in a process.

        Changes of keys do it as well. Admission never does: its one statement stays short.
        """
        today = self.today()
        if self._pruned_on != today:
            self._pruned_on = today
            # The change is not to fail for it; what is left is removed another day.
            with suppress(StorageUnavailableError):
                self._usage.prune(today)

    def _in_use(self, keys: Sequence[ApiKey]) -> tuple[KeyInUse, ...]:
        today = self.today()
        uses = self._usage.overview([key.id for key in keys], today)
        institutions = {institution.id: institution for institution in self._institutions.list()}
        never = KeyUse(last_used_on=None, today=None)
        return tuple(
            KeyInUse(
                key,
                institutions[key.institution_id],
                key.state(today),
                uses.get(key.id, never),
            )
            for key in keys
        )

    def _found(self, key_id: str, institution_id: str | None) -> ApiKey:
        key = self._keys.get(key_id)
        _refuse_foreign(key, institution_id)
        return key

    def _change(
        self,
        key_id: str,
        institution_id: str | None,
        actor: str,
        action: Action,
        make: Callable[[ApiKey], ApiKey],
    ) -> ApiKey:
        def change(before: ApiKey) -> tuple[ApiKey, AuditEntry] | None:
            _refuse_foreign(before, institution_id)
            after = make(before)
            if after == before:
                return None
            return after, self._entry(after, actor, action, _difference(before, after))

        self.prune_usage()
        return self._keys.change(key_id, change)

    def _entry(self, key: ApiKey, actor: str, action: Action, detail: str) -> AuditEntry:
        return AuditEntry(
            at=self._clock.now(),
            institution_id=key.institution_id,
            actor=actor,
            action=action,
            key_id=key.id,
            detail=detail,
        )

    def today(self) -> date:
        """The UTC day that requests are counted under now."""
        return DailyWindow.of(self._clock.now()).day


def _refuse_foreign(key: ApiKey, institution_id: str | None) -> None:
    if institution_id not in (None, key.institution_id):
        raise NotFoundError("API key", key.id)


def _difference(before: ApiKey, after: ApiKey) -> str:
    if before.revoked_at != after.revoked_at:
        return f"name {after.name!r}"
    return ", ".join(
        f"{label} from {old!s} to {new!s}"
        for label, old, new in (
            ("name", repr(before.name), repr(after.name)),
            ("permission", before.permission, after.permission),
            ("limit", before.daily_limit, after.daily_limit),
        )
        if old != new
    )
