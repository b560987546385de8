"""The audit log as a page and as a CSV file."""

import csv
from html import unescape
from io import StringIO

import pytest

from evref.testing.builders import OPERATOR
from tests.settings_pages.site import EMAIL, Site
from tests.settings_pages.visitor import Visitor, text_of

KEYS = "/settings/api-keys"
LOG = "/settings/audit-log"


def test_the_audit_log_shows_every_change_from_pages_and_command_line(
    site: Site, member: Visitor
) -> None:
    member.fill_in(f"{KEYS}/new", name="Ward tablet")
    site.clock.advance(minutes=1)
    site.container.manage_keys().change(OPERATOR, site.only_key().id, daily_limit=5)

    page, key = text_of(member.get(LOG).text), f"Ward tablet …{site.only_key().last_four}"

    assert (
        f"just now 20 November 2026, 09:31 UTC operator Key changed {key} "
        "limit from 1000 to 5 1 minute ago"
    ) in page
    assert (
        f"1 minute ago 20 November 2026, 09:30 UTC {EMAIL} Key created {key} name 'Ward tablet', "
    ) in page
    assert "Times are UTC." in page


def test_the_audit_log_is_filtered_and_downloaded(site: Site, member: Visitor) -> None:
    """A cell that a spreadsheet would take for a formula gets an apostrophe."""
    formula = site.new_key("=1+1").key
    key = site.new_key("Ward app").key
    member.fill_in(f"{KEYS}/{key.id}", daily_limit="5")
    only = f"person={EMAIL}&key={key.id}&kind=key_changed"

    page = text_of(member.get(f"{LOG}?{only}").text)
    filtered = list(csv.reader(StringIO(member.get(f"{LOG}.csv?{only}").text)))
    answer = member.get(f"{LOG}.csv")
    everything = list(csv.reader(StringIO(answer.text)))

    assert "limit from 1000 to 5" in page
    assert "permission read" not in page
    assert filtered[0] == ["when", "who", "what", "key_id", "key", "detail"]
    assert filtered[1][1:] == [
        EMAIL,
        "key_changed",
        key.id,
        f"Ward app …{key.last_four}",
        "limit from 1000 to 5",
    ]
    assert len(filtered) == 2
    assert len(everything) == len(site.audit_log()) + 1
    assert f"'=1+1 …{formula.last_four}" in [row[4] for row in everything]
    assert all(line[0] == line[-1] == '"' for line in answer.text.splitlines())
    assert answer.headers["Content-Disposition"] == 'attachment; filename="audit-log.csv"'


@pytest.mark.parametrize("path", [LOG, f"{LOG}.csv"])
def test_the_form_of_the_filter_may_have_empty_fields(
    site: Site, member: Visitor, path: str
) -> None:
    """Browsers also send the fields that filter nothing."""
    site.new_key("Ward app")
    member.fill_in(f"{KEYS}/new", name="Ward tablet")

    answer = member.get(f"{path}?person=operator&key=&kind=")

    assert answer.status_code == 200
    assert "not understood" not in answer.text
    assert "name 'Ward app'" in unescape(answer.text)
    assert "name 'Ward tablet'" not in unescape(answer.text)


@pytest.mark.parametrize(
    ("name", "cell"),
    [
        ("@1", "'@1"),
        ("a;=1", "a;'=1"),
        ("a; =1;-2", "a;' =1;'-2"),
        ("\uff1d1", "'\uff1d1"),
        ("\uff0b1;\uff0d2;\uff203", "'\uff0b1;'\uff0d2;'\uff203"),
        ("a=1;b", "a=1;b"),
    ],
)
def test_no_cell_of_the_download_is_calculated(
    site: Site, member: Visitor, name: str, cell: str
) -> None:
    """This includes the parts of a cell if a spreadsheet splits it at semicolons."""
    key = site.new_key(name).key

    rows = csv.reader(StringIO(member.get(f"{LOG}.csv").text))

    assert f"{cell} …{key.last_four}" in [row[4] for row in rows]


def test_a_download_whose_filter_is_not_understood_is_refused(member: Visitor) -> None:
    """A CSV file cannot contain a warning that it is not filtered."""
    answer = member.get(f"{LOG}.csv?kind=deleted")

    assert answer.status_code == 422
    assert "not understood: kind, which must be one of institution_created" in answer.text
    assert EMAIL not in answer.text
