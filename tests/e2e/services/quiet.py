"""Whether an operator is quiet: nothing that it could write changes, and it says nothing.

The log and the timers have ends, every object has a version, every process a file that it writes
to, and counts of what it wrote or tried to. Quiet begins when no act waits for anything any more,
that is when only the timers are left that keep records from ageing out.
"""

import asyncio
from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from tests.e2e.services.counter import Counter
from tests.e2e.story import armed_timers, ends_of

KEEPING = {"refresh"}
WRITTEN = ("rayservices", "rayclusters", "pods", "services", "endpointslices", "secrets")
COUNTED = (
    "actions",
    "statuses_written",
    "status_conflicts",
    "decisions",
    "watcher_facts",
    "timers",
)
EVENTS = "/apis/events.k8s.io/v1"
LOOK_EVERY = 0.5
WITHIN = 120.0


async def until_quiet(desk: Counter) -> None:
    """Wait until nobody waits for anything."""
    async with asyncio.timeout(WITHIN):
        while await armed_timers(desk.here) - KEEPING:  # noqa: ASYNC110 - a look from outside
            await asyncio.sleep(LOOK_EVERY)


class Traces(Struct, frozen=True, kw_only=True):
    """Everything that a write or a word would change."""

    records: Mapping[str, int]
    """The ends of the log and of the timers."""
    objects: Mapping[str, str]
    """The version of every object."""
    lines: Mapping[str, int]
    """How much each process has said."""
    calls: Mapping[str, float]
    """What the processes counted of everything that they wrote or tried to."""


async def traces(desk: Counter, processes: Sequence[str]) -> Traces:
    """Look at everything that a write or a word would change."""
    return Traces(
        records=await ends_of(desk.here),
        objects=versions(desk),
        lines={name: len(desk.here.processes[name].said().splitlines()) for name in processes},
        calls={key: count for name in processes for key, count in counted(desk, name)},
    )


def versions(desk: Counter) -> dict[str, str]:
    """Return the version of everything that is written by us or because of us."""
    objects = {plural: desk.all(plural) for plural in WRITTEN}
    objects["events"] = desk.ask("GET", f"{EVENTS}/namespaces/{desk.namespace}/events")["items"]
    return {
        f"{plural}/{one['metadata']['name']}": str(one["metadata"]["resourceVersion"])
        for plural, found in objects.items()
        for one in found
    }


def counted(desk: Counter, process: str) -> Iterator[tuple[str, float]]:
    """Yield what a process counted, by metric and labels."""
    names = tuple(f"heliograph_{name}" for name in COUNTED)
    for line in desk.here.processes[process].asked("/metrics")[1].splitlines():
        if line.startswith(names) and "_created" not in line:
            metric, _, count = line.rpartition(" ")
            yield f"{process} {metric}", float(count)
