"""The promises of `shared.ports.cluster`, kept by every adapter: over HTTP and in process."""

from collections.abc import AsyncIterator
from functools import cache
from pathlib import Path

import pytest
import yaml
from msgspec import Struct

from sandbox.cluster import Cluster
from sandbox.errors import ApiError
from sandbox.faults import LOSE_ANSWER, Fault, Faults, Refuse, no_faults
from sandbox.kubeconfig import write_kubeconfig
from sandbox.requests import Request
from sandbox.server import serve
from shared.kernel.manifests import name_of, text_at, uid_of
from shared.kube.credentials import Source
from shared.kube.kinds import EVENT, POD, RAYCLUSTER, VOLCANO_POD_GROUP
from shared.kube.reading import KubeReader
from shared.kube.session import connect
from shared.kube.writing import KubeStatusWriter, KubeWriter
from shared.ports.cluster import (
    ClusterReader,
    ClusterRefusal,
    ClusterUnavailable,
    ClusterWriter,
    ExpiredVersion,
    Found,
    Happening,
    NotServed,
    Object,
    StatusWriter,
)
from tests.support.sandbox_cluster import SandboxCluster

CRD = Path(__file__).parents[2] / "deploy" / "crds" / "ray.io_rayclusters.yaml"
HEAD = {"ray.io/node-type": "head"}


@cache
def crd() -> Object:
    """Return the definition of RayCluster; reading it takes a while."""
    found: Object = yaml.load(CRD.read_text(), yaml.CSafeLoader)
    return found


class Ports(Struct, frozen=True, kw_only=True):
    """One adapter's three faces, and the cluster behind them."""

    reader: ClusterReader
    writer: ClusterWriter
    statuses: StatusWriter
    cluster: Cluster


@pytest.fixture(params=["http", "in process"])
async def ports(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Ports]:
    sandbox = await serve(crds=[dict(crd())], token="s3cret")
    write_kubeconfig(tmp_path / "config", sandbox.url, token="s3cret")
    inside = SandboxCluster(sandbox.cluster)
    session = await connect(Source(kubeconfig=str(tmp_path / "config")))
    if request.param == "http":
        yield Ports(
            reader=KubeReader(session),
            writer=KubeWriter(session),
            statuses=KubeStatusWriter(session),
            cluster=sandbox.cluster,
        )
    else:
        yield Ports(reader=inside, writer=inside, statuses=inside, cluster=sandbox.cluster)
    await session.close()
    await sandbox.close()


def pod(name: str, labels: dict[str, str] | None = None) -> dict[str, object]:
    metadata = {"name": name, "labels": HEAD if labels is None else labels}
    return {"metadata": metadata, "spec": {"containers": [{"name": "ray", "image": "ray"}]}}


def resource(name: str, **metadata: object) -> dict[str, object]:
    group = {"rayStartParams": {}, "template": {"spec": {"containers": [{"name": "ray"}]}}}
    return {
        "apiVersion": "ray.io/v1",
        "kind": "RayCluster",
        "metadata": {"name": name, "namespace": "default", **metadata},
        "spec": {"headGroupSpec": group},
    }


def version(raw: Object) -> int:
    return int(text_at(raw, "metadata", "resourceVersion"))


def names(batch: tuple[Happening, ...]) -> list[tuple[str, str]]:
    return [(happening.type, name_of(happening.object)) for happening in batch]


async def next_batch(ports: Ports, from_version: int) -> list[tuple[str, str]]:
    async with ports.reader.watch(RAYCLUSTER, from_version) as batches:
        return names(await anext(batches))


def failing(verb: str, fault: Fault) -> Faults:
    def plan(request: Request) -> Fault | None:
        return fault if request.verb == verb else None

    return plan


async def test_lists_what_the_selector_selects(ports: Ports) -> None:
    """Checklist 113."""
    ports.cluster.create("pods", pod("of-ray"))
    ports.cluster.create("pods", pod("of-others", labels={}))

    listing = await ports.reader.list(POD)

    assert [name_of(found) for found in listing.objects] == ["of-ray"]


async def test_a_list_of_nothing_has_a_version(ports: Ports) -> None:
    listing = await ports.reader.list(RAYCLUSTER)

    assert listing.objects == ()
    assert listing.resource_version > 0


async def test_lists_more_than_a_page(ports: Ports) -> None:
    wanted = [f"ray-{number:04}" for number in range(501)]
    for name in wanted:
        ports.cluster.create("rayclusters", resource(name))

    listing = await ports.reader.list(RAYCLUSTER)

    assert sorted(name_of(found) for found in listing.objects) == wanted


async def test_a_failed_list_is_not_an_empty_one(ports: Ports) -> None:
    ports.cluster.faults = failing("list", Refuse(error=ApiError.internal("no quorum")))

    with pytest.raises(ClusterUnavailable):
        await ports.reader.list(RAYCLUSTER)


