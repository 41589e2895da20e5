"""Every law can be broken, and then it is told: a law that never speaks would hold nothing."""

import pytest

from services.executor.performing import ACT_ANNOTATION
from tests.e2e.laws import Books
from tests.support.fleet import Json, Seen, manifest

ACT = "act-1"
CLUSTER = "cluster-uid"


def told(plural: str, uid: str, version: int, body: Json, *, gone: bool = False) -> Seen:
    meta = {"name": uid, "uid": uid, **body.get("metadata", {})}
    return Seen(plural=plural, version=version, gone=gone, body={**body, "metadata": meta})


def cluster(workers: int) -> Seen:
    spec = manifest("demo", workers)["spec"]
    return told("rayclusters", CLUSTER, 1, {"metadata": {"generation": 1}, "spec": spec})


def pod(
    uid: str, version: int, role: str = "worker", act: str = ACT, *, gone: bool = False
) -> Seen:
    metadata = {
        "labels": {"ray.io/node-type": role},
        "annotations": {ACT_ANNOTATION: act},
        "ownerReferences": [{"uid": CLUSTER}],
    }
    return told("pods", uid, version, {"metadata": metadata, "spec": {}}, gone=gone)


def stranger(version: int, labels: dict[str, str], *, gone: bool = False) -> Seen:
    body = {"metadata": {"labels": labels}, "spec": {"nodeName": str(version)}}
    return told("pods", "stranger", version, body, gone=gone)


def problems(*history: Seen, lossy: bool = False) -> list[str]:
    books = Books({ACT: 1}, lossy=lossy)
    return [problem for seen in history for problem in books.take(seen)]


@pytest.mark.parametrize(
    ("history", "problem"),
    [
        ((pod("a", 2, "head"), pod("b", 3, "head")), "cluster-uid has two live heads at 3"),
        ((pod("a", 2), pod("b", 3)), "cluster-uid has 2 live workers at 3, 1 wanted"),
        ((pod("a", 2), pod("a", 3, gone=True)), "a of cluster-uid ended at 3: 0 workers are left"),
        ((pod("a", 2, act="nobody's"),), "pods a at 2 was asked for by no act"),
        (
            (stranger(2, {}), stranger(3, {}, gone=True)),
            "pods stranger of somebody else is gone at 3",
        ),
        (
            (stranger(2, {}), stranger(3, {"a": "b"})),
            "pods stranger of somebody else is another at 3",
        ),
    ],
)
def test_a_broken_law_is_told(history: tuple[Seen, ...], problem: str) -> None:
    assert problems(cluster(1), *history) == [problem]


def test_what_is_lawful_is_not_told() -> None:
    replaced = (pod("a", 2, "head"), pod("a", 3, "head", gone=True), pod("b", 4, "head"))
    bound = (stranger(5, {"a": "b"}), stranger(6, {"a": "b"}))

    assert problems(cluster(1), *replaced, pod("w", 7), *bound) == []


def test_in_a_lossy_history_others_may_take_workers_away() -> None:
    assert problems(cluster(1), pod("a", 2), pod("a", 3, gone=True), lossy=True) == []
