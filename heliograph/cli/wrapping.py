"""Tables whose last column goes on under itself: nothing that explains something is cut off."""

from collections.abc import Iterator, Sequence

from heliograph.cli.render import Cell, Colour, Screen, columns_of

NARROWEST = 24
"""A last column is never narrower, whatever the terminal."""
_GAP = "  "


Row = Sequence[Cell | str] | str
"""Cells, or a line that stands for itself."""


def wrapped(screen: Screen, rows: Sequence[Row], *, headings: Sequence[str] = ()) -> list[str]:
    """Return rows as lines with aligned columns; the last one is broken at words."""
    titles: list[Row] = [[Cell(one.upper(), Colour.BOLD) for one in headings]] if headings else []
    whole = [_cells(row) for row in (*titles, *rows)]
    tables = [row for row in whole if not isinstance(row, str)]
    columns = max(map(len, tables), default=0)
    widths = [
        max((columns_of(row[i].text) for row in tables if i < len(row) - 1), default=0)
        for i in range(columns - 1)
    ]
    return [line for row in whole for line in _lines(screen, row, widths)]


def _cells(row: Row) -> list[Cell] | str:
    if isinstance(row, str):
        return row
    return [cell if isinstance(cell, Cell) else Cell(cell) for cell in row]


def _lines(screen: Screen, row: list[Cell] | str, widths: Sequence[int]) -> Iterator[str]:
    if isinstance(row, str):
        yield screen.paint(row, Colour.BOLD)
    else:
        yield from _row(screen, row, widths)


def _row(screen: Screen, row: Sequence[Cell], widths: Sequence[int]) -> Iterator[str]:
    *first, last = row
    before = "".join(
        screen.paint(cell.text, cell.colour) + " " * (width - columns_of(cell.text)) + _GAP
        for cell, width in zip(first, widths, strict=False)
    )
    used = sum(width + len(_GAP) for width in widths[: len(first)])
    room = None if screen.width is None else max(screen.width - used, NARROWEST)
    for number, part in enumerate(broken(last.text, room)):
        start = before if number == 0 else " " * used
        yield f"{start}{screen.paint(part, last.colour)}".rstrip()


def broken(text: str, room: int | None) -> list[str]:
    """Break a text at words so that each part fits; later parts keep its indent and two more."""
    if room is None or columns_of(text) <= room:
        return [text]
    indent = " " * (len(text) - len(text.lstrip()))
    lines: list[str] = []
    line = ""
    for word in text.split():
        start = indent if not lines else f"{indent}  "
        longer = f"{line} {word}" if line else f"{start}{word}"
        if line and columns_of(longer) > room:
            lines.append(line)
            longer = f"{indent}  {word}"
        while columns_of(longer) > room:
            head, longer = _cut(longer, room, f"{indent}  ")
            lines.append(head)
        line = longer
    return [*lines, line] if line.strip() else lines


def _cut(text: str, room: int, indent: str) -> tuple[str, str]:
    """Cut a word that is wider than a line."""
    taken = 0
    for index, character in enumerate(text):
        taken += columns_of(character)
        if taken > room:
            return text[:index], f"{indent}{text[index:]}"
    return text, ""
