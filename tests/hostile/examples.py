"""The number of examples, which is not in conftest because pytest must first be configured."""

from hypothesis import settings

IS_LONG = settings.get_current_profile_name() == "hostile"
"""Whether `make hostile` runs, which takes minutes, and not `make test`."""

quick = settings(max_examples=settings().max_examples // (1 if IS_LONG else 4))
