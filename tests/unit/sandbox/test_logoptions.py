"""What is asked of a log: read as the API server reads it, refused in its words."""

from datetime import timedelta

import pytest

from sandbox.controllers.podlogs import Asked
from sandbox.errors import ApiError
from sandbox.logoptions import Wanted, read_wanted
from tests.unit.sandbox.widgets import NOON


def refusal(**query: str) -> tuple[int, str]:
    with pytest.raises(ApiError) as refused:
        read_wanted(query, "p", NOON)
    return refused.value.code, str(refused.value)


def test_asks_for_everything_when_nothing_is_said() -> None:
    assert read_wanted({}, "p", NOON) == Wanted()


def test_reads_what_kubectl_sends() -> None:
    query = {"follow": "true", "previous": "true", "timestamps": "true", "limitBytes": "7"}
    told = read_wanted({**query, "tailLines": "0", "sinceSeconds": "60"}, "p", NOON)

    asked = Asked(tail=0, since=NOON - timedelta(minutes=1), timestamps=True)
    assert told == Wanted(previous=True, follow=True, limit=7, asked=asked)
    assert read_wanted({"sinceTime": "2030-01-01T12:00:00Z"}, "p", NOON).asked.since == NOON


@pytest.mark.parametrize(
    ("text", "meant"), [("false", False), ("0", False), ("", True), ("x", True), ("True", True)]
)
def test_a_switch_that_is_named_is_on_unless_it_says_otherwise(text: str, *, meant: bool) -> None:
    assert read_wanted({"follow": text}, "p", NOON).follow is meant


def test_refuses_what_is_no_number_or_no_moment() -> None:
    parsing = "strconv.ParseInt: parsing"
    assert refusal(tailLines="x") == (400, f'{parsing} "x": invalid syntax')
    assert refusal(limitBytes="") == (400, f'{parsing} "": invalid syntax')
    assert refusal(tailLines="9" * 20) == (400, f'{parsing} "{"9" * 20}": value out of range')
    assert refusal(sinceTime="x")[1].startswith('parsing time "x" as')
    assert refusal(sinceTime="2030-01-01T12:00:00")[0] == 400


def test_refuses_what_makes_no_sense() -> None:
    both = refusal(sinceSeconds="1", sinceTime="2030-01-01T12:00:00Z")
    invalid = 'PodLogOptions "p" is invalid: '

    assert refusal(tailLines="-1") == (
        422,
        f"{invalid}tailLines: Invalid value: -1: must be greater than or equal to 0",
    )
    assert refusal(sinceSeconds="0") == (
        422,
        f"{invalid}sinceSeconds: Invalid value: 0: must be greater than 0",
    )
    assert "at most one of `sinceTime` or `sinceSeconds` may be specified" in both[1]


def test_a_span_longer_than_any_life_is_no_trouble() -> None:
    assert read_wanted({"sinceSeconds": "9" * 18}, "p", NOON).asked.since is not None
