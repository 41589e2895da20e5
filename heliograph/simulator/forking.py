"""Fork a history: the moment as a world to begin with, and both ways on from there compared.

Both forks are run, the one that changes and the one that does not: so they differ by the change
alone, and not by how the simulator imitates Kubernetes. What people and nodes did after the moment
in the recorded history happens in neither.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta

from msgspec import Struct

from heliograph.simulator.learning import scenario_of
from heliograph.simulator.questions import KINDS, Question, QuestionError, unchanged, words_of
from heliograph.simulator.refusing import check_times
from heliograph.simulator.remembering import memories_of
from heliograph.simulator.restoring import asked_for, newest_version, restored
from heliograph.simulator.running import Progress, Wishes, run
from heliograph.simulator.settings import settings_then
from heliograph.simulator.world import Start, latest
from heliograph.views.bounds import Bound, Bounds
from heliograph.views.outcomes import Comparison, compare
from shared.aggregates.view import View, view
from shared.events.envelope import Record
from shared.events.objects import PodSeen
from shared.events.subjects import place_of
from shared.kernel.keys import ResourceKey

REAL = "every rule of the operator: its services, in the settings of that day"
IMITATED = (
    "Kubernetes, from API server to kubelets; pods come and go as fast as in this history",
    "what that Kubernetes refused by quota or webhook is allowed here",
    "Ray: dashboards, jobs and applications fare as in this history",
    "the operator starts anew at the moment; what people did later happens in neither fork",
)
WINDOW = timedelta(minutes=30)
"""How far back everything is kept: budgets count what was deleted lately."""


class Answer(Struct, frozen=True, kw_only=True):
    """What would have happened, and how that was found out."""

    resource: str
    moment: datetime
    record: int
    """The last record that counts."""
    seconds: float
    seed: int
    changes: tuple[str, ...]
    comparison: Comparison
    real: str = REAL
    imitated: tuple[str, ...] = IMITATED


class Asked(Struct, frozen=True, kw_only=True):
    """What to find out: where to fork, how long to go on, with which luck."""

    question: Question
    at: Bound | None = None
    lasts: timedelta = timedelta(minutes=10)
    seed: int = 0


def what_if(records: Sequence[Record], asked: Asked, tell: Progress) -> Answer:
    """Answer a question about records of whole histories, oldest first."""
    check_times(asked.question, asked.lasts)
    bounds = Bounds(last=asked.at)
    history = tuple(one for one in records if not bounds.passed(one.sequence, one.at))
    if not history:
        raise QuestionError("the log knew nothing then")
    last = history[-1]
    moment = max(last.at, asked.at) if isinstance(asked.at, datetime) else last.at
    start = begin(history, records, moment, asked.question.key)
    wishes = Wishes(settings=settings_then(history), lasts=asked.lasts, seed=asked.seed)
    other = run(start, asked.question, wishes, lambda done: tell(done / 2))
    base = run(start, unchanged(asked.question), wishes, lambda done: tell(0.5 + done / 2))
    return Answer(
        resource=asked.question.resource,
        moment=moment,
        record=last.sequence,
        seconds=asked.lasts.total_seconds(),
        seed=asked.seed,
        changes=words_of(asked.question),
        comparison=compare(history, base, other, moment),
    )


def begin(
    history: Sequence[Record], records: Sequence[Record], moment: datetime, key: ResourceKey
) -> Start:
    """Return the world at the moment; `records` tell how things fared later as well."""
    views = tuple(_views(history))
    if not any(one.key == key and one.own is not None for one in views):
        raise QuestionError(f"resource: {key} was not there then")
    pods = [pod for one in views for pod in one.children.values() if isinstance(pod, PodSeen)]
    kept = [one for one in history if place_of(one.subject) is not None]
    return Start(
        moment=moment,
        records=latest(kept, moment, WINDOW),
        objects=restored(views, asked_for(history)),
        newest_version=newest_version(history),
        scenario=scenario_of(records, pods),
        memories=memories_of(views, moment),
    )


def _views(history: Iterable[Record]) -> Iterable[View]:
    kept: dict[ResourceKey, list[Record]] = {}
    for record in history:
        place = place_of(record.subject)
        if place is not None and place.key.kind in KINDS:
            kept.setdefault(place.key, []).append(record)
    return (view(key, found) for key, found in sorted(kept.items()))
