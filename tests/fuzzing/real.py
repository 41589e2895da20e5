"""A real control plane, a real nats-server and Heliograph as a process of its own, in real time.

The sandbox's kubelet and scripted Ray dashboards are ordinary clients there, as in the end-to-end
tests. One look at the whole cluster serves all trials. Invariant: everything that was started ends
with the block.
"""

import asyncio
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

import aiohttp
import msgspec

from sandbox.outside.connection import open_session, read_kubeconfig
from shared.bus.jetstream import JetStreamBus
from shared.events.envelope import Record
from shared.kernel.features import Features
from shared.ports.event_log import EventLog, FromSequence
from tests.differential.book import SCENARIO
from tests.differential.collecting import KINDS, Found, collect
from tests.differential.gateways import make_kinds, nod
from tests.differential.sides import NotAtHandError, RealCluster
from tests.differential.stories import Json, Objects
from tests.fuzzing.gates import gates_of
from tests.fuzzing.hearing import Heard
from tests.fuzzing.playing import Outcome
from tests.fuzzing.stage import GRACE_SECONDS, Pace, Reply
from tests.fuzzing.trials import Trial
from tests.fuzzing.worlds import Seen, play_all
from tests.support.kubes import installed, network_of
from tests.support.nats import open_connection
from tests.support.processes import Installation, Process
from tests.support.realkube import real_kube_in
from tools.realkube.assets import Missing, find
from tools.realkube.instances import Instance

AT_ONCE = 25
READ_EVERY = 2.0
OPERATOR = "operator"
CORE = {"Namespace": "namespaces", "Secret": "secrets"}
SPACES = 40
"""So often it is asked for what a namespace is not ready for: its account comes a moment later."""
FORBIDDEN = 403
LOOKS_IN_VAIN = 20
"""So often the API server may be busy."""


class Real:
    """A stage of processes."""

    pace = Pace(look_every=0.5, quiet=5.0, patience=75.0)

    def __init__(
        self, session: aiohttp.ClientSession, features: Features, operator: Process, log: EventLog
    ) -> None:
        self.features = features
        self._session = session
        self._operator = operator
        self._log = log
        self._found: Found = {}
        self._looked = asyncio.Condition()
        self._heard = Heard()
        self._read_to = 0

    def now(self) -> float:
        """Return the seconds of this stage."""
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        """Let time pass."""
        await asyncio.sleep(seconds)

    async def create(self, namespace: str, manifest: Json) -> Reply:
        """Create an object; with an empty namespace one that belongs to none."""
        plural = CORE.get(manifest["kind"], f"{manifest['kind'].lower()}s")
        path = _path(plural, namespace)
        reply = await self._ask("POST", path, manifest)
        for _ in range(SPACES):
            if reply.code != FORBIDDEN:
                break
            await asyncio.sleep(0.1)
            reply = await self._ask("POST", path, manifest)
        return reply

    async def change(self, namespace: str, plural: str, name: str, spec: Json) -> Reply:
        """Put another spec in the place of what is there."""
        patch = [{"op": "replace", "path": "/spec", "value": spec}]
        kind = "application/json-patch+json"
        return await self._ask("PATCH", f"{_path(plural, namespace)}/{name}", patch, kind)

    async def delete(self, namespace: str, plural: str, name: str) -> Reply:
        """Delete an object of ours."""
        return await self._ask("DELETE", f"{_path(plural, namespace)}/{name}")

    async def _ask(
        self, method: str, path: str, body: object = None, kind: str = "application/json"
    ) -> Reply:
        data = None if body is None else msgspec.json.encode(body)
        headers = {"Content-Type": kind}
        async with self._session.request(method, path, data=data, headers=headers) as answer:
            told = await answer.json(content_type=None)
            return Reply(code=answer.status, message=str(told.get("message", "")))

    async def look(self, namespace: str) -> Objects:
        """Return what the next look at everything shows of a namespace."""
        async with self._looked:
            await self._looked.wait()
        async with self._looked:
            await self._looked.wait()  # the one before may have begun too early
        return self._found.get(namespace, {plural: [] for plural in KINDS})

    def records(self, namespace: str) -> Sequence[Record]:
        """Return what the log tells of a namespace, oldest first."""
        return self._heard.records[namespace]

    def complaints(self) -> Sequence[str]:
        """Return what services said that none should."""
        bad = [
            line
            for line in self.lines()
            if '"level":"error"' in line or '"trace"' in line or line.startswith("Traceback")
        ]
        ended = [] if self._operator.alive else ["the operator has ended"]
        return (*ended, *bad, *self._heard.unreadable)

    def lines(self) -> Sequence[str]:
        """Return every line that services wrote."""
        return self._operator.said().splitlines()

    def leaked(self) -> Sequence[str]:
        """Return the subjects of records that hold the value of a Secret."""
        return self._heard.leaks

    async def watch(self) -> None:
        """Look at the cluster until cancelled."""
        in_vain = 0
        while True:
            try:
                self._found = await collect(self._session)
                await nod(self._session, self._found.values())
            except (aiohttp.ClientError, TimeoutError):
                in_vain += 1
                if in_vain > LOOKS_IN_VAIN:
                    raise
            else:
                in_vain = 0
                async with self._looked:
                    self._looked.notify_all()
            await asyncio.sleep(self.pace.look_every)

    async def listen(self) -> None:
        """Read the log until cancelled."""
        while True:
            async for message in self._log.read(("ray.>",), FromSequence(self._read_to + 1)):
                self._read_to = max(self._read_to, message.sequence)
                self._heard.take(message)
            await asyncio.sleep(READ_EVERY)


