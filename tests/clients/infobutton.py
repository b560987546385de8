"""Info buttons, as MedlinePlus Connect documents their requests, against two workers.

The assertions are in the programs; feedparser reads the feeds, and lxml validates them.
"""

import pytest

from tests.clients.conftest import HERE, Run

PROGRAMS = HERE / "programs"


@pytest.mark.parametrize(
    "program",
    ["infobutton_requests.py", "infobutton_feeds.py", "changes_feed.py"],
)
def test_a_record_gets_what_it_asks_for(run: Run, program: str) -> None:
    run("python", "-W", "error", PROGRAMS / program, HERE / "atom.rng")
