"""The sandbox, the bus in memory and every service in this process, on virtual time.

A minute costs what happens in it. Definitions are the whole ones, so that the API server refuses
what it would refuse. Invariant: the same trials take the same steps every time.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from functools import cache
from typing import Any

import yaml

from heliograph.assembly.services import Plan, Ports, duties_of
from heliograph.simulator.dashboards import SandboxDashboards
from heliograph.simulator.living import live
from sandbox.cluster import Cluster
from sandbox.controllers.scenario import read_scenario
from sandbox.errors import ApiError
from sandbox.events import as_new
from sandbox.identity import numbered_uids
from shared.bus.memory import MemoryServer
from shared.events.envelope import Record
from shared.kernel.features import Features
from shared.kernel.manifests import thawed
from shared.resources.crd import definitions
from shared.runtime.health import Health
from shared.runtime.options import SERVICES
from shared.runtime.settings import ProcessSettings, RuleSettings, Settings
from shared.runtime.supervision import Supervisor
from shared.telemetry.logs import JsonLines
from tests.differential.book import SCENARIO
from tests.differential.collecting import KINDS, OPERATORS, told_by
from tests.differential.stories import Json, Objects
from tests.e2e.services.crossing import KINDS as GATEWAYS
from tests.e2e.services.crossing import definition, nodded
from tests.fuzzing.hearing import Heard
from tests.fuzzing.stage import GRACE_SECONDS, Pace, Reply
from tests.support.sandbox_cluster import SandboxCluster

CALL_DEADLINE = timedelta(seconds=5)
REACTION = 0.05
OURS = ("services", "shared", "heliograph")
STORED = {
    plural: plural if plural == "events" or api == "/api/v1" else f"{plural}.{api.split('/')[2]}"
    for plural, api in KINDS.items()
}
"""What the store calls each kind; Events are kept in their old form."""
PLURALS = {"Namespace": "namespaces", "Secret": "secrets", "ServiceAccount": "serviceaccounts"}


@cache
def _definitions() -> tuple[Json, ...]:
    return (*definitions(), *(definition(plural, kind) for plural, kind in GATEWAYS.items()))


class Lines(logging.Handler):
    """Keeps every line that services write, as they would write it."""

    def __init__(self) -> None:
        super().__init__(logging.INFO)
        self.setFormatter(JsonLines())
        self.lines: list[str] = []
        self.errors: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        line = self.format(record)
        self.lines.append(line)
        if record.levelno >= logging.ERROR or record.exc_info:
            self.errors.append(line)


class Virtual:
    """A stage in memory."""

    pace = Pace(look_every=2.0, quiet=12.0, patience=240.0)

    def __init__(self, features: Features) -> None:
        self.features = features
        self.server = MemoryServer()
        scenario = read_scenario(yaml.safe_load(SCENARIO))
        self.cluster = Cluster(self.server.clock.now, numbered_uids("fuzz"), scenario=scenario)
        for each in _definitions():
            self.cluster.create("customresourcedefinitions", thawed(each))
        self.written = Lines()
        self._heard = Heard()
        self._changed = asyncio.Event()
        self.cluster.state.store.listen(self._changed.set)
        self.server.log.listen(self._heard.take)

    def now(self) -> float:
        """Return the seconds of this stage."""
        return asyncio.get_running_loop().time()

    async def sleep(self, seconds: float) -> None:
        """Let time pass."""
        await asyncio.sleep(seconds)

    async def create(self, namespace: str, manifest: Json) -> Reply:
        """Create an object; with an empty namespace one that belongs to none."""
        plural = PLURALS.get(manifest["kind"], f"{manifest['kind'].lower()}s")
        metadata = {**manifest["metadata"], **({"namespace": namespace} if namespace else {})}
        return self._ask("create", plural, {**thawed(manifest), "metadata": metadata})

    async def change(self, namespace: str, plural: str, name: str, spec: Json) -> Reply:
        """Put another spec in the place of what is there."""
        patch = [{"op": "replace", "path": "/spec", "value": thawed(spec)}]
        kind = "application/json-patch+json"
        return self._ask("patch", plural, namespace, name, patch, content_type=kind)

    async def delete(self, namespace: str, plural: str, name: str) -> Reply:
        """Delete an object of ours."""
        return self._ask("delete", plural, namespace, name)

    def _ask(self, verb: str, *words: Any, **more: Any) -> Reply:
        try:
            getattr(self.cluster, verb)(*words, **more)
        except ApiError as error:
            return Reply(code=error.code, message=str(error))
        return Reply(code=200)

    async def look(self, namespace: str) -> Objects:
        """Return everything that is in a namespace."""
        return {plural: self._found(plural, namespace) for plural in KINDS}

    def _found(self, plural: str, namespace: str) -> list[Json]:
        found = self.cluster.state.store.objects(STORED[plural])
        return [
            as_new(one) if plural == "events" else one
            for one in found
            if one["metadata"].get("namespace") == namespace and _counts(plural, one)
        ]

    def records(self, namespace: str) -> Sequence[Record]:
        """Return what the log tells of a namespace, oldest first."""
        return self._heard.records[namespace]

    def complaints(self) -> Sequence[str]:
        """Return what services said that none should."""
        return (*self.written.errors, *self._heard.unreadable)

    def lines(self) -> Sequence[str]:
        """Return every line that services wrote."""
        return self.written.lines

    def leaked(self) -> Sequence[str]:
        """Return the subjects of records that hold the value of a Secret."""
        return self._heard.leaks

    async def live(self) -> None:
        """Let the controllers work until cancelled."""
        await live(self._changed, self._step, self.server.clock.now, lambda: REACTION)

    def _step(self) -> datetime | None:
        self._nod()
        return self.cluster.step()

    def _nod(self) -> None:
        """Let every gateway and route work as it was asked to."""
        for plural in GATEWAYS:
            for one in tuple(self.cluster.state.store.objects(STORED[plural])):
                if one.get("status") != (told := nodded(one)):
                    place = one["metadata"]["namespace"], one["metadata"]["name"]
                    self.cluster.patch(
                        STORED[plural], *place, {"status": told}, subresource="status"
                    )

    def wake(self) -> None:
        """Let the controllers look again."""
        self._changed.set()

    def plan(self) -> Plan:
        """Return what the services of this stage run with."""
        cluster = SandboxCluster(self.cluster)
        ports = Ports(
            bus=self.server.connect("all"),
            clock=self.server.clock,
            reader=cluster,
            writer=cluster,
            status_writer=cluster,
            dashboard=SandboxDashboards(self.cluster, self.wake),
        )
        settings = Settings(
            process=ProcessSettings(member_id="all"),
            rules=RuleSettings(
                feature_gates=self.features,
                rayjob_transition_grace_seconds=GRACE_SECONDS,
                rayjob_status_check_timeout_seconds=GRACE_SECONDS,
            ),
        )
        return Plan(settings=settings, ports=ports, health=Health(), call_deadline=CALL_DEADLINE)


def _counts(plural: str, one: Json) -> bool:
    if plural == "serviceaccounts":
        return bool(one["metadata"]["name"] != "default")
    return plural != "events" or told_by(as_new(dict(one))).startswith(OPERATORS)


@asynccontextmanager
async def virtual_stage(features: Features) -> AsyncIterator[Virtual]:
    """Run everything while the block runs; it begins with watchers that have listed."""
    stage = Virtual(features)
    supervisor = Supervisor(drain_timeout=CALL_DEADLINE)
    loggers = [logging.getLogger(name) for name in OURS]
    for each in loggers:
        each.addHandler(stage.written)
        each.setLevel(logging.INFO)
    living = asyncio.create_task(stage.live())
    serving = asyncio.create_task(supervisor.run(duties_of(SERVICES, stage.plan())))
    try:
        await asyncio.sleep(2 * CALL_DEADLINE.total_seconds())
        yield stage
    finally:
        supervisor.stop("the trials are over")
        await serving
        living.cancel()
        await asyncio.wait([living])
        for each in loggers:
            each.removeHandler(stage.written)
