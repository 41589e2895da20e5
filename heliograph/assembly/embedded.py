"""A NATS server and a sandbox of our own: all that is needed to try Heliograph on one machine."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from secrets import token_hex

from msgspec import Struct
from msgspec.structs import replace

from heliograph.assembly.preparing import prepare
from sandbox.kubeconfig import write_kubeconfig
from sandbox.server import RunningSandbox, serve
from shared.bus.server import NatsServer, ServerFailedError
from shared.kernel.manifests import thawed
from shared.resources.crd import definitions
from shared.runtime.failures import FatalError
from shared.runtime.settings import Inside, Settings


class Embedded(Struct, frozen=True, kw_only=True):
    """Where everything is, and settings that lead there."""

    settings: Settings
    kubeconfig: Path
    nats: NatsServer
    sandbox: RunningSandbox


@asynccontextmanager
async def embedded(
    folder: Path, settings: Settings, *, nats_port: int = -1, sandbox_port: int = 0
) -> AsyncIterator[Embedded]:
    """Run both while the block runs; the log stays in the folder."""
    nats = NatsServer(folder / "nats", port=nats_port)
    try:
        await asyncio.to_thread(nats.start)
        bus = replace(settings.bus, nats_url=nats.url)
        await prepare(bus)
        async with _sandbox(sandbox_port) as sandbox:
            kubeconfig = folder / "kubeconfig"
            write_kubeconfig(kubeconfig, sandbox.url)
            kube = replace(
                settings.kube,
                kubeconfig=str(kubeconfig),
                in_cluster=Inside.NEVER,
                use_kubernetes_proxy=True,
            )
            yield Embedded(
                settings=replace(settings, bus=bus, kube=kube),
                kubeconfig=kubeconfig,
                nats=nats,
                sandbox=sandbox,
            )
    except ServerFailedError as problem:
        raise FatalError(str(problem)) from problem
    finally:
        await asyncio.to_thread(nats.stop)


@asynccontextmanager
async def _sandbox(port: int) -> AsyncIterator[RunningSandbox]:
    try:
        sandbox = await serve(port, crds=[thawed(one) for one in definitions()], seed=token_hex(8))
    except OSError as problem:
        raise FatalError(f"the sandbox cannot listen on port {port}: {problem}") from problem
    try:
        yield sandbox
    finally:
        await sandbox.close()