def _path(plural: str, namespace: str) -> str:
    root = KINDS.get(plural, "/api/v1")
    return f"{root}/namespaces/{namespace}/{plural}" if namespace else f"{root}/{plural}"


def run_real(trials: Sequence[Trial], told: Callable[[Outcome], None]) -> Seen:
    """Play trials of one seed on a control plane of their own."""
    features = gates_of(trials[0].seed)
    with (
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder,
        _cluster(Path(folder), features) as (here, operator),
    ):
        return asyncio.run(_played(here, operator, features, trials, told))


@contextmanager
def _cluster(folder: Path, features: Features) -> Iterator[tuple[Installation, Process]]:
    """Run a control plane, a kubelet and Heliograph while the block runs."""
    missing = find()
    if isinstance(missing, Missing):
        raise NotAtHandError(missing.because)
    scenario = folder / "scenario.yaml"
    scenario.write_text(SCENARIO)
    instance = Instance(folder / "realkube")
    try:
        with (
            real_kube_in(instance.folder) as real_kube,
            installed(folder, RealCluster(real_kube), scenario=scenario) as here,
        ):
            make_kinds(here)
            operator = here.start_service(
                OPERATOR,
                "all",
                HELIOGRAPH_DASHBOARD_PROXY=network_of(here),
                HELIOGRAPH_FEATURE_GATES=",".join(f"{one}=true" for one in features.enabled),
                RAYJOB_DEPLOYMENT_STATUS_TRANSITION_GRACE_PERIOD_SECONDS=str(GRACE_SECONDS),
                RAYJOB_STATUS_CHECK_TIMEOUT_SECONDS=str(GRACE_SECONDS),
            )
            operator.wait_ready()
            yield here, operator
    finally:
        with instance.alone():
            instance.end()


async def _played(
    here: Installation,
    operator: Process,
    features: Features,
    trials: Sequence[Trial],
    told: Callable[[Outcome], None],
) -> Seen:
    async with _stage(here, operator, features) as stage:
        return await play_all(stage, trials, at_once=AT_ONCE, told=told)


@asynccontextmanager
async def _stage(here: Installation, operator: Process, features: Features) -> AsyncIterator[Real]:
    connection = await open_connection(here.nats, "fuzzing")
    try:
        async with open_session(read_kubeconfig(here.kubeconfig)) as session:
            stage = Real(session, features, operator, JetStreamBus(connection).log)
            async with asyncio.TaskGroup() as group:
                helpers = [group.create_task(each) for each in (stage.watch(), stage.listen())]
                yield stage
                for each in helpers:
                    each.cancel()
    finally:
        await connection.close()
