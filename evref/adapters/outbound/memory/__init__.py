"""Storage in the memory of one process, for demos and tests.

It fulfils the same contract as the other storages, but its data is lost when the process ends and
is not shared between processes.
"""

from evref.adapters.outbound.memory.storage import MemoryStorage

__all__ = ["MemoryStorage"]
