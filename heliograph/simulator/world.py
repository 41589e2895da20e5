"""One fork of a history: the real services, a bus in memory and the sandbox, in virtual time.

The log begins with the records of the moment under their own sequences and times, Kubernetes with
the objects that they tell of under their own versions: an operator who starts here finds everything
as it knew it. Invariant: the world is made of what it is given, and reaches nothing outside itself.
"""

import asyncio
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta

from msgspec import Struct, json
from msgspec.structs import replace

from heliograph.assembly.services import Plan, Ports, duties_of
from heliograph.simulator.dashboards import SandboxDashboards
from heliograph.simulator.kubernetes import SandboxCluster
from heliograph.simulator.living import live
from heliograph.simulator.restoring import Restored
from sandbox.cluster import Cluster
from sandbox.controllers.scenario import Scenario
from sandbox.dashboard.memory import Memory
from sandbox.defaults import completed
from sandbox.errors import ApiError
from sandbox.identity import numbered_uids
from services.watcher.entries import GONE, UID, VERSION
from shared.bus.matching import matcher
from shared.bus.memory import MemoryServer
from shared.events.codec import decode, encode
from shared.events.decisions import Answered, Decided
from shared.events.envelope import Record
from shared.events.objects import (
    ChildSeen,
    ObjectGone,
    PodSeen,
    ResourceSeen,
    ServiceSeen,
    uid_of,
    version_of,
)
from shared.kernel.manifests import thawed
from shared.kube.kinds import KINDS
from shared.ports.event_log import Message
from shared.resources.crd import definitions
from shared.runtime.health import Health
from shared.runtime.options import SERVICES
from shared.runtime.settings import ProcessSettings, Settings
from shared.runtime.supervision import Supervisor

CALL_DEADLINE = timedelta(milliseconds=200)
"""Calls of the simulator take no time; a watcher that starts waits so long for former ones."""
REACTION = 0.02
ACTS_MAX = 100
"""More acts of one resource at one instant are no progress."""
CRDS = "customresourcedefinitions"


class Start(Struct, frozen=True, kw_only=True):
    """What a world begins with."""

    moment: datetime
    records: tuple[Record, ...]
    objects: tuple[Restored, ...]
    newest_version: int
    scenario: Scenario
    memories: dict[tuple[str, str], Memory]
    """What heads know, by namespace and name of their clusters."""


