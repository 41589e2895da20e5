"""What a container has printed by a moment: lines with the time of each. Pure.

Lines come from the pod's rule, evenly spaced over a run; a Ray container without a rule says that
it started. `select` is what the `log` subresource's parameters ask for. Read next:
`sandbox.api.podlogs`, which serves it; `sandbox.dashboard.submitters` has lines of its own.
"""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from fnmatch import fnmatchcase
from typing import NamedTuple

from msgspec import Struct

from sandbox.controllers.scenario import PodRule
from sandbox.objects import Object, dig, metadata, moment, rows


class Line(NamedTuple):
    """One line and when it was printed."""

    at: datetime
    text: str

    def shown(self, *, timestamps: bool) -> str:
        """Return the line as it is sent."""
        if not timestamps:
            return f"{self.text}\n"
        at = self.at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%f000Z")
        return f"{at} {self.text}\n"


class Asked(Struct, frozen=True, kw_only=True):
    """Which lines a client wants."""

    tail: int | None = None
    since: datetime | None = None
    timestamps: bool = False


class Run(Struct, frozen=True, kw_only=True):
    """One run of a container."""

    started_at: datetime
    ended_at: datetime | None = None


def run_of(pod: Object, container: str, *, previous: bool = False) -> Run | None:
    """Find the run whose lines are asked for; None if there was none."""
    statuses = [*rows(pod, "status.containerStatuses"), *rows(pod, "status.initContainerStatuses")]
    status = next((each for each in statuses if each.get("name") == container), None)
    if status is None:
        return None
    states = ("lastState.terminated",) if previous else ("state.running", "state.terminated")
    for path in (*states, *(() if previous else ("lastState.terminated",))):
        found = dig(status, path)
        if found:
            ended = found.get("finishedAt")
            return Run(
                started_at=moment(found["startedAt"]), ended_at=moment(ended) if ended else None
            )
    return None


def printed(pod: Object, container: str, rule: PodRule, run: Run, now: datetime) -> list[Line]:
    """Return the lines of a run so far."""
    until = min(now, run.ended_at) if run.ended_at else now
    scripted = next((each for each in rule.logs if fnmatchcase(container, each.container)), None)
    if scripted is None:
        return [Line(run.started_at, text) for text in _own_words(pod, container)]
    spaced = (
        Line(run.started_at + timedelta(seconds=number * scripted.every), text)
        for number, text in enumerate(scripted.lines)
    )
    return [line for line in spaced if line.at <= until]


def select(lines: Sequence[Line], asked: Asked) -> list[Line]:
    """Keep the lines that a client wants."""
    kept = [line for line in lines if asked.since is None or line.at >= asked.since]
    if asked.tail is None:
        return kept
    return kept[len(kept) - min(asked.tail, len(kept)) :]


def containers(pod: Object) -> list[str]:
    """Name the containers that can have printed something, main ones first."""
    found = [*rows(pod, "spec.containers"), *rows(pod, "spec.initContainers")]
    return [str(each.get("name")) for each in found]


def _own_words(pod: Object, container: str) -> Iterable[str]:
    labels = metadata(pod).get("labels") or {}
    kind = labels.get("ray.io/node-type")
    first = next(rows(pod, "spec.containers"), {}).get("name")
    if kind is None or container != first:
        return ()
    address = dig(pod, "status.podIP")
    return (f"Local node IP: {address}", "Ray runtime started.")
