"""What is said of an installation: one check after another, and a verdict over all. Values only.

Invariant: what could not be read is `UNKNOWN` with the reason, never well and never wrong.
"""

from collections.abc import Sequence
from enum import StrEnum

from msgspec import Struct


class Mark(StrEnum):
    """How a check came out."""

    WELL = "well"
    WARNING = "warning"
    WRONG = "wrong"
    UNKNOWN = "unknown"
    SKIPPED = "skipped"


class Verdict(StrEnum):
    """How the whole came out."""

    WELL = "well"
    WARNINGS = "warnings"
    WRONG = "wrong"
    BLIND = "blind"
    """Nothing could be looked at."""


class Check(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One thing that was looked at; unless it is well: why it matters and what to do."""

    area: str
    what: str
    mark: Mark
    says: str
    matters: str = ""
    todo: tuple[str, ...] = ()


class Diagnosis(Struct, frozen=True, kw_only=True):
    """Everything that was looked at, in order."""

    verdict: Verdict
    counts: dict[str, int]
    checks: tuple[Check, ...]


class Area:
    """Makes the checks of one area, so that each line says only what is its own."""

    def __init__(self, name: str) -> None:
        self.name = name

    def well(self, what: str, says: str) -> Check:
        """Say that something is as it should be."""
        return Check(area=self.name, what=what, mark=Mark.WELL, says=says)

    def warning(self, what: str, says: str, matters: str, *todo: str) -> Check:
        """Say that something is not as it should be, and that the work goes on."""
        return self._told(Mark.WARNING, what, says, matters, todo)

    def wrong(self, what: str, says: str, matters: str, *todo: str) -> Check:
        """Say that something is broken."""
        return self._told(Mark.WRONG, what, says, matters, todo)

    def unknown(self, what: str, why: str, *todo: str) -> Check:
        """Say that nobody could tell, and why."""
        return self._told(Mark.UNKNOWN, what, f"could not tell: {why}", "", todo)

    def skipped(self, what: str, why: str) -> Check:
        """Say that nobody looked, on purpose."""
        return Check(area=self.name, what=what, mark=Mark.SKIPPED, says=why)

    def _told(self, mark: Mark, what: str, says: str, matters: str, todo: tuple[str, ...]) -> Check:
        return Check(area=self.name, what=what, mark=mark, says=says, matters=matters, todo=todo)


def diagnosis(checks: Sequence[Check], *, looked: bool) -> Diagnosis:
    """Sum up; `looked` says whether anything answered at all."""
    marks = [check.mark for check in checks]
    counts = {mark.value: marks.count(mark) for mark in Mark if mark in marks}
    return Diagnosis(verdict=_verdict(set(marks), looked=looked), counts=counts, checks=(*checks,))


def _verdict(marks: set[Mark], *, looked: bool) -> Verdict:
    if not looked:
        return Verdict.BLIND
    if Mark.WRONG in marks:
        return Verdict.WRONG
    return Verdict.WARNINGS if marks & {Mark.WARNING, Mark.UNKNOWN} else Verdict.WELL
