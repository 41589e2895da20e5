"""Write the pages about states of RayJobs and RayServices from their tables, or check them.

    python -m tools.generate_states            write them
    python -m tools.generate_states --check    exit 1 if one is stale

`tests/house/test_states_page.py` holds them fresh.
"""

import sys
from collections.abc import Iterator
from pathlib import Path

from services.status.conditions.rayjob.endings import NEVER_RETRIED
from services.status.conditions.rayjob.table import TABLE, UNTOUCHED_BY_INVALIDITY
from services.status.conditions.rayservice.table import BEGINNING
from services.status.conditions.rayservice.table import TABLE as SERVICE_TABLE
from shared.aggregates.rayjob import FAILED, INVALID, OVER, RETRYING

HOME = Path(__file__).resolve().parents[1]
REFERENCE = HOME / "docs" / "reference"
_NOTE = "<!-- Made by tools/generate_states.py. Change the table, then run it again. -->"
_OF_JOBS = """\
The values of `status.jobDeploymentStatus` and the ways from one to another, in the order in which
they are tried. `New` stands for the empty value."""
_OF_SERVICES = """\
Who serves, and what is under way. The state is read off names and conditions of the status, and
shown by the metric `heliograph_service_state`. Every status that is written stays in its state or
takes one of these ways."""
_READ_OFF = """\
| State | In the status |
| --- | --- |
| Beginning | no active cluster |
| Serving | an active cluster and no pending one |
| Upgrading | both |
| Returning | both, and the condition `RollbackInProgress` |
| Suspending, Suspended | the condition |
| GivenUp | `Ready` is false with the reason `InitializingTimeout` |

A spec that makes no sense leaves the state as it is, GivenUp apart.
A RayService may be deleted in every state."""
Ways = list[tuple[str, str, str]]


def pages() -> dict[str, str]:
    """Return every page by the name of its file."""
    return {"rayjob-states.md": _of_jobs(), "rayservice-states.md": _of_services()}


def _of_jobs() -> str:
    known, ends = list(ways()), sorted(OVER)
    return _page("RayJob", "New", _OF_JOBS, known, ends, _words())


def _of_services() -> str:
    return _page("RayService", BEGINNING, _OF_SERVICES, list(service_ways()), [], _READ_OFF)


def _page(kind: str, first: str, opening: str, known: Ways, ends: list[str], words: str) -> str:
    rows = [f"| {before} | {after} | {when} |" for before, after, when in known]
    diagram = _diagram(first, known, ends)
    return "\n".join(
        (
            *(f"# States of a {kind}", "", _NOTE, "", opening, ""),
            *("```mermaid", "stateDiagram-v2", *diagram, "```", ""),
            *("| From | To | When |", "| --- | --- | --- |", *rows, ""),
            *(words, ""),
        )
    )


def stale(folder: Path = REFERENCE) -> list[str]:
    """Name the pages that differ from what the tables say."""
    wanted = pages()
    there = {name: folder / name for name in wanted}
    return [
        name
        for name, path in there.items()
        if not path.is_file() or path.read_text(encoding="utf-8") != wanted[name]
    ]


def main(arguments: list[str]) -> int:
    """Write or check; return the exit code."""
    if arguments == ["--check"]:
        found = stale()
        for name in found:
            print(f"docs/reference/{name} is stale: run python -m tools.generate_states")
        return 1 if found else 0
    for name, text in pages().items():
        (REFERENCE / name).write_text(text, encoding="utf-8")
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


def service_ways() -> Iterator[tuple[str, str, str]]:
    """Yield from, to and when of every way of a RayService."""
    for state, out in SERVICE_TABLE.items():
        yield from ((state, way.to, way.when) for way in out)


def _diagram(first: str, known: Ways, ends: list[str]) -> Iterator[str]:
    yield f"    [*] --> {first}"
    told = dict.fromkeys((before, after) for before, after, _ in known)
    yield from (f"    {before} --> {after}" for before, after in told)
    yield from (f"    {phase} --> [*]" for phase in ends)


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
