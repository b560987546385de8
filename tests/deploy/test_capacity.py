"""The capacity model, and the page that shows its tables."""

from __future__ import annotations

import random
import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.capacity import (
    HOLD_SECONDS,
    LOADS,
    SERVICE,
    TABLES,
    Load,
    largest_shard,
    leased,
    look_ups,
    needs,
)
from tests.deploy.shell import ROOT

PAGE = ROOT / "docs" / "explanation" / "scaling.md"


@pytest.mark.parametrize("name", TABLES)
def test_the_page_shows_what_the_model_says(name: str) -> None:
    """If this fails, copy the output of `python -m benchmarks.capacity` into the page."""
    shown = re.search(rf"(?s)<!-- {name}: begin -->\n(.*?)\n<!-- {name}: end -->", PAGE.read_text())

    assert shown is not None
    assert shown[1].strip() == TABLES[name]()


@pytest.mark.parametrize("counting", SERVICE)
def test_more_requests_never_need_less(counting: str) -> None:
    found = [needs(counting, Load(rate, 1_000)) for rate in (10, 100, 1_000, 10_000)]

    for fewer, more in pairwise(found):
        assert fewer.service <= more.service
        assert fewer.postgresql <= more.postgresql
        assert fewer.redis <= more.redis
        assert all(fewer.utilisation[name] <= more.utilisation[name] for name in more.utilisation)


def test_a_single_busy_key_is_the_bottleneck_of_postgresql_and_many_keys_are_not() -> None:
    assert needs("PostgreSQL", Load(900, 1)).bottleneck == "the row of one key, 150%"
    assert "processors" in needs("PostgreSQL", Load(900, 1_000)).bottleneck


@given(st.floats(0.1, 50), st.integers(0, 2**32))
def test_look_ups_match_a_simulation(a: float, seed: int) -> None:
    """Requests of one key reach one worker at random, which caches the key after each lookup."""
    chance = random.Random(seed)
    now, held_until, looked_up = 0.0, 0.0, 0
    while looked_up < 2_000:
        now += chance.expovariate(a)
        if now >= held_until:
            looked_up += 1
            held_until = now + HOLD_SECONDS

    assert looked_up / now == pytest.approx(look_ups(Load(a, 1), workers=1), rel=0.2)


@given(
    limit=st.integers(0, 200),
    batch=st.integers(1, 40),
    arrivals=st.lists(st.integers(0, 3), max_size=400),
)
def test_reservations_never_exceed_the_limit_and_waste_little(
    limit: int, batch: int, arrivals: list[int]
) -> None:
    admitted = leased(limit, batch, arrivals)

    assert admitted <= min(limit, len(arrivals))
    assert admitted >= min(limit, len(arrivals)) - 3 * (batch - 1)


def test_a_cluster_distributes_keys_but_never_splits_one() -> None:
    ids = [f"{number:016x}" for number in range(LOADS[-1].keys)]

    assert largest_shard(ids, [1.0] * len(ids), 4) < 0.27
    assert largest_shard(ids[:1], [1.0], 4) == 1.0
