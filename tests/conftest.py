"""Hypothesis profiles: `local` tries new examples each time, `ci` the same ones each time."""

import os

from hypothesis import HealthCheck, settings

# Machines are noisy: how long an example takes says nothing about the code.
settings.register_profile(
    "local", deadline=None, print_blob=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("ci", settings.get_profile("local"), derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "local")
