"""What is said of what waits, and of versions."""

from datetime import timedelta

import pytest
from msgspec.structs import replace

from heliograph.views.doctor.checks import Mark
from heliograph.views.doctor.facts import Acts, Coded, Facts, Unknown, Waiting
from tests.support.examinations import ACTS, NOW, bus_with, only_trouble, troubles

WAITS = Waiting(
    resource="raycluster/default/first", since=NOW - timedelta(minutes=4), words="create pods"
)


def acts_with(**changes: object) -> Facts:
    return bus_with(acts=replace(ACTS, **changes))


@pytest.mark.parametrize(
    ("part", "what", "mark", "says"),
    [
        ("unanswered", "open acts", Mark.WRONG, "2 acts without an answer"),
        ("overdue", "timers", Mark.WRONG, "2 timers did not go off"),
        ("held", "budget", Mark.WARNING, "2 resources held back"),
        ("refused", "refusals", Mark.WARNING, "2 resources with something refused"),
        ("parked", "rules", Mark.WRONG, "2 resources parked"),
    ],
)
def test_what_waits_is_told_with_the_oldest(part: str, what: str, mark: Mark, says: str) -> None:
    younger = replace(WAITS, resource="raycluster/default/other", since=NOW - timedelta(minutes=2))

    found = only_trouble(acts_with(**{part: (younger, WAITS)}))

    assert (found.what, found.mark) == (what, mark)
    assert found.says == f"{says}: raycluster/default/first for 4 min (create pods)"


@pytest.mark.parametrize(
    ("part", "todo"),
    [
        ("unanswered", "see that an executor"),
        ("overdue", "heliograph run scheduler"),
        ("held", "heliograph why raycluster/default/first"),
        ("refused", "heliograph why raycluster/default/first"),
        ("parked", "run the newest version of every reconciler"),
    ],
)
def test_what_waits_comes_with_what_to_do(part: str, todo: str) -> None:
    assert only_trouble(acts_with(**{part: (WAITS,)})).todo[0].startswith(todo)


def test_who_is_held_back_can_be_approved() -> None:
    found = only_trouble(acts_with(held=(WAITS,)))

    assert "heliograph approve SCOPE" in found.todo[1]


def test_an_act_that_was_written_just_now_may_be_open() -> None:
    assert (
        troubles(acts_with(unanswered=(replace(WAITS, since=NOW - timedelta(seconds=15)),))) == ()
    )


def test_records_that_cannot_be_read_are_wrong() -> None:
    found = only_trouble(acts_with(unreadable=("a/b/c", "d/e/f", "g/h/i", "j/k/l")))

    assert (found.what, found.mark) == ("records", Mark.WRONG)
    assert found.says.startswith("a/b/c, d/e/f, g/h/i and 1 more")


def test_acts_that_could_not_be_read_are_unknown() -> None:
    found = only_trouble(bus_with(acts=Unknown("no answer within 10 s")))

    assert (found.area, found.mark) == ("resources", Mark.UNKNOWN)


def test_newer_rules_than_ours_are_told() -> None:
    found = only_trouble(acts_with(rules=2))

    assert (found.what, found.mark) == ("rules", Mark.WARNING)
    assert found.says == "acts are of rules 2, and this is of rules 1"


def test_versions_side_by_side_are_told() -> None:
    newer = Coded(code="heliograph/0.2.0", acts=1, last_at=NOW - timedelta(minutes=2))

    found = only_trouble(acts_with(codes=(*ACTS.codes, newer)))

    assert "heliograph/0.1.0 (3 acts), heliograph/0.2.0 (1 act)" in found.says


def test_a_version_that_decided_long_ago_is_history() -> None:
    older = Coded(code="heliograph/0.0.9", acts=7, last_at=NOW - timedelta(days=2))

    assert troubles(acts_with(codes=(older, *ACTS.codes))) == ()


def test_a_command_of_another_version_says_so() -> None:
    other = (Coded(code="heliograph/0.2.0", acts=1, last_at=NOW),)

    assert only_trouble(acts_with(codes=other)).what == "code"


@pytest.mark.parametrize("shadow", [True, False, None])
def test_the_mode_of_the_log_is_no_trouble(shadow: bool | None) -> None:
    assert [one.what for one in troubles(bus_with(shadow=shadow)) if one.area == "versions"] == []


def test_an_empty_log_is_no_trouble() -> None:
    assert troubles(bus_with(acts=Acts(), shadow=None)) == ()
