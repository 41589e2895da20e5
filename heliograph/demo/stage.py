"""The stage of the demo: a whole installation in this process, kubectl, and a live picture.

While something is awaited, pods are shown as they change, and what the operator says stands above
them as it happens; without a terminal these are plain lines.
"""

import asyncio
import os
import shutil
import sys
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from datetime import timedelta
from pathlib import Path

from msgspec.structs import replace

from heliograph.assembly.embedded import Embedded, embedded
from heliograph.assembly.everything import opened
from heliograph.assembly.services import Plan, Ports, duties_of
from heliograph.cli.render import Colour, Progress, Screen
from heliograph.cli.timeline import COLOURS
from heliograph.views.timeline import Moment, Teller
from shared.events.codec import decode
from shared.events.decisions import Decided
from shared.events.envelope import Record
from shared.events.objects import ChildSeen, ObjectGone, PodSeen, ServiceSeen
from shared.events.subjects import everything_of
from shared.kernel.keys import ResourceKey
from shared.kernel.manifests import entries_at, text_at
from shared.ports.event_log import FromSequence, Reset
from shared.runtime.failures import FatalError
from shared.runtime.health import Health
from shared.runtime.options import SERVICES
from shared.runtime.settings import Settings
from shared.runtime.supervision import Supervisor

CALL_DEADLINE = timedelta(seconds=1)
PATIENCE = 45.0
"""How long anything in the demo may take, in seconds."""
LOOK_EVERY = 0.1

Pods = Mapping[str, Mapping[str, object]]


class Stage:
    """What the script may use."""

    def __init__(self, screen: Screen, here: Embedded, ports: Ports, key: ResourceKey) -> None:
        self.screen = screen
        self.key = key
        self.here = here
        self.ports = ports
        self.closed = False
        """Whether the operator has written its last word about the cluster."""
        self.children: set[str] = set()
        """The subjects of everything the log shows of it."""
        self._progress = Progress(screen)

    async def kubectl(self, *arguments: str) -> str:
        """Run kubectl as a user would, and show it."""
        self.say(f"$ kubectl {' '.join(arguments)}", Colour.BOLD)
        output = await self.command(_kubectl(), *arguments)
        for line in output.splitlines():
            self.say(line)
        return output

    async def command(self, *words: str) -> str:
        """Run a command against this installation; its output, or a clear end."""
        environment = {
            **os.environ,
            "KUBECONFIG": str(self.here.kubeconfig),
            "NATS_URL": self.here.nats.url,
        }
        process = await asyncio.create_subprocess_exec(
            *words,
            env=environment,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
        output, _ = await process.communicate()
        if process.returncode:
            raise FatalError(f"{' '.join(words)} failed: {output.decode().strip()}")
        return output.decode()

    def begin(self, title: str) -> None:
        """Print the title of what comes now."""
        self.say("")
        self.say(title, Colour.BOLD)

    def say(self, line: str, colour: Colour | None = None) -> None:
        """Print a line that stays."""
        self._progress.say(self.screen.paint(line, colour))

    def tell(self, moment: Moment) -> None:
        """Print what the operator saw, decided or did."""
        what = self.screen.paint(f"{moment.what:>8}", COLOURS[moment.what])
        self._progress.say(f"  {what}  {self.screen.paint(moment.text, None)}")
        for reason in moment.because:
            self.say(f"            because {reason}", Colour.DIM)

    def note(self, record: Record) -> None:
        """Remember what the log shows."""
        match record.envelope.body:
            case Decided(closing=True):
                self.closed = True
            case PodSeen() | ServiceSeen() | ChildSeen():
                self.children.add(record.subject)
            case ObjectGone():
                self.children.discard(record.subject)
            case _:
                return

    async def until(self, wish: str, holds: Callable[[], bool]) -> None:
        """Wait for something, showing pods as they change."""
        try:
            async with asyncio.timeout(PATIENCE):
                while not holds():
                    self._progress.show(self._picture())
                    await asyncio.sleep(LOOK_EVERY)
        except TimeoutError:
            raise FatalError(f"the demo waited {PATIENCE:.0f} s in vain until {wish}") from None
        self._progress.show(())
        self.say(f"  {wish}", Colour.GREEN)

    def pods(self) -> Pods:
        """Return the pods that are there, by name."""
        found = self.here.sandbox.cluster.list("pods", self.key.namespace).items
        return {text_at(pod, "metadata", "name"): pod for pod in found}

    def cluster(self) -> Mapping[str, object] | None:
        """Return the RayCluster as it stands."""
        found = self.here.sandbox.cluster.list("rayclusters", self.key.namespace).items
        return next(
            (one for one in found if text_at(one, "metadata", "name") == self.key.name), None
        )

    def _picture(self) -> list[str]:
        if not self.screen.live:
            return []
        return [f"    {name}  {_state(pod)}" for name, pod in sorted(self.pods().items())]


def is_ready(pod: Mapping[str, object]) -> bool:
    """Whether a pod is ready and not on its way out."""
    conditions = entries_at(pod, "status", "conditions")
    ready = any(one.get("type") == "Ready" and one.get("status") == "True" for one in conditions)
    return ready and not text_at(pod, "metadata", "deletionTimestamp")


def _state(pod: Mapping[str, object]) -> str:
    if text_at(pod, "metadata", "deletionTimestamp"):
        return "ending"
    return "ready" if is_ready(pod) else text_at(pod, "status", "phase")


def _kubectl() -> str:
    beside = Path(sys.executable).with_name("kubectl")
    found = str(beside) if beside.exists() else shutil.which("kubectl")
    if found is None:
        raise FatalError("kubectl is missing: install heliograph[sandbox]")
    return found


@asynccontextmanager
async def staged(screen: Screen, folder: Path, settings: Settings) -> AsyncIterator[Stage]:
    """Set the stage while the block runs: servers, services, and someone who listens."""
    key = ResourceKey("raycluster", "default", "first")
    settings = replace(settings, process=replace(settings.process, http_port=0))
    async with (
        embedded(folder, settings) as here,
        opened(SERVICES, here.settings, CALL_DEADLINE) as ports,
    ):
        stage = Stage(screen, here, ports, key)
        supervisor = Supervisor(drain_timeout=settings.process.drain_timeout)
        plan = Plan(
            settings=here.settings, ports=ports, health=Health(), call_deadline=CALL_DEADLINE
        )
        duties = duties_of(SERVICES, plan)
        services = asyncio.create_task(supervisor.run(duties), name="services")
        listening = asyncio.create_task(_listen(stage), name="listening")
        try:
            yield stage
        finally:
            supervisor.stop("the demo is over")
            listening.cancel()
            await services
            with suppress(asyncio.CancelledError):
                await listening


async def _listen(stage: Stage) -> None:
    """Tell what happens as the log brings it."""
    teller = Teller()
    log = stage.ports.bus.log
    async with log.follow((everything_of(stage.key),), FromSequence(1)) as news:
        async for batch in news:
            if isinstance(batch, Reset):
                continue
            for message in batch.messages:
                record = decode(message)
                for moment in teller.tell(record):
                    stage.tell(moment)
                stage.note(record)
