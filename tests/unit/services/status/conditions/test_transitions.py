"""When the time of a condition moves, and which generation it began with."""

from datetime import timedelta

from services.status.conditions.transitions import Conditions, Finding, conditions_of, holds, record
from tests.support.builders import NOON

AT_NOON, LATER = "2030-01-01T12:00:00Z", "2030-01-01T12:00:05Z"
SOON = NOON + timedelta(seconds=5)


def finding(*, holds: bool, reason: str = "So", began_with: int | None = None) -> Finding:
    return Finding(type="Fit", holds=holds, reason=reason, message="text", began_with=began_with)


def entry(status: str, at: str, **more: object) -> dict[str, object]:
    told = {"type": "Fit", "status": status, "reason": "So", "message": "text"}
    return {**told, "lastTransitionTime": at, **more}


def test_a_first_finding_has_the_present_time() -> None:
    conditions: Conditions = {}

    record(conditions, finding(holds=False), NOON)

    assert conditions == {"Fit": entry("False", AT_NOON)}


def test_the_time_moves_with_the_status() -> None:
    conditions = {"Fit": entry("False", AT_NOON)}

    record(conditions, finding(holds=True), SOON)

    assert conditions == {"Fit": entry("True", LATER)}


def test_the_time_stays_when_only_the_words_change() -> None:
    conditions = {"Fit": entry("True", AT_NOON)}

    record(conditions, finding(holds=True, reason="Other"), SOON)

    assert conditions == {"Fit": entry("True", AT_NOON, reason="Other")}


def test_a_condition_remembers_the_generation_it_became_true_with() -> None:
    conditions: Conditions = {}

    record(conditions, finding(holds=True, began_with=2), NOON)
    record(conditions, finding(holds=True, began_with=7), SOON)

    assert conditions == {"Fit": entry("True", AT_NOON, observedGeneration=2)}


def test_a_condition_that_never_held_names_no_generation() -> None:
    conditions: Conditions = {}

    record(conditions, finding(holds=False, began_with=2), NOON)
    record(conditions, finding(holds=False, began_with=3), SOON)

    assert conditions == {"Fit": entry("False", AT_NOON)}


def test_a_condition_that_ended_names_the_generation_of_its_end() -> None:
    conditions = {"Fit": entry("True", AT_NOON, observedGeneration=2)}

    record(conditions, finding(holds=False, began_with=3), SOON)

    assert conditions == {"Fit": entry("False", LATER, observedGeneration=3)}


def test_conditions_keep_their_order_and_are_found_by_type() -> None:
    told = [{"type": "B", "status": "True"}, {"type": "A", "status": "False"}]
    conditions = conditions_of({"conditions": told})

    assert list(conditions.values()) == told
    assert (holds(conditions, "B"), holds(conditions, "A"), holds(conditions, "C")) == (
        True,
        False,
        False,
    )
    assert conditions_of({}) == {}
