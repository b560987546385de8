"""Permissions of keys."""

from __future__ import annotations

from enum import StrEnum


class Permission(StrEnum):
    """The permission of a key, lowest first: `none` < `read`."""

    NONE = "none"
    READ = "read"

    def allows(self, needed: Permission) -> bool:
        """Return whether this level is at least the needed one."""
        return _LEVELS[self] >= _LEVELS[needed]

    def and_above(self) -> tuple[Permission, ...]:
        """Return this level and all higher ones."""
        return tuple(level for level in Permission if level.allows(self))


_LEVELS = {permission: level for level, permission in enumerate(Permission)}
