"""Lists and watches of some namespaces, as one."""

from collections.abc import AsyncIterator
from itertools import count
from pathlib import Path

import pytest

from sandbox.cluster import Cluster
from sandbox.errors import ApiError
from sandbox.faults import Fault, Refuse
from sandbox.kubeconfig import write_kubeconfig
from sandbox.requests import Request
from sandbox.server import RunningSandbox, serve
from shared.kernel.manifests import name_of
from shared.kube.credentials import Source
from shared.kube.kinds import SERVICE
from shared.kube.reading import KubeReader
from shared.kube.session import Session, connect
from shared.ports.cluster import ClusterUnavailable, ExpiredVersion

LABELS = {"app.kubernetes.io/created-by": "kuberay-operator"}
NAMESPACES = ("blue", "green", "red")


@pytest.fixture
async def sandbox() -> AsyncIterator[RunningSandbox]:
    running = await serve()
    for name in NAMESPACES:
        running.cluster.create("namespaces", {"metadata": {"name": name}})
    yield running
    await running.close()


@pytest.fixture
async def session(sandbox: RunningSandbox, tmp_path: Path) -> AsyncIterator[Session]:
    write_kubeconfig(tmp_path / "config", sandbox.url)
    async with await connect(Source(kubeconfig=str(tmp_path / "config"))) as opened:
        yield opened


def add(cluster: Cluster, namespace: str, name: str) -> None:
    metadata = {"name": name, "namespace": namespace, "labels": LABELS}
    cluster.create("services", {"metadata": metadata, "spec": {"ports": [{"port": 1}]}})


async def follow(reader: KubeReader, version: int, wanted: int) -> set[str]:
    seen: set[str] = set()
    async with reader.watch(SERVICE, version) as batches:
        async for batch in batches:
            seen |= {name_of(happening.object) for happening in batch}
            if len(seen) >= wanted:
                break
    return seen


async def test_lists_the_watched_namespaces_only(sandbox: RunningSandbox, session: Session) -> None:
    for namespace in NAMESPACES:
        add(sandbox.cluster, namespace, f"in-{namespace}")

    listing = await KubeReader(session, ["blue", "red", "blue"]).list(SERVICE)

    assert [name_of(found) for found in listing.objects] == ["in-blue", "in-red"]


async def test_several_lists_are_one_as_of_one_version(
    sandbox: RunningSandbox, session: Session
) -> None:
    numbers = count()

    def meanwhile(request: Request) -> Fault | None:
        if request.verb == "list":
            add(sandbox.cluster, "red", f"late-{next(numbers)}")
        return None

    sandbox.cluster.faults = meanwhile
    listing = await KubeReader(session, ["blue", "red"]).list(SERVICE)

    assert [name_of(found) for found in listing.objects] == ["late-0"]


async def test_a_list_whose_version_expires_between_pages_begins_again(
    sandbox: RunningSandbox, session: Session
) -> None:
    faults = iter([None, Refuse(error=ApiError.expired()), None, None])
    sandbox.cluster.faults = lambda request: next(faults) if request.verb == "list" else None
    add(sandbox.cluster, "red", "there")

    listing = await KubeReader(session, ["blue", "red"]).list(SERVICE)

    assert [name_of(found) for found in listing.objects] == ["there"]


async def test_a_list_that_always_expires_is_given_up(
    sandbox: RunningSandbox, session: Session
) -> None:
    sandbox.cluster.faults = lambda _: Refuse(error=ApiError.expired())

    with pytest.raises(ClusterUnavailable):
        await KubeReader(session).list(SERVICE)


async def test_watches_several_namespaces_as_one(sandbox: RunningSandbox, session: Session) -> None:
    reader = KubeReader(session, ["blue", "red"])
    start = (await reader.list(SERVICE)).resource_version
    for namespace in NAMESPACES:
        add(sandbox.cluster, namespace, f"in-{namespace}")

    assert await follow(reader, start, wanted=2) == {"in-blue", "in-red"}


async def test_when_one_of_several_watches_fails_nobody_knows_where_to_go_on(
    sandbox: RunningSandbox, session: Session
) -> None:
    def broken(request: Request) -> Fault | None:
        red = request.verb == "watch" and request.namespace == "red"
        return Refuse(error=ApiError.internal("no watches here")) if red else None

    reader = KubeReader(session, ["blue", "red"])
    start = (await reader.list(SERVICE)).resource_version
    sandbox.cluster.faults = broken

    with pytest.raises(ExpiredVersion):
        await follow(reader, start, wanted=1)


async def test_a_look_believes_the_cache_in_what_is_there_and_not_in_what_is_missing(
    sandbox: RunningSandbox, session: Session
) -> None:
    add(sandbox.cluster, "blue", "there")
    asked: list[str] = []

    def noting(request: Request) -> Fault | None:
        asked.append(request.selection.revision)
        return None

    sandbox.cluster.faults = noting
    reader = KubeReader(session)
    found = await reader.look(SERVICE, "blue", name="there", selector="")
    nothing = await reader.look(SERVICE, "blue", name="missing", selector="")

    assert [name_of(one) for one in found.objects] == ["there"]
    assert nothing.objects == ()
    assert asked == ["0", "0", ""]
