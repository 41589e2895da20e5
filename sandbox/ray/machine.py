"""A machine for the sandbox's pods: opened before the sandbox serves, closed after it.

Holds what needs closing, in order: workers, connections, the node, the folder. Whoever is killed
instead leaves no process and no namespace, only a folder that the next machine sweeps. Read next:
kubelet.py.
"""

import asyncio
import contextlib
import logging
import os
import shutil
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from sandbox.controllers.index import Index, Place
from sandbox.dashboard.names import Backend
from sandbox.dashboard.replies import Ask, Reply
from sandbox.objects import Object
from sandbox.ray import rootfs
from sandbox.ray.commands import Rights
from sandbox.ray.folders import open_folder, remove
from sandbox.ray.hosts import service_names
from sandbox.ray.kubelet import RealKubelet
from sandbox.ray.network import PodNetwork
from sandbox.ray.node import Node, NodeError, open_node
from sandbox.ray.permission import refusal, rights
from sandbox.ray.podworker import Surroundings
from sandbox.ray.routes import Routes, routes
from sandbox.ray.serviceproxy import ServiceProxy

log = logging.getLogger(__name__)

SERVICES = "services"
SLICES = "endpointslices.discovery.k8s.io"
CLOSING_GRACE = 8.0
"""How long pods may take when the sandbox itself ends: somebody waits at the terminal."""


class MachineError(RuntimeError):
    """Pods cannot be run here; the message says why in one line."""


class Machine:
    """Where pods run."""

    def __init__(self, node: Node, ray: Path, folder: Path, lock: int) -> None:
        self._node = node
        self._ray = ray
        self._folder = folder
        self._lock = lock
        self._pods = PodNetwork(node)
        self._services = ServiceProxy(node)
        self._looking: list[asyncio.Task[None]] = []
        self.kubelet: RealKubelet | None = None

    def attach(
        self, index: Index, look_at: Callable[[Place], None], clock: Callable[[], datetime]
    ) -> RealKubelet:
        """Look after the pods of a cluster; `look_at` is told of every pod that has changed."""

        def find(plural: str, namespace: str, name: str) -> Object | None:
            return index.get((plural, namespace, name))

        def lead() -> Routes:
            return routes(index.objects(SERVICES), index.objects(SLICES))

        def names(namespace: str) -> str:
            return service_names(index.objects(SERVICES), index.objects(SLICES), namespace)

        around = Surroundings(
            node=self._node,
            folder=self._folder,
            ray=self._ray,
            system=rootfs.system(_present(), environments(self._ray)),
            find=find,
            names=names,
            reach=self._pods.well,
            clock=clock,
        )
        self.kubelet = RealKubelet(around, index, look_at)
        self._looking = [
            asyncio.create_task(self.kubelet.look_around(), name="pods of the machine"),
            asyncio.create_task(self._services.keep(lead), name="services of the machine"),
        ]
        for task in self._looking:
            task.add_done_callback(_tell_if_broken)
        return self.kubelet

    async def answer(self, at: Backend, ask: Ask) -> Reply:
        """Put a question to a port of a pod."""
        return await self._pods.answer(at, ask)

    async def close(self) -> None:
        """End every pod, and leave nothing behind."""
        for task in self._looking:
            task.cancel()
        await asyncio.gather(*self._looking, return_exceptions=True)
        if self.kubelet is not None:
            await self.kubelet.close(CLOSING_GRACE)
        await self._services.close()
        await self._pods.close()
        await self._node.close()
        await asyncio.to_thread(remove, self._folder)
        with contextlib.suppress(OSError):
            os.close(self._lock)


async def open_machine(ray: Path, who: Rights | None = None) -> Machine:
    """Open a machine whose containers find Ray in a Python environment."""
    program = await asyncio.to_thread(shutil.which, ray / "bin" / "ray")
    if program is None:
        raise MachineError(f"there is no Ray in {ray}: `python -m tools.realray build` makes one")
    told = await asyncio.to_thread(refusal)
    if told:
        raise MachineError(told)
    try:
        node = await open_node(who or rights())
    except NodeError as failed:
        raise MachineError(f"pods cannot be run here: {failed}") from failed
    folder, lock = open_folder()
    return Machine(node, Path(program).parents[1], folder, lock)


def environments(ray: Path) -> list[str]:
    """Name the folders that a Python environment needs: itself, and the Python it is made of."""
    base = (ray / "bin" / "python").resolve().parents[1]
    seen = [str(ray), str(base)]
    return [path for path in dict.fromkeys(seen) if not path.startswith(_present())]


def _tell_if_broken(task: asyncio.Task[None]) -> None:
    if not task.cancelled() and (error := task.exception()) is not None:
        log.error("machine stopped looking", exc_info=error)


def _present() -> tuple[str, ...]:
    return tuple(path for path in rootfs.PROGRAMS if Path(path).is_dir())
