"""Follow a kind from a version on: one connection, or one for each watched namespace.

A watch of one place ends when the server ends it, and whoever asked goes on from the last version
seen. Versions of several places are not seen in order, so a watch of several goes on by itself in
each place, and ends only with a failure; nobody can know then from where to go on, hence
`ExpiredVersion`: list again.
"""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from collections.abc import Set as AbstractSet
from contextlib import aclosing, asynccontextmanager

from shared.kernel.ids import content_id
from shared.kernel.manifests import text_at
from shared.kube import paths
from shared.kube.lines import Lines
from shared.kube.projection import projection_of
from shared.kube.session import Call, Session
from shared.ports.cluster import (
    ClusterRefusal,
    ClusterUnavailable,
    ExpiredVersion,
    Happening,
    Kind,
)

_SHORTEST_SECONDS = 300
_SPREAD_SECONDS = 300
_WAITING_BATCHES = 64
_PAUSE_SECONDS = 0.5

Batch = tuple[Happening, ...]


@asynccontextmanager
async def watch_one(
    session: Session, kind: Kind, namespace: str, resource_version: int
) -> AsyncIterator[AsyncIterator[Batch]]:
    """Follow one place until the server ends the watch."""
    call = Call(
        method="GET",
        path=paths.collection(kind, namespace),
        parameters=_parameters(kind, namespace, resource_version),
    )
    async with (
        session.stream(call) as chunks,
        aclosing(_batches(chunks, Lines(projection_of(kind)))) as batches,
    ):
        yield batches


async def _batches(chunks: AsyncIterator[bytes], lines: Lines) -> AsyncGenerator[Batch, None]:
    async for chunk in chunks:
        batch = lines.feed(chunk)
        if batch:
            yield batch
        if lines.error is not None:
            raise lines.error


def _parameters(kind: Kind, namespace: str, resource_version: int) -> dict[str, str]:
    """Ask for an end at a moment of our own, so that not all watches end at once."""
    spread = int(content_id(kind.name, namespace, resource_version), 16) % _SPREAD_SECONDS
    selector = {"labelSelector": kind.selector} if kind.selector else {}
    return {
        "watch": "true",
        "allowWatchBookmarks": "true",
        "resourceVersion": str(resource_version),
        "timeoutSeconds": str(_SHORTEST_SECONDS + spread),
        **selector,
    }


@asynccontextmanager
async def watch_all(
    session: Session, kind: Kind, namespaces: Sequence[str], resource_version: int
) -> AsyncIterator[AsyncIterator[Batch]]:
    """Follow several places as one."""
    queue: asyncio.Queue[Batch] = asyncio.Queue(_WAITING_BATCHES)
    tasks = {
        asyncio.create_task(
            _fill(queue, session, kind, namespace, resource_version),
            name=f"watch {kind.plural} in {namespace}",
        )
        for namespace in namespaces
    }
    try:
        async with aclosing(_merged(queue, tasks)) as merged:
            yield merged
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _fill(
    queue: asyncio.Queue[Batch],
    session: Session,
    kind: Kind,
    namespace: str,
    resource_version: int,
) -> None:
    version = resource_version
    while True:
        async with watch_one(session, kind, namespace, version) as batches:
            async for batch in batches:
                version = max(version, _version(batch))
                await queue.put(batch)
        await asyncio.sleep(_PAUSE_SECONDS)


def _version(batch: Batch) -> int:
    return int(text_at(batch[-1].object, "metadata", "resourceVersion") or 0)


async def _merged(
    queue: asyncio.Queue[Batch], tasks: AbstractSet[asyncio.Task[None]]
) -> AsyncGenerator[Batch, None]:
    while True:
        getting = asyncio.create_task(queue.get(), name="next batch of several watches")
        try:
            await asyncio.wait({getting, *tasks}, return_when=asyncio.FIRST_COMPLETED)
            if not getting.done():
                _say_which_ended(tasks)
            yield getting.result()
        finally:
            getting.cancel()


def _say_which_ended(tasks: AbstractSet[asyncio.Task[None]]) -> None:
    for task in tasks:
        problem = task.exception() if task.done() else None
        if isinstance(problem, ClusterUnavailable | ClusterRefusal | ExpiredVersion):
            raise ExpiredVersion(f"one of several watches ended: {problem}") from problem
        if problem is not None:
            raise problem
