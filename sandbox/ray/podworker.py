"""The life of one pod: its network, its init containers in their turn, then the others at once.

A worker belongs to one uid and runs once. What it knows is a value, `facts`; whoever is told of a
change writes the status. What was printed stays readable until the worker is dropped. Read next:
keeping.py.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from functools import partial
from pathlib import Path

from msgspec import Struct

from sandbox.controllers.addresses import pod_address
from sandbox.controllers.containers import Ending
from sandbox.controllers.podlogs import Line
from sandbox.controllers.timeline import is_sidecar
from sandbox.objects import Object, dig, metadata, name_of, namespace_of, rows
from sandbox.ray import rootfs
from sandbox.ray.container import Plan, Run, start
from sandbox.ray.environment import HOME, ConfigError, command_line, environment
from sandbox.ray.folders import remove, write_all
from sandbox.ray.hosts import own_names
from sandbox.ray.keeping import Keeper, Ways
from sandbox.ray.node import Anchor, Node, NodeError
from sandbox.ray.probes import Probe
from sandbox.ray.report import Facts
from sandbox.ray.volumes import Files, mounts, volumes

log = logging.getLogger(__name__)

CONFIG_AGAIN = 1.0
NO_COMMAND = (
    "sh",
    "-c",
    'echo "images are not pulled here: a container needs a command"; exit 128',
)


class Surroundings(Struct, frozen=True, kw_only=True):
    """What every pod of a machine shares."""

    node: Node
    folder: Path
    ray: Path
    system: Sequence[rootfs.Mount]
    find: Callable[[str, str, str], Object | None]
    """Finds an object by plural, namespace and name."""
    names: Callable[[str], str]
    """Writes the names of services as they are seen from a namespace."""
    reach: Callable[[str, Probe], Awaitable[bool]]
    """Asks a probe at an address."""
    clock: Callable[[], datetime]


class PodWorker:
    """One pod that really runs."""

    def __init__(self, pod: Object, around: Surroundings, changed: Callable[[], None]) -> None:
        self.pod = pod
        self.over = False
        self.address = pod_address(pod)
        self.folder = around.folder / str(metadata(pod).get("uid"))
        self._around = around
        self._changed = changed
        self._seen_at = around.clock()
        self._networked_at: datetime | None = None
        self._inits_done_at: list[datetime] = []
        self._failure = ""
        self._failed_init: Ending | None = None
        self._grace: float | None = None
        self._held: dict[str, Files] = {}
        self._anchor: Anchor | None = None
        policy = str(dig(pod, "spec.restartPolicy") or "Always")
        self._ways = {
            str(spec["name"]): Ways(
                start=partial(self._start, spec),
                reach=partial(around.reach, self.address),
                clock=around.clock,
                changed=changed,
            )
            for spec in (*rows(pod, "spec.initContainers"), *rows(pod, "spec.containers"))
        }
        self._inits = [
            Keeper(spec, _init_policy(spec, policy), self._ways[str(spec["name"])])
            for spec in rows(pod, "spec.initContainers")
        ]
        self._mains = [
            Keeper(spec, str(spec.get("restartPolicy") or policy), self._ways[str(spec["name"])])
            for spec in rows(pod, "spec.containers")
        ]

    @property
    def facts(self) -> Facts:
        """What is known now."""
        return Facts(
            seen_at=self._seen_at,
            address=self.address,
            networked_at=self._networked_at,
            inits_done_at=tuple(self._inits_done_at),
            lives={keeper.name: keeper.life for keeper in self._mains},
            failed_init=self._failed_init,
            failure=self._failure,
        )

    @property
    def hosts(self) -> Path:
        """The file in which its containers look names up."""
        return self.folder / "hosts"

    @property
    def names(self) -> str:
        """What its containers should find there."""
        own = own_names(self.pod, self.address)
        return own + self._around.names(namespace_of(self.pod))

    def printed(self, container: str, *, previous: bool) -> Sequence[Line]:
        """Return the lines of a container's last run, or of the one before."""
        for keeper in (*self._mains, *self._inits):
            if keeper.name == container:
                book = keeper.log_before if previous else keeper.log
                return book.lines if book is not None else ()
        return ()

    def stop(self, grace: float) -> None:
        """Ask every container to end within the grace."""
        self._grace = grace if self._grace is None else min(grace, self._grace)
        for keeper in (*self._inits, *self._mains):
            keeper.stop(self._grace)

    async def run(self) -> None:
        """Live the pod's life; nothing of it runs afterwards."""
        try:
            await self._live()
        except (NodeError, OSError) as error:
            log.exception("pod failed", extra={"resource": name_of(self.pod)})
            self._failure = str(error)
        finally:
            if self._anchor is not None:
                await self._anchor.end()
            await asyncio.to_thread(remove, self.folder)
            self.over = True
            self._changed()

    async def _live(self) -> None:
        self._anchor = await self._around.node.connect(self.address)
        await self._furnish()
        self._networked_at = self._around.clock()
        self._changed()
        sidecars: list[asyncio.Task[int]] = []
        try:
            if await self._initialize(sidecars):
                await asyncio.gather(*(keeper.keep() for keeper in self._mains))
        finally:
            for keeper in self._inits:
                keeper.stop(1.0)
            await asyncio.gather(*sidecars, return_exceptions=True)

    async def _initialize(self, sidecars: list[asyncio.Task[int]]) -> bool:
        """Run the init containers; tell whether the others may begin."""
        specs = rows(self.pod, "spec.initContainers")
        for spec, keeper in zip(specs, self._inits, strict=True):
            if is_sidecar(spec):
                sidecars.append(asyncio.create_task(keeper.keep()))
            elif (code := await keeper.keep()) != 0 and self._grace is None:
                self._failure = f"init container {keeper.name} ended with {code}"
                self._failed_init = keeper.life.last
                return False
            if self._grace is not None:
                return True
            self._inits_done_at.append(self._around.clock())
            self._changed()
        return True

    async def _furnish(self) -> None:
        """Write names and volumes; wait for a ConfigMap or Secret that is not there yet."""
        write_all(self.folder, {"hosts": self.names.encode(), "resolv.conf": b""})
        while self._grace is None:
            try:
                self._held = volumes(self.pod, self._lookup, self.address)
                break
            except ConfigError as lacking:
                log.warning("pod waits", extra={"because": str(lacking)})
                await asyncio.sleep(CONFIG_AGAIN)
        for name, files in self._held.items():
            write_all(self.folder / "volumes" / name, files)

    async def _start(self, spec: Object, count: int) -> Run:
        return await start(self._plan(spec, count), self._around.clock)

    def _plan(self, spec: Object, count: int) -> Plan:
        around, anchor = self._around, self._anchor
        if anchor is None:
            raise NodeError("a container cannot run before its pod has a network")
        ray = str(around.ray)
        known = environment(self.pod, spec, self._lookup, ray=ray, address=self.address)
        seen = [
            *around.system,
            *rootfs.names(str(self.hosts), str(self.folder / "resolv.conf")),
            *mounts(spec, str(self.folder / "volumes"), self._held),
        ]
        return Plan(
            rights=around.node.rights,
            node=around.node.anchor.pid,
            pod=anchor.pid,
            hostname=name_of(self.pod),
            folder=self.folder / "containers" / f"{spec['name']}-{count}",
            mounts=seen,
            words=command_line(spec, known) or NO_COMMAND,
            environment=known,
            working_folder=str(spec.get("workingDir") or HOME),
        )

    def _lookup(self, plural: str, name: str) -> Object | None:
        return self._around.find(plural, namespace_of(self.pod), name)


def _init_policy(spec: Object, policy: str) -> str:
    if is_sidecar(spec):
        return "Always"
    return "Never" if policy == "Never" else "OnFailure"
