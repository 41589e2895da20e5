"""Bounds as people say them."""

from datetime import UTC, datetime

import pytest

from heliograph.views.clocktime import spoken_bound, spoken_moment

NOW = datetime(2030, 1, 2, 9, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "bound"),
    [
        ("03:12", datetime(2030, 1, 2, 3, 12, tzinfo=UTC)),
        ("9:30", NOW),
        ("23:10:05", datetime(2030, 1, 1, 23, 10, 5, tzinfo=UTC)),
        ("2h", datetime(2030, 1, 2, 7, 30, tzinfo=UTC)),
        ("2029-12-31T10:00Z", datetime(2029, 12, 31, 10, tzinfo=UTC)),
        ("4711", 4711),
    ],
)
def test_a_bound(text: str, bound: object) -> None:
    assert spoken_bound(text, NOW) == bound


@pytest.mark.parametrize("text", ["25:00", "yesterday", ""])
def test_what_is_no_bound_is_told(text: str) -> None:
    with pytest.raises(ValueError, match="nor a time of day like 03:12"):
        spoken_bound(text, NOW)


def test_a_sequence_is_no_moment() -> None:
    assert spoken_moment("09:30", NOW) == NOW
    with pytest.raises(ValueError, match="'4711' is a sequence"):
        spoken_moment("4711", NOW)
