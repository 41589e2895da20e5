"""Numbers and quotes the way Go reads and writes them: users know the errors by these words."""

import re

SPACES = (
    "\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
)
SPACES += "\u2028\u2029\u202f\u205f\u3000"
"""What separates words in Go; Python's own idea of it is a little wider."""
INT_MAX = 2**63 - 1

_NUMBER = re.compile(r"[+-]?[0-9]+")
_ESCAPES = {"\a": r"\a", "\b": r"\b", "\f": r"\f", "\n": r"\n", "\r": r"\r", "\t": r"\t"}
_ESCAPES |= {"\v": r"\v", "\\": r"\\", '"': r"\""}


def words(text: str) -> list[str]:
    """Split a text on blanks."""
    return [word for word in re.split(f"[{SPACES}]+", text) if word]


def whole_number(text: str) -> int:
    """Read a whole number; raise ValueError with Go's sentence."""
    if not _NUMBER.fullmatch(text):
        raise ValueError(f"strconv.Atoi: parsing {quoted(text)}: invalid syntax")
    number = int(text)
    if not -INT_MAX - 1 <= number <= INT_MAX:
        raise ValueError(f"strconv.Atoi: parsing {quoted(text)}: value out of range")
    return number


def quoted(text: str) -> str:
    """Quote a text, with escapes for what cannot be printed."""
    return '"' + "".join(_printable(letter) for letter in text) + '"'


def quoted_bytes(text: str) -> str:
    """Quote a text whose bytes beyond ASCII are all escaped, as errors about durations do."""
    return '"' + "".join(_ascii(byte) for byte in text.encode()) + '"'


def _printable(letter: str) -> str:
    if letter in _ESCAPES:
        return _ESCAPES[letter]
    if letter.isprintable():
        return letter
    code = ord(letter)
    if code < 0x80:  # noqa: PLR2004 - the end of ASCII
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"  # noqa: PLR2004


def _ascii(byte: int) -> str:
    letter = chr(byte)
    if letter in '"\\':
        return f"\\{letter}"
    return letter if letter.isascii() and byte >= ord(" ") else f"\\x{byte:02x}"
