"""What RayServices cost that serve and of which nothing is new. On virtual time."""

import asyncio
from collections import Counter
from datetime import timedelta

from msgspec.structs import replace

from services.watcher.asking.asker import Asker, AskerSettings
from services.watcher.asking.questions import Questions
from shared.bus.memory import MemoryServer
from shared.events import subjects
from shared.events.codec import encode
from shared.events.envelope import SCHEMA, Body, Envelope
from shared.kernel.keys import ResourceKey
from shared.ports.dashboard import Application, Applications, Deployment, Place
from shared.ports.event_log import Entry
from tests.support.builders import NOON
from tests.support.rayservices import UID, service_spec
from tests.support.sandbox_cluster import SandboxCluster
from tests.support.servicestory import ready
from tests.unit.services.watcher.asking.test_asker import serving
from tests.unit.services.watcher.watched import new_cluster
from tests.unit.shared.following.followed import Owning

SERVICES = 100
MINUTE = 60.0
EVERY = 2.0


class Well:
    """Dashboards and heads that always say the same, and count who asks."""

    def __init__(self) -> None:
        self.asked: Counter[str] = Counter()

    async def applications(self, place: Place) -> Applications:
        self.asked[f"serve {place.service}"] += 1
        running = Application(status="RUNNING", deployments={"one": Deployment(status="HEALTHY")})
        return Applications(applications={"stand": running})

    async def proxy_is_well(self, _namespace: str, pod: str, _ip: str, _port: int) -> bool:
        self.asked[f"head {pod}"] += 1
        return True


async def append(server: MemoryServer, key: ResourceKey, subject: str, body: Body) -> None:
    envelope = Envelope(
        schema=SCHEMA, id=subject, body=body, code="test", written_at=NOON, key=key, uid=UID
    )
    entry = Entry(subject=subject, id=subject, data=encode(envelope), fence=None)
    await server.connect("test").log.append(entry)


async def test_a_hundred_idle_services_write_nothing_and_are_asked_once_per_pause() -> None:
    """The real wants of a RayService that serves: one question each per interval, no record."""
    server, well = MemoryServer(), Well()
    story = ready(service_spec())
    assert story.own is not None
    for number in range(SERVICES):
        key = ResourceKey(kind="rayservice", namespace="prod", name=f"fruit-{number}")
        wants = tuple(
            replace(want, service=f"svc-{number}") if hasattr(want, "service") else want
            for want in story.act.wants
        )
        own = replace(story.own, meta=replace(story.own.meta, name=key.name))
        await append(server, key, subjects.own(key), own)
        await append(server, key, subjects.act(key), replace(story.act, wants=wants))
    questions = Questions(SandboxCluster(new_cluster()), well)  # type: ignore[arg-type] # Serve and heads alone are asked about
    settings = AskerSettings(code="test", refresh_after=timedelta(hours=1))
    asker = Asker(server.connect("one"), questions, server.clock, Owning(*range(64)), settings)
    async with serving(asker):
        await asyncio.sleep(5 * EVERY)
        records = await last_sequence(server)
        before = well.asked.copy()
        await asyncio.sleep(MINUTE)
        asked = well.asked - before

        assert await last_sequence(server) == records
    dashboards = [count for name, count in asked.items() if name.startswith("serve")]
    assert len(dashboards) == SERVICES
    assert max(dashboards) <= MINUTE / EVERY * 1.25 + 1
    assert min(dashboards) >= MINUTE / EVERY * 0.8 - 1


async def last_sequence(server: MemoryServer) -> int:
    """The last sequence of the log."""
    return (await server.connect("look").log.end()).last
