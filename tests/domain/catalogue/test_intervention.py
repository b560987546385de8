"""The rules of an intervention, and the order in which interventions are listed."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from evref.domain.catalogue.diagnosis import Module
from evref.domain.catalogue.intervention import FittVp, Intervention, Phase, listing_order
from evref.domain.errors import InvalidValueError
from evref.testing.builders import an_intervention


def test_the_order_is_by_module_then_phase_then_title_then_id() -> None:
    in_order = [
        an_intervention("z", module=Module.FITT_VIP, phase=Phase.CHRONIC, title="Walking"),
        an_intervention("y", module=Module.HOME, phase=Phase.ACUTE, title="Walking"),
        an_intervention("x", module=Module.HOME, phase=Phase.SUBACUTE, title="Balance"),
        an_intervention("v", module=Module.HOME, phase=Phase.SUBACUTE, title="Walking"),
        an_intervention("w", module=Module.HOME, phase=Phase.SUBACUTE, title="Walking"),
        an_intervention("a", module=Module.DIAGNOSTIC, phase=Phase.ACUTE, title="Balance"),
    ]
    shuffled = [in_order[place] for place in (4, 2, 5, 0, 3, 1)]

    assert sorted(shuffled, key=listing_order) == in_order


@pytest.mark.parametrize(
    ("make", "field"),
    [
        (lambda: an_intervention("Exercise"), "id"),
        (lambda: an_intervention(title="Walk\nalone"), "title"),
        (lambda: an_intervention(summary="x" * 701), "summary"),
        (lambda: an_intervention(references=()), "references"),
        (lambda: replace(an_intervention(module=Module.FITT_VIP), module=Module.HOME), "fitt_vp"),
        (lambda: replace(an_intervention(module=Module.HOME), module=Module.FITT_VIP), "fitt_vp"),
    ],
)
def test_a_broken_rule_is_reported_at_its_field(
    make: Callable[[], Intervention], field: str
) -> None:
    with pytest.raises(InvalidValueError) as caught:
        make()

    assert [fault.field for fault in caught.value.faults] == [field]


def test_every_faulty_element_of_a_dose_is_reported() -> None:
    with pytest.raises(InvalidValueError) as caught:
        FittVp("", "ok", "x" * 501, None, " a", None)

    assert [fault.field for fault in caught.value.faults] == ["frequency", "time", "volume"]
