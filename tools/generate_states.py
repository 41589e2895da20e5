"""Write docs/reference/rayjob-states.md from the table of phases, or check that it is up to date.

    python -m tools.generate_states            write it
    python -m tools.generate_states --check    exit 1 if it is stale

`tests/house/test_states_page.py` holds it fresh.
"""

import sys
from collections.abc import Iterator
from pathlib import Path

from services.status.conditions.rayjob.endings import NEVER_RETRIED
from services.status.conditions.rayjob.table import TABLE, UNTOUCHED_BY_INVALIDITY
from shared.aggregates.rayjob import FAILED, INVALID, OVER, RETRYING

HOME = Path(__file__).resolve().parents[1]
PAGE = HOME / "docs" / "reference" / "rayjob-states.md"
_NOTE = "<!-- Made by tools/generate_states.py. Change the table, then run it again. -->"
_INTRODUCTION = """\
The values of `status.jobDeploymentStatus` and the ways from one to another, in the order in which
they are tried. `New` stands for the empty value."""


def page() -> str:
    """Return the whole page."""
    return "\n".join(
        (
            *("# States of a RayJob", "", _NOTE, "", _INTRODUCTION, ""),
            *("```mermaid", "stateDiagram-v2", *_diagram(), "```", ""),
            *("| From | To | When |", "| --- | --- | --- |", *_rows(), ""),
            *(_words(), ""),
        )
    )


def stale(path: Path = PAGE) -> bool:
    """Whether the page differs from what the table says."""
    return not path.is_file() or path.read_text(encoding="utf-8") != page()


def main(arguments: list[str]) -> int:
    """Write or check; return the exit code."""
    if arguments == ["--check"]:
        if stale():
            print("docs/reference/rayjob-states.md is stale: run python -m tools.generate_states")
            return 1
        return 0
    PAGE.write_text(page(), encoding="utf-8")
    return 0


def ways() -> Iterator[tuple[str, str, str]]:
    """Yield from, to and when of every way, those that hold for many phases included."""
    for phase, out in TABLE.items():
        for way in out:
            for to in way.to:
                yield _named(phase), _named(to), way.when
        if any(FAILED in way.to for way in out):
            yield _named(phase), RETRYING, "it would be Failed, and tries are left"
        if phase not in UNTOUCHED_BY_INVALIDITY | {INVALID}:
            yield _named(phase), INVALID, "its spec makes no sense"


def _diagram() -> Iterator[str]:
    yield "    [*] --> New"
    told = dict.fromkeys((before, after) for before, after, _ in ways())
    yield from (f"    {before} --> {after}" for before, after in told)
    yield from (f"    {phase} --> [*]" for phase in sorted(OVER))


def _rows() -> Iterator[str]:
    yield from (f"| {before} | {after} | {when} |" for before, after, when in ways())


def _words() -> str:
    reasons = " and ".join(f"`{reason}`" for reason in sorted(NEVER_RETRIED))
    kept = ", ".join(sorted(UNTOUCHED_BY_INVALIDITY))
    return (
        "Tries are left while `status.failed` is not above `spec.backoffLimit`. The reasons\n"
        f"{reasons} are not tried again.\n"
        f"A spec that makes no sense does not touch {kept}.\n"
        "A RayJob may be deleted in every state."
    )


def _named(phase: str) -> str:
    return phase or "New"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
