"""Who asks, how often, what is written, and when it ends. On virtual time."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from datetime import timedelta
from itertools import count

from msgspec.structs import replace

from services.watcher.asking.asker import Asker, AskerSettings
from services.watcher.asking.questions import Questions
from shared.bus.memory import MemoryServer
from shared.events import subjects
from shared.events.codec import decode, encode
from shared.events.envelope import SCHEMA, Body, Envelope
from shared.events.objects import ObjectGone
from shared.events.told import JobTold, Told, Want, WantedJob
from shared.kernel.keys import ResourceKey
from shared.ports.dashboard import DashboardFailed, Failure, Job, Place
from shared.ports.event_log import Appended, Batch, Entry, FromSnapshot, Reset
from tests.support.builders import NOON, act
from tests.support.rayjobs import KEY, UID, job_spec, rayjob
from tests.support.sandbox_cluster import SandboxCluster
from tests.unit.services.watcher.watched import new_cluster
from tests.unit.shared.following.followed import Breaking, Owning

HERE = subjects.partition_of(KEY)
EVERY = timedelta(seconds=3)
KEPT = timedelta(minutes=2)
"""How old an answer may get before it is written again."""


def want(job_id: str = "train-1", *, later: int = 0) -> WantedJob:
    return WantedJob(
        name="job",
        because="b",
        since=NOON + timedelta(seconds=later),
        every=EVERY,
        job_id=job_id,
        address="a:8265",
        service="s",
    )


class Dashboard:
    """A dashboard in words: what it says of every job, and who was asked about."""

    def __init__(self) -> None:
        self.status: str | None = "RUNNING"
        self.away = False
        self.asked: list[str] = []

    async def job(self, _place: Place, job_id: str) -> Job | None:
        self.asked.append(job_id)
        if self.away:
            raise DashboardFailed(Failure.UNREACHABLE, "nobody there")
        return Job(status=self.status) if self.status else None


class Stage:
    """A log, a dashboard, and askers between them."""

    def __init__(self) -> None:
        self.server = MemoryServer()
        self.bus = self.server.connect("test")
        self.dashboard = Dashboard()
        self._ids = count(1)

    def asker(self, owning: Owning, name: str = "one") -> Asker:
        questions = Questions(SandboxCluster(new_cluster()), self.dashboard)  # type: ignore[arg-type] # jobs alone are asked about
        settings = AskerSettings(code="test", refresh_after=KEPT)
        return Asker(self.server.connect(name), questions, self.server.clock, owning, settings)

    async def append(self, subject: str, body: Body, key: ResourceKey = KEY) -> None:
        identity = f"e{next(self._ids)}"
        envelope = Envelope(
            schema=SCHEMA,
            id=identity,
            body=body,
            code="test",
            written_at=NOON,
            key=key,
            uid=UID,
        )
        entry = Entry(subject=subject, id=identity, data=encode(envelope), fence=None)
        assert isinstance(await self.bus.log.append(entry), Appended)

    async def wishes(self, *wants: Want) -> None:
        await self.append(subjects.own(KEY), rayjob(job_spec(), finalized=True))
        await self.append(subjects.act(KEY), replace(act(), wants=wants))

    async def told(self) -> list[Told]:
        """Return every answer in the log, oldest first."""
        found: list[Told] = []
        start = FromSnapshot()
        async with self.bus.log.follow((subjects.told(KEY, "job"),), start) as news:
            async for batch in news:
                if isinstance(batch, Reset):
                    continue
                assert isinstance(batch, Batch)
                bodies = (decode(one).envelope.body for one in batch.messages)
                found.extend(body for body in bodies if isinstance(body, JobTold))
                return found
        return found


@asynccontextmanager
async def serving(*askers: Asker) -> AsyncIterator[None]:
    tasks = [asyncio.create_task(asker.run()) for asker in askers]
    await asyncio.sleep(0.5)
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        for task in tasks:
            with suppress(asyncio.CancelledError):
                await task


async def last(stage: Stage) -> JobTold:
    (found,) = await stage.told()
    assert isinstance(found, JobTold)
    return found


async def test_asks_again_and_again_and_writes_what_changed() -> None:
    stage = Stage()
    await stage.wishes(want())
    async with serving(stage.asker(Owning(HERE))):
        assert (await last(stage)).status == "RUNNING"
        written = stage.server.clock.now()
        await asyncio.sleep(30)
        assert 8 <= len(stage.dashboard.asked) <= 14, "every three seconds, spread a little"
        stage.dashboard.status = "SUCCEEDED"
        await asyncio.sleep(4)

    assert (await last(stage)).status == "SUCCEEDED"
    assert (await last(stage)).since == NOON
    assert stage.server.clock.now() > written


async def test_a_dashboard_that_is_away_is_an_answer() -> None:
    stage = Stage()
    stage.dashboard.away = True
    await stage.wishes(want())
    async with serving(stage.asker(Owning(HERE))):
        pass

    assert ((await last(stage)).answer, (await last(stage)).failure) == ("failed", "unreachable")


async def test_another_want_is_asked_at_once_and_the_former_no_more() -> None:
    """An answer repeats the moment from which on it counts."""
    stage = Stage()
    await stage.wishes(want())
    async with serving(stage.asker(Owning(HERE))):
        await stage.wishes(want("train-2", later=9))
        await asyncio.sleep(0.5)
        assert ((await last(stage)).job_id, (await last(stage)).since) == (
            "train-2",
            NOON + timedelta(seconds=9),
        )
        stage.dashboard.asked.clear()
        await asyncio.sleep(20)

    assert set(stage.dashboard.asked) == {"train-2"}


async def silent(change: Callable[[Stage], object]) -> None:
    """After this change nobody asks any more."""
    stage = Stage()
    await stage.wishes(want())
    async with serving(stage.asker(Owning(HERE))):
        assert stage.dashboard.asked
        changed = change(stage)
        assert asyncio.iscoroutine(changed)
        await changed
        await asyncio.sleep(0.5)
        stage.dashboard.asked.clear()
        await asyncio.sleep(20)

    assert stage.dashboard.asked == []


async def test_nobody_asks_when_nothing_is_wanted() -> None:
    await silent(lambda stage: stage.wishes())


async def test_nobody_asks_for_what_is_gone() -> None:
    gone = ObjectGone(kind="rayjob", name=KEY.name, uid=UID, resource_version=99)
    await silent(lambda stage: stage.append(subjects.own(KEY), gone))


async def test_what_was_lost_to_another_asker_is_asked_for_by_that_one() -> None:
    stage = Stage()
    first, second = Owning(HERE), Owning()
    await stage.wishes(want())
    async with serving(stage.asker(first), stage.asker(second, "two")):
        first.own()
        second.own(HERE)
        await asyncio.sleep(5)
        stage.dashboard.asked.clear()
        stage.dashboard.status = "SUCCEEDED"
        await asyncio.sleep(30)

    assert 8 <= len(stage.dashboard.asked) <= 14, "one of them asks"
    assert (await last(stage)).status == "SUCCEEDED"


async def test_two_that_ask_for_a_moment_do_no_harm() -> None:
    stage = Stage()
    await stage.wishes(want())
    async with serving(stage.asker(Owning(HERE)), stage.asker(Owning(HERE), "two")):
        stage.dashboard.status = "FAILED"
        await asyncio.sleep(10)

    assert (await last(stage)).status == "FAILED"


async def test_an_answer_does_not_age_out_of_the_log() -> None:
    stage = Stage()
    await stage.wishes(want())
    async with serving(stage.asker(Owning(HERE))):
        before = await at(stage)
        await asyncio.sleep(KEPT.total_seconds() - 10)
        assert await at(stage) == before, "what did not change is not written again"
        await asyncio.sleep(20)
        after = await at(stage)

    assert after > before


async def at(stage: Stage) -> int:
    """Return the place in the log of the last answer."""
    message = await stage.bus.log.last(subjects.told(KEY, "job"))
    assert message is not None
    return message.sequence


async def test_an_asker_that_broke_asks_again_when_it_is_run_again() -> None:
    stage, owning = Stage(), Breaking(HERE)
    asker = stage.asker(owning)
    await stage.wishes(want())

    async def run_twice() -> None:
        try:
            await asker.run()
        except BaseExceptionGroup:
            await asker.run()

    running = asyncio.create_task(run_twice())
    await asyncio.sleep(1)
    owning.breaks.set()
    await asyncio.sleep(1)
    stage.dashboard.asked.clear()
    await asyncio.sleep(10)
    running.cancel()
    await asyncio.wait([running])

    assert owning.broken
    assert len(stage.dashboard.asked) >= 2
