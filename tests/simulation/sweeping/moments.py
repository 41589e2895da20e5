"""The moments of a world: whenever a process has done something that outlasts it.

A process that dies leaves what it has recorded, acknowledged and asked of others, and nothing else.
So all that can come of its death is seen by letting it die right after each of these; an answer
that was on its way is lost with it.
"""

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from functools import partial

from msgspec import Struct

from shared.ports.event_log import Message
from tests.simulation.loop import OWNER, own_task
from tests.simulation.process import Process
from tests.simulation.world import World

Trouble = Callable[[World, Process], Coroutine[None, None, None]]
"""What befalls a world, given who has just done something."""


class Moment(Struct, frozen=True):
    """Who had just done what."""

    who: str
    what: str

    def __str__(self) -> str:
        return f"{self.who} had just done this: {self.what}"


class Moments:
    """Counts what is done; at the chosen count something befalls the world."""

    def __init__(self, world: World, chosen: int, trouble: Trouble) -> None:
        self.seen: list[Moment] = []
        self._world = world
        self._chosen = chosen
        self._trouble = trouble
        self._processes: Mapping[str, Process] = {one.name: one for one in world.processes}
        world.witness = self._done
        world.server.log.listen(partial(self._stored, "record"))
        world.server.time.listen(partial(self._stored, "arm"))
        for name, consumer in world.server.consumers.items():
            consumer.listen(partial(self._acknowledged, name))

    def _stored(self, verb: str, message: Message) -> None:
        self._done(OWNER.get(), f"{verb} {message.subject}")

    def _acknowledged(self, name: str, sequence: int) -> None:
        self._done(OWNER.get(), f"acknowledge {sequence} as {name}")

    def _done(self, who: str, what: str) -> None:
        process = self._processes.get(who)
        if process is None:
            return
        moment = Moment(who, what)
        self.seen.append(moment)
        if len(self.seen) == self._chosen:
            self._world.say(str(moment))
            task = own_task("", self._trouble(self._world, process), "trouble")
            task.add_done_callback(self._judge)
            self._world.troubles.append(task)

    def _judge(self, task: "asyncio.Task[None]") -> None:
        if not task.cancelled() and (error := task.exception()) is not None:
            self._world.accuse(f"the trouble itself went wrong: {error!r}")


async def nothing(_world: World, _process: Process) -> None:
    """Let nothing happen."""
