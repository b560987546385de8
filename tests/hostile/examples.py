"""How many examples there is time for; known once pytest is configured, and so not in conftest."""

from hypothesis import settings

IS_LONG = settings.get_current_profile_name() == "hostile"
"""Whether this is `make hostile`, which takes minutes, and not a part of `make test`."""

quick = settings(max_examples=settings().max_examples // (1 if IS_LONG else 4))
