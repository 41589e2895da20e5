"""Tables, colours, widths and progress for terminals; no meaning.

On a terminal: colours (unless `NO_COLOR` is set), lines cut to its width, and a live area that is
drawn over. Elsewhere: plain lines, whole. Control characters in what we are given are shown, never
obeyed, so that no text from a cluster can drive someone's terminal.
"""

import re
import shutil
import unicodedata
from collections.abc import Mapping, Sequence
from enum import StrEnum
from types import TracebackType
from typing import Self, TextIO

from msgspec import Struct

_ESCAPE = re.compile(r"(\x1b\[[0-9;]*m)")
_WIDE = frozenset("WF")
_RESET = "\x1b[0m"
_UP_AND_CLEAR = "\x1b[{}F\x1b[J"


class Colour(StrEnum):
    """What a terminal can tell apart."""

    BOLD = "1"
    DIM = "2"
    RED = "31"
    GREEN = "32"
    YELLOW = "33"
    BLUE = "34"
    CYAN = "36"


class Cell(Struct, frozen=True):
    """A text with a colour."""

    text: str
    colour: Colour | None = None


class Screen:
    """Where output goes, and what it can do."""

    def __init__(
        self, stream: TextIO, environment: Mapping[str, str], *, width: int | None = None
    ) -> None:
        self._stream = stream
        self.live = stream.isatty() and environment.get("TERM") != "dumb"
        self.coloured = self.live and not environment.get("NO_COLOR")
        self._width = width

    @property
    def width(self) -> int | None:
        """How many columns there are; None where lines have no end."""
        if self._width is not None or not self.live:
            return self._width
        return shutil.get_terminal_size().columns

    def paint(self, text: str, colour: Colour | None) -> str:
        """Return the text harmless, and coloured where that shows."""
        safe = harmless(text)
        return f"\x1b[{colour}m{safe}{_RESET}" if colour and self.coloured and safe else safe

    def write(self, lines: Sequence[str]) -> None:
        """Print lines that stay."""
        self._stream.write("".join(f"{line}\n" for line in lines))
        self._stream.flush()

    def redraw(self, above: int, lines: Sequence[str]) -> None:
        """Go up over earlier lines, clear them and print others."""
        if above:
            self._stream.write(_UP_AND_CLEAR.format(above))
        self.write(lines)


class Progress:
    """A few lines that change in place under lines that stay.

    Without a terminal, `show` prints each line that was not there the last time.
    """

    def __init__(self, screen: Screen) -> None:
        self._screen = screen
        self._shown: tuple[str, ...] = ()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._shown = ()

    def say(self, line: str) -> None:
        """Print a line that stays, above the live area."""
        if self._screen.live:
            self._screen.redraw(len(self._shown), [line, *self._shown])
        else:
            self._screen.write([line])

    def show(self, lines: Sequence[str]) -> None:
        """Draw the live area anew."""
        if self._screen.live:
            fitting = tuple(fit(line, self._screen.width) for line in lines)
            self._screen.redraw(len(self._shown), fitting)
            self._shown = fitting
        else:
            self._screen.write([line for line in lines if line not in self._shown])
            self._shown = tuple(lines)


def table(
    screen: Screen, rows: Sequence[Sequence[Cell | str]], *, headings: Sequence[str] = ()
) -> list[str]:
    """Return rows as lines with aligned columns, cut to the width of the screen."""
    cells = [[cell if isinstance(cell, Cell) else Cell(cell) for cell in row] for row in rows]
    if headings:
        cells.insert(0, [Cell(heading.upper(), Colour.BOLD) for heading in headings])
    columns = max(map(len, cells), default=0)
    widths = [max(columns_of(row[i].text) for row in cells if i < len(row)) for i in range(columns)]
    return [fit(_line(screen, row, widths), screen.width) for row in cells]


def fit(line: str, width: int | None) -> str:
    """Cut a line to so many columns, an ellipsis in the last; colours cost nothing."""
    if width is None or columns_of(_ESCAPE.sub("", line)) <= width:
        return line
    kept: list[str] = []
    left = width - 1
    for part in _ESCAPE.split(line):
        if _ESCAPE.fullmatch(part):
            kept.append(part)
            continue
        for character in part:
            left -= columns_of(character)
            if left < 0:
                break
            kept.append(character)
        if left < 0:
            break
    coloured = any(part.startswith("\x1b") for part in kept)
    return "".join(kept) + "…" + (_RESET if coloured else "")


def columns_of(text: str) -> int:
    """Return how many columns a text takes on a terminal."""
    return sum(
        0 if unicodedata.combining(character) else 1 + _wide(character)
        for character in harmless(text)
    )


def harmless(text: str) -> str:
    """Replace control characters by visible ones."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else _visible(c) for c in text)


def _wide(character: str) -> bool:
    return unicodedata.east_asian_width(character) in _WIDE


def _visible(character: str) -> str:
    if character in "\n\t\r":
        return " "
    return character.encode("unicode_escape").decode("ascii")


def _line(screen: Screen, row: Sequence[Cell], widths: Sequence[int]) -> str:
    texts = [screen.paint(cell.text, cell.colour) for cell in row]
    pads = [" " * (width - columns_of(cell.text)) for cell, width in zip(row, widths, strict=False)]
    pads[-1:] = [""]
    return "  ".join(text + pad for text, pad in zip(texts, pads, strict=False)).rstrip()
