"""The operator's caps on the keys of an institution."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from datetime import date

from evref.domain.access.key import ApiKey
from evref.domain.rules import Rules, counted

_HIGHEST = 2_000_000_000


@dataclass(frozen=True, slots=True)
class KeyCaps:
    """The operator's caps on an institution's live keys: their number, the highest daily limit of
    one key, and the highest sum of their daily limits. None means no cap.

    Existing keys keep working if a cap is set below their values.
    """

    most_keys: int | None = None
    highest_daily_limit: int | None = None
    total_daily_limit: int | None = None

    def __post_init__(self) -> None:
        rules = Rules()
        for name, cap in asdict(self).items():
            rules.require(
                cap is None or 0 <= cap <= _HIGHEST,
                name,
                f"must be none or a whole number from 0 to {_HIGHEST:,}",
            )
        rules.enforce()

    def check(
        self, before: ApiKey | None, after: ApiKey, keys: Iterable[ApiKey], today: date
    ) -> None:
        """Raise `InvalidValueError` unless a key may become `after`; `before` is None if it is new.

        Caps apply to a key that is created or made valid again. Caps on limits also apply to a key
        whose limit is raised. `keys` are the keys of the institution.
        """
        if not after.is_live(today):
            return
        is_added = before is None or not before.is_live(today)
        if not is_added and before is not None and after.daily_limit <= before.daily_limit:
            return
        others = self.use((key for key in keys if key.id != after.id), today)
        most, rules = self.most_keys, Rules()
        rules.require(
            not is_added or most is None or others.live_keys < most,
            "keys",
            f"The cap of the institution allows at most {counted(most or 0, 'key')} at a time. "
            "Revoke one first.",
        )
        rules.add(others.rules_of_limit(after.daily_limit))
        rules.enforce()

    def in_words(self) -> dict[str, object]:
        """Return the caps by their names, for people."""
        return {
            name.replace("_", " "): "none" if cap is None else cap
            for name, cap in asdict(self).items()
        }

    def use(self, keys: Iterable[ApiKey], today: date) -> CapUse:
        limits = [key.daily_limit for key in keys if key.is_live(today)]
        return CapUse(self, len(limits), sum(limits))


@dataclass(frozen=True, slots=True)
class CapUse:
    """What an institution uses of its caps: its live keys, and the sum of their daily limits."""

    caps: KeyCaps
    live_keys: int
    daily_limits: int

    @property
    def is_full(self) -> bool:
        most, total = self.caps.most_keys, self.caps.total_daily_limit
        has_all_keys = most is not None and self.live_keys >= most
        return has_all_keys or (total is not None and self.daily_limits >= total)

    @property
    def highest_limit(self) -> int | None:
        """The highest daily limit that a new key can have; None if no cap restricts it."""
        total = self.caps.total_daily_limit
        left = None if total is None else max(0, total - self.daily_limits)
        known = [limit for limit in (self.caps.highest_daily_limit, left) if limit is not None]
        return min(known, default=None)

    def rules_of_limit(self, limit: int, present: int = 0) -> Rules:
        """Return the checks of a key's daily limit. `present` is its own in this use, if any."""
        highest, total = self.caps.highest_daily_limit, self.caps.total_daily_limit
        used, rules = self.daily_limits - present, Rules()
        rules.require(
            highest is None or limit <= highest,
            "daily_limit",
            f"The cap of the institution allows at most {counted(highest or 0, 'request')} a day "
            "for one key.",
        )
        rules.require(
            total is None or used + limit <= total,
            "daily_limit",
            f"The cap of the institution allows at most {counted(total or 0, 'request')} a day for "
            f"all keys together, of which {max(0, (total or 0) - used):,} are left for this key.",
        )
        return rules