async def test_a_kind_that_is_not_served_is_told_by_its_name(ports: Ports) -> None:
    told = "the cluster serves no podgroups of scheduling.volcano.sh/v1beta1: is its definition"

    with pytest.raises(NotServed, match=told):
        await ports.reader.list(VOLCANO_POD_GROUP)
    with pytest.raises(NotServed, match=told):
        await ports.writer.create(VOLCANO_POD_GROUP, "default", {"metadata": {"name": "one"}})
    with pytest.raises(NotServed, match=told):
        await ports.writer.find(VOLCANO_POD_GROUP, "default", "one")


async def test_a_throttled_list_says_when_to_come_back(ports: Ports) -> None:
    ports.cluster.faults = failing("list", Refuse(error=ApiError.too_many_requests(7)))

    with pytest.raises(ClusterUnavailable) as raised:
        await ports.reader.list(RAYCLUSTER)

    assert raised.value.retry_after == 7


async def test_a_watch_goes_on_where_the_list_ended(ports: Ports) -> None:
    ports.cluster.create("rayclusters", resource("before"))
    listing = await ports.reader.list(RAYCLUSTER)
    ports.cluster.create("rayclusters", resource("after"))
    ports.cluster.delete("rayclusters", "default", "before")

    assert await next_batch(ports, listing.resource_version) == [
        ("ADDED", "after"),
        ("DELETED", "before"),
    ]


async def test_a_watch_brings_what_happens_while_it_is_open(ports: Ports) -> None:
    start = (await ports.reader.list(RAYCLUSTER)).resource_version
    seen = []

    async with ports.reader.watch(RAYCLUSTER, start) as batches:
        for name in ("first", "second"):
            ports.cluster.create("rayclusters", resource(name))
            seen += names(await anext(batches))

    assert seen == [("ADDED", "first"), ("ADDED", "second")]


async def test_a_watch_resumes_from_the_last_version_seen(ports: Ports) -> None:
    first = ports.cluster.create("rayclusters", resource("first"))
    ports.cluster.create("rayclusters", resource("second"))

    assert await next_batch(ports, version(first)) == [("ADDED", "second")]


async def test_a_deletion_carries_the_version_of_the_deletion(ports: Ports) -> None:
    created = ports.cluster.create("rayclusters", resource("short"))
    ports.cluster.delete("rayclusters", "default", "short")

    async with ports.reader.watch(RAYCLUSTER, version(created)) as batches:
        (gone,) = await anext(batches)

    assert version(gone.object) > version(created)
    assert uid_of(gone.object) == uid_of(created)


async def test_a_version_too_old_to_watch_from_has_expired(ports: Ports) -> None:
    start = (await ports.reader.list(RAYCLUSTER)).resource_version
    for name in ("forgotten", "remembered"):
        ports.cluster.create("rayclusters", resource(name))
    ports.cluster.state.store.history("rayclusters.ray.io").forget(keep=1)

    with pytest.raises(ExpiredVersion):
        await next_batch(ports, start)


async def test_finds_an_object_whole(ports: Ports) -> None:
    stored = ports.cluster.create("rayclusters", resource("demo"))

    found = await ports.writer.find(RAYCLUSTER, "default", "demo")

    assert found == Found(object=stored, resource_version=version(stored))


async def test_absence_comes_with_the_version_it_was_true_at(ports: Ports) -> None:
    latest = ports.cluster.create("rayclusters", resource("other"))

    found = await ports.writer.find(RAYCLUSTER, "default", "missing")

    assert found == Found(object=None, resource_version=version(latest))


async def test_finds_everything_with_these_labels_in_one_namespace(ports: Ports) -> None:
    ports.cluster.create("namespaces", {"metadata": {"name": "elsewhere"}})
    ours = {**HEAD, "ray.io/serve": "true"}
    for name, labels in (("one", ours), ("two", ours), ("other", HEAD)):
        ports.cluster.create("pods", pod(name, labels))
    away = pod("away", ours)
    away["metadata"] = {"name": "away", "namespace": "elsewhere", "labels": ours}
    ports.cluster.create("pods", away)

    found = [name_of(one) async for one in ports.writer.find_all(POD, "default", ours)]
    others = {"ray.io/serve": "false"}

    assert sorted(found) == ["one", "two"]
    assert [one async for one in ports.writer.find_all(POD, "default", others)] == []


async def test_finds_more_than_a_page_of_them(ports: Ports) -> None:
    wanted = [f"pod-{number:03}" for number in range(120)]
    for name in wanted:
        ports.cluster.create("pods", pod(name))

    found = [name_of(one) async for one in ports.writer.find_all(POD, "default", HEAD)]

    assert sorted(found) == wanted


async def test_a_failed_search_is_not_an_empty_one(ports: Ports) -> None:
    ports.cluster.faults = failing("list", Refuse(error=ApiError.internal("no quorum")))

    with pytest.raises(ClusterUnavailable):
        await anext(aiter(ports.writer.find_all(POD, "default", HEAD)))


