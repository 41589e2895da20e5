"""What a container has printed by a moment: lines with the time of each. Pure.

Lines come from the pod's rule, evenly spaced over a run; a Ray container without a rule says that
it started. `select` is what the `log` subresource's parameters ask for. Read next:
`sandbox.containerlogs`, which serves it; `sandbox.dashboard.submitters` has lines of its own.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from fnmatch import fnmatchcase
from typing import NamedTuple

from msgspec import Struct

from sandbox.controllers.scenario import PodRule
from sandbox.objects import Object, dig, metadata, moment, name_of, rows

NOW = ("state.running", "state.terminated")
BEFORE = ("lastState.terminated",)
UNPULLED: Mapping[str, str] = {
    "ErrImagePull": "image can't be pulled",
    "ImagePullBackOff": "trying and failing to pull image",
}


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
    known = _runs(pod, container, BEFORE if previous else (*NOW, *BEFORE))
    return next(known, None)


def same_run(pod: Object, container: str, run: Run) -> Run | None:
    """Find what became of a run; None if nothing is known of it any more."""
    known = _runs(pod, container, (*NOW, *BEFORE))
    return next((each for each in known if each.started_at == run.started_at), None)


def no_run(pod: Object, container: str, *, previous: bool) -> str:
    """Say why there are no lines, as the kubelet does."""
    named = f'container "{container}" in pod "{name_of(pod)}"'
    if previous:
        return f"previous terminated {named} not found"
    status = _status(pod, container)
    if status is None:
        return f"{named} is not available"
    reason = str(dig(status, "state.waiting.reason"))
    return f"{named} is waiting to start: {UNPULLED.get(reason, reason)}"


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
    """Name the containers that can have printed something, in the order of their turns."""
    found = [*rows(pod, "spec.initContainers"), *rows(pod, "spec.containers")]
    return [str(each.get("name")) for each in found]


def _status(pod: Object, container: str) -> Object | None:
    statuses = [*rows(pod, "status.containerStatuses"), *rows(pod, "status.initContainerStatuses")]
    return next((each for each in statuses if each.get("name") == container), None)


def _runs(pod: Object, container: str, states: Iterable[str]) -> Iterator[Run]:
    status = _status(pod, container)
    for found in filter(None, (dig(status, state) for state in states)):
        ended = found.get("finishedAt")
        yield Run(started_at=moment(found["startedAt"]), ended_at=moment(ended) if ended else None)


def _own_words(pod: Object, container: str) -> Iterable[str]:
    labels = metadata(pod).get("labels") or {}
    kind = labels.get("ray.io/node-type")
    first = next(rows(pod, "spec.containers"), {}).get("name")
    if kind is None or container != first:
        return ()
    address = dig(pod, "status.podIP")
    return (f"Local node IP: {address}", "Ray runtime started.")
