"""All invariants together: each is shown what it has something to say of, and nothing else."""

from collections.abc import Callable, Iterable, Sequence

from sandbox.history import WatchEvent
from sandbox.requests import Request
from shared.events.envelope import Record
from tests.simulation.invariants.invariant import Invariant, RayCall


class Judges:
    """Who looks on, sorted by what they judge; what they say goes to who takes accusations."""

    def __init__(self, judges: Sequence[Invariant], accuse: Callable[[str], None]) -> None:
        self._of_commits = tuple(one for one in judges if one.judges("committed"))
        self._of_records = tuple(one for one in judges if one.judges("recorded"))
        self._of_requests = tuple(one for one in judges if one.judges("asked"))
        self._of_calls = tuple(one for one in judges if one.judges("called"))
        self._accuse = accuse

    def committed(self, resource: str, change: WatchEvent) -> None:
        """Show a commit in Kubernetes."""
        for judge in self._of_commits:
            self._hear(judge.committed(resource, change))

    def recorded(self, record: Record) -> None:
        """Show a record of the log."""
        for judge in self._of_records:
            self._hear(judge.recorded(record))

    def asked(self, who: str, request: Request) -> None:
        """Show a request that has arrived."""
        for judge in self._of_requests:
            self._hear(judge.asked(who, request))

    def called(self, call: RayCall) -> None:
        """Show a call to a Ray dashboard."""
        for judge in self._of_calls:
            self._hear(judge.called(call))

    def _hear(self, sentences: Iterable[str]) -> None:
        for sentence in sentences:
            self._accuse(sentence)
