"""Tables whose last column goes on under itself."""

import io

import pytest

from heliograph.cli.render import Cell, Colour, Screen, columns_of
from heliograph.cli.wrapping import NARROWEST, broken, wrapped


def screen(width: int | None) -> Screen:
    return Screen(io.StringIO(), {}, width=width)


def test_a_long_text_goes_on_under_its_column() -> None:
    rows = [["7", "decided", "to make a great many things at once"], ["8", "done", "all"]]

    assert wrapped(screen(40), rows, headings=("record", "what", "detail")) == [
        "RECORD  WHAT     DETAIL",
        "7       decided  to make a great many",
        "                   things at once",
        "8       done     all",
    ]


def test_a_line_of_its_own_is_no_part_of_the_columns() -> None:
    rows = ["--- 2030-01-01 ---", ["1", "a"], ["22", "b"]]

    assert wrapped(screen(80), rows) == ["--- 2030-01-01 ---", "1   a", "22  b"]


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("short", ["short"]),
        ("one two three", ["one two", "  three"]),
        ("  because of it", ["  because", "    of it"]),
        ("abcdefghijklmno", ["abcdefghij", "  klmno"]),
        ("看看看看看看", ["看看看看看", "  看"]),
    ],
)
def test_texts_are_broken_at_words_and_too_long_words_anywhere(text: str, parts: list[str]) -> None:
    assert broken(text, 10) == parts
    assert all(columns_of(part) <= 10 for part in parts)


def test_without_an_end_nothing_is_broken() -> None:
    assert broken("word " * 100, None) == ["word " * 100]


def test_the_last_column_keeps_some_room_however_narrow_the_screen() -> None:
    lines = wrapped(screen(10), [["a" * 30, "x" * 60]])

    assert max(map(len, lines)) == 32 + NARROWEST


def test_colours_take_no_room() -> None:
    plain = wrapped(screen(30), [["1", "one two three four five six seven"]])
    coloured = wrapped(screen(30), [["1", Cell("one two three four five six seven", Colour.RED)]])

    assert coloured == plain, "this screen shows none"
