"""Lines of a run, however they arrive."""

from datetime import UTC, datetime

from sandbox.ray import logbook
from sandbox.ray.logbook import LogBook

NOON = datetime(2030, 1, 1, 12, tzinfo=UTC)


def texts(book: LogBook) -> list[str]:
    return [line.text for line in book.lines]


def test_lines_may_come_in_pieces() -> None:
    book = LogBook(lambda: NOON)
    for chunk in (b"one\ntw", b"o\r\nthr", "ée".encode()[:1], "ée".encode()[1:]):
        book.take(chunk)

    assert texts(book) == ["one", "two"]

    book.close()
    book.close()

    assert texts(book) == ["one", "two", "thrée"]
    assert {line.at for line in book.lines} == {NOON}


def test_the_oldest_lines_go_when_there_are_too_many() -> None:
    book = LogBook(lambda: NOON)
    book.take(b"x\n" * logbook.LINES_MAX + b"last\n")

    assert len(book.lines) <= logbook.LINES_MAX
    assert texts(book)[-1] == "last"
