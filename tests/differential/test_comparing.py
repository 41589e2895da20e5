"""Every difference is found and named, and only an entry that fits explains one."""

from typing import Any

from msgspec.structs import replace

from tests.differential.comparing import ABSENT, Difference, Telling, differences
from tests.differential.explained import Explained


def telling(objects: dict[str, list[Any]], *events: list[str], reached: bool = True) -> Telling:
    """What was there after a step."""
    return Telling(step="create", reached=reached, objects=objects, events=list(events), heard=True)


def service(name: str, **spec: Any) -> dict[str, Any]:
    """An object with a name and a spec."""
    return {"metadata": {"name": name}, "spec": spec}


def found(theirs: Telling, ours: Telling) -> list[tuple[str, Any, Any]]:
    """Places and both values of all differences."""
    return [(one.place, one.theirs, one.ours) for one in differences("s", [theirs], [ours])]


def test_equal_tellings_do_not_differ() -> None:
    one = telling({"services": [service("a", port=1)]}, ["Pod", "Normal", "Made", "", ""])

    assert found(one, one) == []


def test_names_the_field_that_differs() -> None:
    theirs = telling({"services": [service("a", ports=[{"name": "x", "port": 1}])]})
    ours = telling({"services": [service("a", ports=[{"name": "x", "port": 2}])]})

    assert found(theirs, ours) == [("services/a.spec.ports.[x].port", 1, 2)]


def test_the_order_of_named_entries_counts() -> None:
    x, y = {"name": "x"}, {"name": "y"}
    theirs = telling({"services": [service("a", ports=[x, y])]})
    ours = telling({"services": [service("a", ports=[y, x])]})

    assert found(theirs, ours) == [("services/a.spec.ports.order", ["x", "y"], ["y", "x"])]


def test_an_object_too_many_and_one_too_few_are_differences() -> None:
    theirs = telling({"services": [service("a"), service("b")]})
    ours = telling({"services": [service("a"), service("a")]})

    assert found(theirs, ours) == [
        ("services/a", ABSENT, "<there>"),
        ("services/b", "<there>", ABSENT),
    ]


def test_an_event_of_one_side_only_is_a_difference() -> None:
    told = ["RayCluster", "Warning", "Odd", "words", "raycluster-controller"]

    assert found(telling({}, told), telling({})) == [("events", told, ABSENT)]


def test_other_words_for_a_reason_that_both_told_are_joined() -> None:
    one = ["RayCluster", "Normal", "CreatedService", "a", "raycluster-controller"]
    other, teller = [*one[:3], "b", one[4]], [*one[:4], "somebody else"]

    assert found(telling({}, one), telling({}, one, other, teller)) == [
        ("events/joined", ABSENT, other),
        ("events", ABSENT, teller),
    ]
    assert found(telling({}, one, other), telling({}, one)) == [("events", other, ABSENT)]


def test_events_that_were_told_late_prove_nothing() -> None:
    told = ["RayCluster", "Warning", "Odd", "words", "raycluster-controller"]
    late = replace(telling({}), heard=False)

    assert found(telling({}, told), late) == []


def test_a_goal_that_one_side_never_reached_is_a_difference() -> None:
    assert found(telling({}), telling({}, reached=False)) == [("reached", True, False)]


def test_an_explanation_fits_only_where_all_of_it_does() -> None:
    entry = Explained(name="n", place=r"services/.*\.port", theirs="1", ours="2", page="words")
    one = Difference(story="s", step="create", place="services/a.port", theirs=1, ours=2)

    assert entry.fits(one)
    assert not entry.fits(Difference(story="s", step="create", place="x", theirs=1, ours=2))
    assert not entry.fits(
        Difference(story="s", step="create", place="services/a.port", theirs=1, ours=3)
    )


def test_numbers_may_have_to_be_apart_by_exactly_so_much() -> None:
    entry = Explained(name="n", place="g", apart=1, page="words")

    def fits(theirs: object, ours: object) -> bool:
        one = Difference(story="s", step="create", place="g", theirs=theirs, ours=ours)
        return entry.fits(one)

    assert fits(3, 2)
    assert not fits(3, 1)
    assert not fits(3, ABSENT)
