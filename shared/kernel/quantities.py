"""Kubernetes quantities: `500m` of a processor, `5Gi` of memory.

A quantity is an exact number of billionths with the notation it was written in; finer input is
rounded away from zero, as the API server does. Printing is canonical: no fraction, no loss, the
largest suffix that fits. Sums are exact.
"""

import re
from types import MappingProxyType
from typing import Literal

from msgspec import Struct

Notation = Literal["binary", "decimal", "exponent"]

_NANO = 10**9
_LONGEST_EXPONENT = 40
_WRITTEN = re.compile(
    r"(?P<sign>[+-]?)(?P<whole>\d*)(?:\.(?P<part>\d*))?"
    r"(?:(?P<suffix>[KMGTPE]i|[numkMGTPE])|[eE](?P<power>[+-]?\d+))?"
)
_POWERS_OF_TEN = MappingProxyType(
    {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
)
_POWERS_OF_TWO = MappingProxyType({"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60})


class Quantity(Struct, frozen=True, kw_only=True):
    """An exact amount and the notation its text prefers."""

    nanos: int
    notation: Notation = "decimal"

    def __bool__(self) -> bool:
        """Zero counts as unset almost everywhere."""
        return self.nanos != 0

    def __add__(self, other: "Quantity") -> "Quantity":
        """Add exactly; the first amount that is not zero gives the notation."""
        notation = self.notation if self else other.notation
        return Quantity(nanos=self.nanos + other.nanos, notation=notation)

    def __mul__(self, times: int) -> "Quantity":
        return Quantity(nanos=self.nanos * times, notation=self.notation)

    def __lt__(self, other: "Quantity") -> bool:
        return self.nanos < other.nanos

    def __str__(self) -> str:
        """Print the canonical text."""
        if self.notation == "binary" and abs(self.nanos) >= 1024 * _NANO and not self.nanos % _NANO:
            return _binary(self.nanos // _NANO)
        return _decimal(self.nanos, exponent=self.notation == "exponent")

    @property
    def rounded_up(self) -> int:
        """The next whole number away from zero."""
        whole = -(-abs(self.nanos) // _NANO)
        return whole if self.nanos >= 0 else -whole

    @property
    def approximate(self) -> float:
        """The nearest floating-point number."""
        return self.nanos / _NANO


ZERO = Quantity(nanos=0)


def parse_quantity(written: object) -> Quantity | None:
    """Read a quantity from text or a whole number; None if it is none."""
    if isinstance(written, bool) or not isinstance(written, int | str):
        return None
    match = _WRITTEN.fullmatch(str(written))
    if match is None or not (match["whole"] or match["part"]):
        return None
    suffix = match["suffix"] or ""
    power_of_ten = int(match["power"]) if match["power"] else _POWERS_OF_TEN.get(suffix, 0)
    if abs(power_of_ten) > _LONGEST_EXPONENT:
        return None
    digits = (match["whole"] or "") + (match["part"] or "")
    shift = power_of_ten + 9 - len(match["part"] or "")
    amount = int(digits) << _POWERS_OF_TWO.get(suffix, 0)
    nanos = amount * 10**shift if shift >= 0 else -(-amount // 10**-shift)
    notation: Notation = "binary" if suffix in _POWERS_OF_TWO else "decimal"
    return Quantity(
        nanos=-nanos if match["sign"] == "-" else nanos,
        notation="exponent" if match["power"] else notation,
    )


def _binary(whole: int) -> str:
    suffix = ""
    for name, power in _POWERS_OF_TWO.items():
        if whole % (1 << power):
            break
        suffix = name
    return f"{whole >> _POWERS_OF_TWO.get(suffix, 0)}{suffix}"


def _decimal(nanos: int, *, exponent: bool) -> str:
    if nanos == 0:
        return "0"
    power = -9
    amount = nanos
    while amount % 1000 == 0 and (power < _POWERS_OF_TEN["E"] or exponent):
        amount //= 1000
        power += 3
    if exponent:
        return f"{amount}e{power}" if power else str(amount)
    suffix = next(name for name, known in _POWERS_OF_TEN.items() if known == power)
    return f"{amount}{suffix}"
