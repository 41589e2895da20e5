"""The verdict over all checks."""

import pytest

from heliograph.views.doctor.checks import Area, Check, Mark, Verdict, diagnosis

AREA = Area("streams")
WELL = AREA.well("one", "is there")
WARNING = AREA.warning("two", "is old", "it may break", "renew it")
WRONG = AREA.wrong("three", "is not there", "nothing works", "make it")
UNKNOWN = AREA.unknown("four", "no answer")


@pytest.mark.parametrize(
    ("checks", "verdict"),
    [
        ((WELL,), Verdict.WELL),
        ((WELL, AREA.skipped("five", "not asked")), Verdict.WELL),
        ((WELL, WARNING), Verdict.WARNINGS),
        ((WELL, UNKNOWN), Verdict.WARNINGS),
        ((UNKNOWN, WARNING, WRONG), Verdict.WRONG),
    ],
)
def test_the_worst_check_decides(checks: tuple[Check, ...], verdict: Verdict) -> None:
    assert diagnosis(checks, looked=True).verdict is verdict


def test_who_could_look_at_nothing_does_not_say_that_something_is_wrong() -> None:
    assert diagnosis((WRONG,), looked=False).verdict is Verdict.BLIND


def test_marks_are_counted() -> None:
    found = diagnosis((WELL, WELL, WRONG), looked=True)

    assert found.counts == {"well": 2, "wrong": 1}
    assert found.checks[2].todo == ("make it",)


def test_what_nobody_could_tell_is_neither_well_nor_wrong() -> None:
    assert UNKNOWN.mark is Mark.UNKNOWN
    assert UNKNOWN.says == "could not tell: no answer"