async def test_a_failed_reading_is_not_absence(ports: Ports) -> None:
    ports.cluster.faults = lambda _: Refuse(error=ApiError.internal("no quorum"))

    with pytest.raises(ClusterUnavailable):
        await ports.writer.find(RAYCLUSTER, "default", "demo")


async def test_creates_and_returns_what_is_stored(ports: Ports) -> None:
    created = await ports.writer.create(RAYCLUSTER, "default", resource("demo"))

    assert created == ports.cluster.get("rayclusters", "default", "demo")


async def test_a_taken_name_is_refused(ports: Ports) -> None:
    await ports.writer.create(RAYCLUSTER, "default", resource("demo"))

    with pytest.raises(ClusterRefusal) as raised:
        await ports.writer.create(RAYCLUSTER, "default", resource("demo"))

    assert (raised.value.code, raised.value.reason) == (409, "AlreadyExists")


async def test_a_creation_whose_answer_is_lost_may_have_happened(ports: Ports) -> None:
    ports.cluster.faults = failing("create", LOSE_ANSWER)

    with pytest.raises(ClusterUnavailable):
        await ports.writer.create(RAYCLUSTER, "default", resource("demo"))

    ports.cluster.faults = no_faults
    assert (await ports.writer.find(RAYCLUSTER, "default", "demo")).object is not None


async def test_posts_an_event_for_people(ports: Ports) -> None:
    event = {
        "metadata": {"name": "demo.1"},
        "type": "Normal",
        "reason": "Created",
        "action": "Create",
        "note": "made a head",
        "eventTime": "2030-01-01T12:00:00.000000Z",
        "reportingController": "heliograph",
        "reportingInstance": "heliograph-0",
        "regarding": {"kind": "RayCluster", "name": "demo", "namespace": "default"},
    }

    stored = await ports.writer.create(EVENT, "default", event)

    assert text_at(stored, "note") == "made a head"


async def test_deletes_the_object_of_the_uid(ports: Ports) -> None:
    stored = ports.cluster.create("rayclusters", resource("demo"))

    await ports.writer.delete(RAYCLUSTER, "default", "demo", uid=uid_of(stored))

    assert (await ports.writer.find(RAYCLUSTER, "default", "demo")).object is None


async def test_what_a_finalizer_holds_back_is_returned_as_it_stands_then(ports: Ports) -> None:
    held = resource("demo", finalizers=["example.com/hold"])
    stored = ports.cluster.create("rayclusters", held)

    left = await ports.writer.delete(RAYCLUSTER, "default", "demo", uid=uid_of(stored))

    assert left == ports.cluster.get("rayclusters", "default", "demo")
    assert text_at(left, "metadata", "deletionTimestamp")


async def test_never_deletes_another_object_of_the_same_name(ports: Ports) -> None:
    stored = ports.cluster.create("rayclusters", resource("demo"))

    assert await ports.writer.delete(RAYCLUSTER, "default", "demo", uid="of-another") is None
    assert ports.cluster.get("rayclusters", "default", "demo") == stored


async def test_deleting_what_is_gone_finds_it_gone(ports: Ports) -> None:
    assert await ports.writer.delete(RAYCLUSTER, "default", "demo", uid="gone") is None


async def test_a_deletion_of_an_older_version_is_refused(ports: Ports) -> None:
    stored = ports.cluster.create("rayclusters", resource("demo"))
    labels = {"metadata": {"labels": {"touched": "yes"}}}
    ports.cluster.patch("rayclusters", "default", "demo", labels)

    with pytest.raises(ClusterRefusal) as raised:
        await ports.writer.delete(
            RAYCLUSTER, "default", "demo", uid=uid_of(stored), resource_version=version(stored)
        )

    assert raised.value.code == 409


async def test_writes_a_status_and_nothing_else(ports: Ports) -> None:
    stored = ports.cluster.create("rayclusters", resource("demo"))
    now = {"uid": uid_of(stored), "resourceVersion": str(version(stored))}

    written = await ports.statuses.write_status(
        RAYCLUSTER, "default", "demo", {"metadata": now, "status": {"state": "ready"}}
    )

    assert (written["status"], written["spec"]) == ({"state": "ready"}, stored["spec"])


async def test_a_status_assessed_from_an_older_version_is_refused(ports: Ports) -> None:
    stored = ports.cluster.create("rayclusters", resource("demo"))
    patch = {"metadata": {"resourceVersion": str(version(stored))}, "status": {"state": "ready"}}
    await ports.statuses.write_status(RAYCLUSTER, "default", "demo", patch)

    with pytest.raises(ClusterRefusal) as raised:
        await ports.statuses.write_status(
            RAYCLUSTER, "default", "demo", {**patch, "status": {"state": "failed"}}
        )

    assert raised.value.code == 409
