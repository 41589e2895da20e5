"""Old records are led step by step to today's form; newer ones are left alone."""

import pytest

from shared.events.upcasting import NewerRecordError, Raw, upcast


def renamed(raw: Raw) -> Raw:
    return {"schema": raw["schema"], "fresh": raw["stale"]}


def doubled(raw: Raw) -> Raw:
    return {**raw, "fresh": f"{raw['fresh']}{raw['fresh']}"}


STEPS = {1: renamed, 2: doubled}


def test_a_record_of_today_is_left_as_it_is() -> None:
    assert upcast({"schema": 3, "fresh": "a"}, to=3, steps=STEPS) == {"schema": 3, "fresh": "a"}


def test_steps_are_applied_in_turn_from_the_number_that_was_found() -> None:
    assert upcast({"schema": 1, "stale": "a"}, to=3, steps=STEPS) == {"schema": 3, "fresh": "aa"}
    assert upcast({"schema": 2, "fresh": "a"}, to=3, steps=STEPS) == {"schema": 3, "fresh": "aa"}


def test_steps_beyond_the_wanted_number_are_not_applied() -> None:
    assert upcast({"schema": 1, "stale": "a"}, to=2, steps=STEPS) == {"schema": 2, "fresh": "a"}


def test_the_record_that_was_given_is_not_changed() -> None:
    given: Raw = {"schema": 1, "stale": "a"}

    upcast(given, to=3, steps=STEPS)

    assert given == {"schema": 1, "stale": "a"}


def test_a_newer_record_is_not_guessed_at() -> None:
    with pytest.raises(NewerRecordError, match="schema 4, this version reads up to 3"):
        upcast({"schema": 4}, to=3, steps=STEPS)


@pytest.mark.parametrize("schema", [None, "1", 1.5])
def test_a_record_without_a_number_is_refused(schema: object) -> None:
    with pytest.raises(ValueError, match="no schema number"):
        upcast({"schema": schema}, to=3, steps=STEPS)


def test_a_missing_step_is_an_error_and_never_skipped() -> None:
    with pytest.raises(KeyError):
        upcast({"schema": 0}, to=3, steps=STEPS)
