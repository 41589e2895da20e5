"""A real HTTP sink that answers as a test wants, and a courier that serves it from memory."""

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path

import yaml
from aiohttp import web

from services.courier.letters import Letter, letters
from services.courier.loading import Source
from services.courier.round import Means
from services.courier.service import Courier
from shared.bus.memory import MemoryBus, MemoryServer
from shared.events.cloudevents import CloudEvent, read
from tests.unit.services.courier.news import event, tell

Answer = Callable[[CloudEvent], web.Response]
QUICK = {"backoffDelay": "20ms", "backoffPolicy": "linear", "timeout": "2s"}


def ok(_: CloudEvent) -> web.Response:
    return web.Response()


def status(number: int, headers: Mapping[str, str] | None = None) -> web.Response:
    return web.Response(status=number, headers=headers)


async def until(so: Callable[[], bool], within: float = 10.0) -> None:
    """Wait until something is so."""
    async with asyncio.timeout(within):
        while not so():  # noqa: ASYNC110 - a test
            await asyncio.sleep(0.005)


class Sink:
    """What it was sent, and what it took."""

    def __init__(self) -> None:
        self.url = ""
        self.answer: Answer = ok
        self.permission: Mapping[str, str] = {}
        self.asked: list[Mapping[str, str]] = []
        self.requests: list[web.Request] = []
        self.bodies: list[bytes] = []
        self.taken: list[CloudEvent] = []
        self.slow = 0.0

    def ids(self) -> list[str]:
        """Return what it took, in order, without what came twice."""
        return list(dict.fromkeys(event.id for event in self.taken))

    def in_order(self) -> bool:
        """Whether each resource's events were first taken in the order in which they were told."""
        numbers: dict[str, list[int]] = defaultdict(list)
        for one in self.ids():
            name, _, number = one.rpartition("-")
            numbers[name].append(int(number))
        return all(found == sorted(found) for found in numbers.values())

    async def until(self, count: int, within: float = 20.0) -> None:
        """Wait until it has taken so many different events."""
        await until(lambda: len(self.ids()) >= count, within)

    async def hear(self, request: web.Request) -> web.Response:
        if request.method == "OPTIONS":
            self.asked.append(dict(request.headers))
            return web.Response(headers=self.permission)
        body = await request.read()
        self.requests.append(request)
        self.bodies.append(body)
        event = read(request.headers, body)
        await asyncio.sleep(self.slow)
        answer = self.answer(event)
        if answer.status < 300:
            self.taken.append(event)
        return answer


@asynccontextmanager
async def sink(port: int = 0) -> AsyncIterator[Sink]:
    """Run a sink while the block runs."""
    one = Sink()
    app = web.Application()
    app.router.add_route("*", "/{rest:.*}", one.hear)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", port).start()
    one.url = f"http://127.0.0.1:{runner.addresses[0][1]}/hook"
    try:
        yield one
    finally:
        await runner.cleanup()


class Post:
    """A subscription file, a bus, and the couriers that serve it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.server = MemoryServer()
        self.bus: MemoryBus = self.server.connect("test")
        self._couriers: list[tuple[Courier, asyncio.Task[None]]] = []

    @property
    def file(self) -> Path:
        return self.folder / "subscriptions.yaml"

    def write(self, *subscriptions: Mapping[str, object], **more: object) -> None:
        """Write the file; what is not said is quick."""
        listed = [{"from": "beginning", "delivery": QUICK, **one} for one in subscriptions]
        text = yaml.safe_dump({"subscriptions": listed, **more})
        self.file.write_text(text, encoding="utf-8")

    async def tell(self, names: str, each: int, first: int = 1) -> int:
        """Tell events of several resources, one of each after the other; return how many."""
        for number in range(first, first + each):
            for name in names:
                await tell(self.bus.log, event(name, number))
        return each * len(names)

    async def letters(self) -> list[Letter]:
        """Return what was not taken."""
        return [letter async for letter in letters(self.bus.news, "pager")]

    async def until_letters(self, count: int) -> list[Letter]:
        """Wait for so many letters."""
        async with asyncio.timeout(20):
            while len(found := await self.letters()) < count:  # noqa: ASYNC110 - a test
                await asyncio.sleep(0.005)
        return found

    async def until_acknowledged(self) -> None:
        """Wait until nothing is left to be sent, nor sent and not acknowledged."""
        async with asyncio.timeout(20):
            while (left := await self.bus.news.backlog("courier-pager")).waiting + left.held:  # noqa: ASYNC110 - a test
                await asyncio.sleep(0.005)

    def start(self, name: str = "one") -> Courier:
        """Start a courier."""
        bus = self.server.connect(name)
        means = Means(bus=bus, clock=self.server.clock, member=name)
        every = timedelta(seconds=0.05)
        courier = Courier(means, Source(str(self.file)), "heliograph/test", look_every=every)
        self._couriers.append((courier, asyncio.create_task(courier.run())))
        return courier

    async def drain(self, number: int = -1) -> None:
        """Stop a courier gently."""
        courier, task = self._couriers.pop(number)
        courier.drain()
        await task

    async def crash(self, number: int = -1) -> None:
        """Stop a courier at once; its lease is let go of, what it held is not."""
        _, task = self._couriers.pop(number)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    async def close(self) -> None:
        while self._couriers:
            await self.crash()
