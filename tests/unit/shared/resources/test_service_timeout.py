"""The annotation that limits how long a RayService may take to be ready."""

from datetime import timedelta

import pytest

from shared.resources.service_timeout import ANNOTATION, go_duration, initializing_timeout
from shared.validation.initializing_timeout import timeout_problems
from tests.support.builders import NOON


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("5m", 300), ("300", 300), ("1h30m", 5400), ("1.5h", 5400), ("90s", 90), ("500ms", 1)],
)
def test_a_duration_or_whole_seconds(text: str, seconds: int) -> None:
    """RayService checklist 55: both ways to write it are taken."""
    assert initializing_timeout({ANNOTATION: text}) == timedelta(seconds=seconds)
    assert list(timeout_problems(text)) == []


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("0", "must be a positive duration, got: 0"),
        ("-5m", "must be a positive duration, got: -5m"),
        ("-100", "must be a positive integer (seconds), got: -100"),
        ("invalid", "has invalid format: invalid."),
    ],
)
def test_what_is_no_time_is_refused_in_its_own_words(text: str, words: str) -> None:
    """RayService checklist 55: each with its text."""
    assert words in next(iter(timeout_problems(text))).message


def test_without_a_word_there_is_no_limit() -> None:
    assert initializing_timeout({}) is None
    assert initializing_timeout({ANNOTATION: ""}) is None
    assert initializing_timeout({ANNOTATION: "soon"}) is None


@pytest.mark.parametrize(
    ("seconds", "text"), [(0, "0s"), (90, "1m30s"), (3600, "1h0m0s"), (5405, "1h30m5s")]
)
def test_spans_are_written_as_go_writes_them(seconds: int, text: str) -> None:
    assert go_duration(timedelta(seconds=seconds)) == text


@pytest.mark.parametrize("text", ["999999999999", "2500000h"])
def test_a_moment_can_be_added_to_the_longest_limit(text: str) -> None:
    limit = initializing_timeout({ANNOTATION: text})

    assert limit is not None
    assert NOON + limit > NOON