class World:
    """Everything of one fork."""

    def __init__(self, start: Start, seed: int) -> None:
        self.server = MemoryServer(epoch=start.moment)
        self._preload(start.records)
        self.began = self.server.log.last_sequence
        self.circles = asyncio.Event()
        """Set when acts of one resource follow each other without an end, in no time."""
        self._acts: Counter[tuple[str, datetime]] = Counter()
        self.server.log.listen(self._count)
        for consumer in self.server.consumers.values():
            consumer.rewind(first_open(start.records) or self.began + 1)
        self.cluster = Cluster(
            self.server.clock.now, numbered_uids(f"what-if {seed}"), scenario=start.scenario
        )
        self._changed = asyncio.Event()
        self.cluster.state.store.listen(self._changed.set)
        self._fill(start)
        self._supervisor: Supervisor | None = None
        self._serving: asyncio.Task[object] | None = None

    def _preload(self, records: Sequence[Record]) -> None:
        """Store records where they stood; what watchers compare by stands in headers."""
        for record in records:
            self.server.log.last_sequence = record.sequence - 1
            self.server.log.store(
                record.subject, _headers(record), encode(record.envelope), at=record.at
            )

    def _count(self, message: Message) -> None:
        if message.subject.endswith(".act"):
            self._acts[message.subject, message.at] += 1
            if self._acts[message.subject, message.at] > ACTS_MAX:
                self.circles.set()

    def _fill(self, start: Start) -> None:
        for definition in definitions():
            self.cluster.create(CRDS, thawed(definition))
        for namespace in sorted({str(_meta(one)["namespace"]) for one in start.objects}):
            if namespace not in {"default", "kube-system"}:
                self.cluster.create("namespaces", {"metadata": {"name": namespace}})
        store = self.cluster.state.store
        for one in start.objects:
            self._restore(one)
        store.revision = max(store.revision, start.newest_version)
        self.cluster.step()
        for key, memory in start.memories.items():
            self.cluster.controllers.fleet.recall(key, memory, start.scenario.ray)

    def _restore(self, one: Restored) -> None:
        """Store an object as it stood, under its version unless that is taken."""
        state, known = self.cluster.state, KINDS[one.kind]
        group = known.api.removeprefix("/apis/").removeprefix("/api/").rpartition("/")[0]
        try:
            kind = state.registry.find(f"{known.plural}.{group}" if group else known.plural)
        except ApiError:
            return
        whole = {"apiVersion": kind.api_version(), "kind": kind.kind, **one.object}
        state.store.revision = max(state.store.revision, one.version - 1)
        state.insert(kind, completed(kind.resource, json.decode(json.encode(whole))))

    def begin(self, settings: Settings) -> None:
        """Start every service of the operator, unless they run."""
        if self._serving is not None:
            return
        cluster = SandboxCluster(self.cluster)
        dashboards = SandboxDashboards(self.cluster, self._changed.set)
        self._supervisor = Supervisor(drain_timeout=CALL_DEADLINE)
        duties = []
        for name in SERVICES:
            ports = Ports(
                bus=self.server.connect(name),
                clock=self.server.clock,
                reader=cluster,
                writer=cluster,
                status_writer=cluster,
                dashboard=dashboards,
            )
            plan = Plan(
                settings=replace(settings, process=ProcessSettings(member_id=name)),
                ports=ports,
                health=Health(),
                call_deadline=CALL_DEADLINE,
            )
            duties += duties_of((name,), plan)
        self._serving = asyncio.create_task(self._supervisor.run(duties))

    async def end(self) -> None:
        """Stop every service of the operator."""
        if self._supervisor is not None and self._serving is not None:
            self._supervisor.stop("the fork is over")
            if self.circles.is_set():
                self._serving.cancel()
            await asyncio.wait([self._serving])
        self._supervisor = self._serving = None

    async def live(self) -> None:
        """Let the controllers of Kubernetes work until cancelled."""
        await live(self._changed, self.cluster.step, self.server.clock.now, lambda: REACTION)

    def wake(self) -> None:
        """Let the controllers look again, as after a change of the scenario."""
        self._changed.set()

    def records(self) -> tuple[Record, ...]:
        """Return what was recorded since the fork."""
        return tuple(map(decode, self.server.log.after(self.began, matcher(("ray.>",)))))


def first_open(records: Iterable[Record]) -> int:
    """Return where the first act stands that nobody answered; 0 if there is none."""
    acts: dict[str, tuple[int, str]] = {}
    answered: set[str] = set()
    for record in records:
        body = record.envelope.body
        if isinstance(body, Decided):
            acts[record.subject] = (record.sequence, body.id if body.actions else "")
        elif isinstance(body, Answered):
            answered.add(body.act)
    return min((at for at, act in acts.values() if act and act not in answered), default=0)


def _headers(record: Record) -> dict[str, str]:
    body = record.envelope.body
    if not isinstance(body, ResourceSeen | PodSeen | ServiceSeen | ChildSeen | ObjectGone):
        return {}
    gone = str(int(isinstance(body, ObjectGone)))
    return {VERSION: str(version_of(body)), UID: uid_of(body), GONE: gone}


def _meta(one: Restored) -> dict[str, object]:
    found = one.object["metadata"]
    return found if isinstance(found, dict) else {}


def latest(records: Iterable[Record], moment: datetime, window: timedelta) -> tuple[Record, ...]:
    """Return the last record of each subject, and whatever is younger than a window."""
    known = tuple(records)
    last = {record.subject: record.sequence for record in known}
    return tuple(
        record
        for record in known
        if last[record.subject] == record.sequence or record.at >= moment - window
    )
