"""Tables, colours and progress, on a terminal and elsewhere."""

import io

import pytest

from heliograph.cli.render import (
    Cell,
    Colour,
    Progress,
    Screen,
    columns_of,
    fit,
    harmless,
    table,
)


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def plain() -> Screen:
    return Screen(io.StringIO(), {})


@pytest.mark.parametrize(
    ("stream", "environment", "coloured"),
    [
        (Terminal(), {}, True),
        (Terminal(), {"NO_COLOR": "1"}, False),
        (Terminal(), {"NO_COLOR": ""}, True),
        (Terminal(), {"TERM": "dumb"}, False),
        (io.StringIO(), {}, False),
    ],
)
def test_colours_only_where_they_are_wanted(
    stream: io.StringIO, environment: dict[str, str], *, coloured: bool
) -> None:
    assert Screen(stream, environment).coloured is coloured


def test_paints_on_a_terminal_only() -> None:
    assert Screen(Terminal(), {}).paint("ok", Colour.GREEN) == "\x1b[32mok\x1b[0m"
    assert plain().paint("ok", Colour.GREEN) == "ok"


def test_columns_line_up() -> None:
    rows = [("head", "Running", "1 s"), ("worker-long", "Pending", "")]

    assert table(plain(), rows, headings=("pod", "phase", "age")) == [
        "POD          PHASE    AGE",
        "head         Running  1 s",
        "worker-long  Pending",
    ]


def test_columns_line_up_whatever_the_colour_and_the_alphabet() -> None:
    screen = Screen(Terminal(), {}, width=40)
    rows: list[list[Cell | str]] = [
        [Cell("日本", Colour.RED), "a"],
        [Cell("abcd"), "b"],
        [Cell("e\u0301"), "c"],
    ]

    assert table(screen, rows) == ["\x1b[31m日本\x1b[0m  a", "abcd  b", "e\u0301     c"]


def test_rows_may_differ_in_length() -> None:
    assert table(plain(), [("a", "b", "c"), ("long",)]) == ["a     b  c", "long"]
    assert table(plain(), []) == []


@pytest.mark.parametrize(
    ("line", "cut"),
    [
        ("short", "short"),
        ("exactly 10", "exactly 10"),
        ("eleven long", "eleven lo…"),
        ("\x1b[31meleven long\x1b[0m", "\x1b[31meleven lo…\x1b[0m"),
        ("日本日本日本", "日本日本…"),
    ],
)
def test_cuts_a_line_to_the_width(line: str, cut: str) -> None:
    assert fit(line, 10) == cut


def test_a_line_without_a_width_is_whole() -> None:
    assert fit("x" * 999, None) == "x" * 999


def test_control_characters_are_shown_not_obeyed() -> None:
    assert harmless("a\x1b[2Jb\nc\x07") == "a\\x1b[2Jb c\\x07"
    assert columns_of("\x07") == 4


def test_progress_on_a_terminal_is_drawn_over() -> None:
    stream = Terminal()
    with Progress(Screen(stream, {}, width=20)) as progress:
        progress.show(["pods 1/3", "head ready"])
        progress.show(["pods 2/3"])
        progress.say("killed a worker")

    assert stream.getvalue() == (
        "pods 1/3\nhead ready\n\x1b[2F\x1b[Jpods 2/3\n\x1b[1F\x1b[Jkilled a worker\npods 2/3\n"
    )


def test_progress_elsewhere_tells_only_what_is_new() -> None:
    stream = io.StringIO()
    with Progress(Screen(stream, {})) as progress:
        progress.show(["pods 1/3", "head starts"])
        progress.show(["pods 1/3", "head ready"])
        progress.say("killed a worker")

    assert stream.getvalue() == "pods 1/3\nhead starts\nhead ready\nkilled a worker\n"
