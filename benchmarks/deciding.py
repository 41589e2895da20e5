"""What folding, deciding and assessing cost, and how that grows with the size of a cluster."""

from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from time import process_time

from services.reconciler.decisions.decide import decide
from services.reconciler.decisions.decision import Context
from services.reconciler.decisions.settings import DecisionSettings
from services.reconciler.manifests.settings import ManifestSettings
from services.status.conditions.raycluster import assess_raycluster
from services.status.reading import readable_cluster
from shared.aggregates.ledger import Ledger
from shared.events import subjects
from shared.events.codec import encode
from shared.events.envelope import SCHEMA, Body, Envelope
from shared.events.objects import (
    Condition,
    Container,
    Meta,
    Owner,
    PodSeen,
    ResourceSeen,
    ServiceSeen,
)
from shared.kernel.keys import ResourceKey
from shared.ports.event_log import Message
from shared.resources.labels import GROUP, HEAD_GROUP, NODE_TYPE

KEY = ResourceKey("raycluster", "default", "measured")
NOON = datetime(2030, 1, 1, 12, tzinfo=UTC)
SIZES = (3, 100, 1000)
REPEATS = 20
CONTAINER = {"name": "ray", "image": "rayproject/ray:2.52.0"}
TEMPLATE = {"spec": {"containers": [CONTAINER]}}
CONTEXT = Context(
    settings=DecisionSettings(manifests=ManifestSettings(version="benchmark")), session="1:bench"
)

Told = tuple[str, str, Body]
"""Where something is told of, the uid it is about, and what is told."""


def measure() -> list[list[str]]:
    """Return rows for each size, and what a pod costs against the middle size."""
    costs = {size: _costs(size) for size in SIZES}
    return [row for size in SIZES for row in _rows(size, costs)]


def _rows(size: int, costs: dict[int, dict[str, float]]) -> Iterator[list[str]]:
    middle = SIZES[1]
    for what, seconds in costs[size].items():
        per_pod = seconds / size / (costs[middle][what] / middle)
        yield [
            f"{what}, {size} workers",
            f"{seconds * 1e3:.2f} ms",
            f"{per_pod:.2f} x the cost per pod at {middle}",
        ]


def _costs(size: int) -> dict[str, float]:
    ledger = ledger_of(history(size))
    view = ledger.view(KEY)
    return {
        "fold": timed(lambda: ledger.view(KEY)),
        "decide": timed(lambda: decide(view, CONTEXT)),
        "assess": timed(lambda: assess_raycluster(view, readable_cluster(view))),
    }


def timed(work: Callable[[], object]) -> float:
    """Return the shortest of several runs, in seconds of our own: others do not count."""
    best = float("inf")
    for _ in range(REPEATS):
        begun = process_time()
        work()
        best = min(best, process_time() - begun)
    return best


def ledger_of(told: Iterable[Told]) -> Ledger:
    """Return a ledger of these records."""
    ledger = Ledger()
    for sequence, (subject, uid, body) in enumerate(told, start=1):
        envelope = Envelope(
            schema=SCHEMA, id=str(sequence), body=body, code="", written_at=NOON, key=KEY, uid=uid
        )
        data = encode(envelope)
        ledger.apply(Message(sequence=sequence, at=NOON, subject=subject, data=data))
    return ledger


def history(size: int) -> Iterator[Told]:
    """Yield what is seen of a cluster with so many workers that are all ready."""
    bounds = {"replicas": size, "minReplicas": 0, "maxReplicas": size}
    group = {"groupName": "g", **bounds, "template": TEMPLATE}
    spec: dict[str, object] = {
        "headGroupSpec": {"template": TEMPLATE},
        "workerGroupSpecs": [group],
    }
    yield (
        subjects.own(KEY),
        "cluster",
        ResourceSeen(meta=_meta(KEY.name, 1, "cluster"), api_version="ray.io/v1", spec=spec),
    )
    service = ServiceSeen(meta=_meta("head-svc", 2, "service", {NODE_TYPE: "head"}))
    yield subjects.observed(KEY, "service", "head-svc"), "service", service
    for number in range(size + 1):
        name = f"pod-{number}"
        role = (HEAD_GROUP, "head") if number == 0 else ("g", "worker")
        labels = {GROUP: role[0], NODE_TYPE: role[1]}
        yield subjects.observed(KEY, "pod", name), name, _pod(_meta(name, 3, name, labels))


def _meta(name: str, version: int, uid: str, labels: dict[str, str] | None = None) -> Meta:
    owner = Owner(kind="RayCluster", name=KEY.name, uid="cluster", controller=True)
    return Meta(
        name=name,
        namespace=KEY.namespace,
        uid=uid,
        resource_version=version,
        generation=1,
        labels=labels or {},
        owners=() if uid == "cluster" else (owner,),
    )


def _pod(meta: Meta) -> PodSeen:
    return PodSeen(
        meta=meta,
        phase="Running",
        restart_policy="Always",
        ray_container="ray",
        conditions=(Condition(type="Ready", status="True"),),
        containers=(Container(name="ray", ready=True, state="running"),),
    )
