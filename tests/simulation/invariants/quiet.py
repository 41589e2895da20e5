"""Steady state writes nothing: no record, no request that changes anything."""

from sandbox.requests import WRITING, Request
from shared.events.envelope import Record
from tests.simulation.invariants.invariant import Invariant, Scene


class Quiet(Invariant):
    """Remembers when something was last written. Heartbeats are not in the log."""

    def __init__(self, scene: Scene) -> None:
        super().__init__(scene)
        self.last = "nothing"
        self._since = scene.nature.cluster.state.clock()

    def recorded(self, record: Record) -> tuple[str, ...]:
        self._loud(f"record {record.sequence} of {record.subject}")
        return ()

    def asked(self, who: str, request: Request) -> tuple[str, ...]:
        if request.verb in WRITING:
            self._loud(f"{who}: {request.verb} {request.resource} {request.name}")
        return ()

    def seconds(self) -> float:
        """Return for how long nothing was written."""
        return (self.scene.nature.cluster.state.clock() - self._since).total_seconds()

    def _loud(self, what: str) -> None:
        self.last = what
        self._since = self.scene.nature.cluster.state.clock()
