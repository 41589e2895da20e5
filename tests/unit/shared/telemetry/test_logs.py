"""Log lines: one object per line for machines, one readable line for people."""

import io
import logging
import sys
from collections.abc import Callable, Iterator

import msgspec
import pytest

from shared.runtime.settings import LogFormat, LogLevel
from shared.telemetry.context import about
from shared.telemetry.logs import JsonLines, TextLines, configure_logs

MOMENT = 1893499200.25  # 2030-01-01T12:00:00.25Z


def record(message: str, *, traced: bool = False, **extra: object) -> logging.LogRecord:
    made = logging.LogRecord(
        "services.test", logging.INFO, "a.py", 1, message, None, sys.exc_info() if traced else None
    )
    made.created = MOMENT
    vars(made).update(extra)
    return made


def decoded(line: str) -> dict[str, object]:
    return msgspec.json.decode(line, type=dict[str, object])


def broken(write: Callable[[], str]) -> str:
    try:
        int("no number")
    except ValueError:
        return write()
    raise AssertionError


def test_a_json_line_holds_the_sentence_and_its_fields_in_order() -> None:
    line = JsonLines().format(record("decided", because="2 of 3", zebra=1, resource="a/b"))

    assert list(decoded(line).items()) == [
        ("at", "2030-01-01T12:00:00.250000Z"),
        ("level", "info"),
        ("message", "decided"),
        ("resource", "a/b"),
        ("because", "2 of 3"),
        ("zebra", 1),
        ("logger", "services.test"),
    ]


def test_what_is_bound_is_on_every_line_and_a_field_wins_over_it() -> None:
    with about(service="watcher", kind="Pod"):
        line = decoded(JsonLines().format(record("seen", kind="Service")))

    assert (line["service"], line["kind"]) == ("watcher", "Service")


def test_a_json_line_stays_one_line_whatever_it_holds() -> None:
    line = JsonLines().format(record("seen", because='a\nb"c\x1b[31m', error=object()))

    assert "\n" not in line
    assert "\x1b" not in line
    assert decoded(line)["because"] == 'a\nb"c\x1b[31m'


def test_an_error_brings_its_trace() -> None:
    line = broken(lambda: JsonLines().format(record("broke", traced=True)))

    assert str(decoded(line)["trace"]).startswith("Traceback")


def test_a_text_line_is_for_people() -> None:
    line = TextLines().format(record("decided", because="2 of 3", resource="a/b", action=""))

    assert line == '12:00:00.250 info    decided  resource=a/b action="" because="2 of 3"'


def test_a_text_line_shows_control_characters_instead_of_obeying_them() -> None:
    line = TextLines().format(record("seen", because="\x1b[2Jgone\n"))

    assert line.endswith('because="\\u001b[2Jgone\\n"')


def test_a_text_line_has_its_trace_below() -> None:
    text = broken(lambda: TextLines().format(record("broke", traced=True)))

    assert text.splitlines()[-1].startswith("ValueError: invalid literal")


@pytest.fixture
def untouched_logging() -> Iterator[None]:
    root = logging.getLogger()
    handlers, level = root.handlers, root.level
    yield
    logging.captureWarnings(capture=False)
    root.handlers, root.level = handlers, level
    for name in ("heliograph", "services", "shared", "sandbox"):
        logging.getLogger(name).setLevel(logging.NOTSET)


@pytest.mark.usefixtures("untouched_logging")
def test_our_lines_follow_the_level_and_strangers_only_warn() -> None:
    stream = io.StringIO()
    configure_logs(stream, level=LogLevel.DEBUG, form=LogFormat.JSON)

    logging.getLogger("services.test").debug("ours")
    logging.getLogger("stranger").info("theirs")
    logging.getLogger("stranger").warning("trouble")

    lines = [decoded(line)["message"] for line in stream.getvalue().splitlines()]
    assert lines == ["ours", "trouble"]
