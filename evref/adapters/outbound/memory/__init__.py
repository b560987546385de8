"""Storage in the memory of one process, for demos and tests. Its data ends with the process."""

from evref.adapters.outbound.memory.storage import MemoryStorage

__all__ = ["MemoryStorage"]
