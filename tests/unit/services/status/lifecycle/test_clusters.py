"""What everybody is told of a RayCluster."""

from msgspec.structs import replace

from services.status.conditions.raycluster import assess_raycluster
from services.status.reading import readable_cluster
from shared.events.lifecycle import LifeTold
from shared.events.objects import Container, PodSeen
from tests.support.builders import (
    cluster_spec,
    deleting,
    failed,
    gone,
    group,
    head,
    resource,
    suspended,
    suspending,
    with_status,
    worker,
)
from tests.support.history import History


class ClusterLife(History):
    """A RayCluster with two workers; its status follows what is seen."""

    def __init__(self, replicas: int = 2) -> None:
        super().__init__()
        self._version = 100
        self.wishes(replicas)

    def wishes(self, replicas: int) -> None:
        self.spec = cluster_spec(group("small", replicas))
        self._version += 1
        self.sees(
            replace(resource(self.spec, version=self._version), status=dict(self.view().status))
        )

    def follows(self) -> list[str]:
        """Tell of the status that stands, bring it up to date, and tell of that."""
        told = self.announces()
        view = self.view()
        self._version += 1
        self.writes_status(assess_raycluster(view, readable_cluster(view)), self._version)
        return [*told, *self.announces()]

    def because(self) -> str:
        return str(self.last().data["because"])

    def told(self) -> list[LifeTold]:
        bodies = (record.envelope.body for record in self.records)
        return [body for body in bodies if isinstance(body, LifeTold)]

    def last(self) -> LifeTold:
        life = self.view().life
        assert life is not None
        return life.body


def two() -> tuple[PodSeen, PodSeen]:
    return worker("demo-small-a", ready=True), worker("demo-small-b", ready=True)


def living() -> ClusterLife:
    life = ClusterLife()
    life.sees(head(), *two())
    assert life.follows() == ["provisioning", "workers-added", "ready"]
    return life


def test_tells_when_it_appears_and_when_it_is_ready() -> None:
    life = ClusterLife()
    first = life.follows()
    life.sees(head(ready=False), worker("demo-small-a", ready=False))
    between = life.follows()
    life.sees(head(version=20), *two())

    assert (first, between) == (["provisioning"], [])
    assert life.follows() == ["workers-added", "ready"]
    assert life.because() == "head and 2 workers are ready"
    assert life.last().data["state"] == {
        "phase": "ready",
        "head": head().meta.name,
        "head_uid": head().meta.uid,
        "workers": {"small": ["demo-small-a", "demo-small-b"]},
        "desired": 2,
        "size": 2,
    } | _template(life)


def _template(life: ClusterLife) -> dict[str, object]:
    state = life.last().data["state"]
    assert isinstance(state, dict)
    return {"template": state["template"]} if "template" in state else {}


def test_tells_nothing_twice() -> None:
    life = living()

    assert life.follows() == []
    life.sees(*(replace(pod, ip="10.0.0.9") for pod in two()))
    assert life.follows() == []


def test_tells_why_a_head_was_lost_and_that_it_was_replaced() -> None:
    life = living()
    oom = Container(name="ray-head", state="terminated", reason="OOMKilled", exit_code=137)
    life.sees(replace(failed(head(version=30)), containers=(oom,)))

    assert life.follows() == ["head-lost", "degraded"]
    lost = life.told()[-2].data
    assert lost["because"] == f"head pod {head().meta.name} has ended (OOMKilled)"
    assert lost["pods"] == [{"name": head().meta.name, "group": "headgroup", "reason": "OOMKilled"}]

    other = head(version=40)
    life.sees(gone(head(), version=35))
    life.sees(replace(other, meta=replace(other.meta, uid="another")))
    assert life.follows() == ["head-replaced", "ready"]


def test_tells_which_workers_failed_and_of_what() -> None:
    life = living()
    first, _ = two()
    life.sees(failed(replace(first, meta=replace(first.meta, resource_version=50)), "Evicted"))

    assert life.follows() == ["workers-failed", "degraded"]
    notes = [told.data.get("pods") for told in life.told()]
    assert notes[-2] == [{"name": "demo-small-a", "group": "small", "reason": "Evicted"}]
    assert life.because() == "1 of 2 workers are ready: pod demo-small-a: Evicted"

    life.sees(gone(first, version=60), worker("demo-small-c", ready=True, version=61))
    assert life.follows() == ["workers-added", "ready"]


def test_a_worker_that_is_not_ready_for_a_while_is_no_loss_but_degrades() -> None:
    life = living()
    life.sees(worker("demo-small-a", ready=False, version=50))

    assert life.follows() == ["degraded"]
    assert life.because() == "1 of 2 workers are ready"
    life.sees(worker("demo-small-a", ready=True, version=51))
    assert life.follows() == ["ready"]


def test_growing_and_shrinking_is_not_degraded() -> None:
    life = living()
    life.wishes(3)
    assert life.follows() == []
    life.sees(worker("demo-small-c", ready=True, version=70))
    assert life.follows() == ["workers-added"]

    life.wishes(1)
    for name, version in (("demo-small-b", 80), ("demo-small-c", 81)):
        life.sees(deleting(worker(name, ready=True, version=70), version=version))
    assert life.follows() == ["workers-removed"]
    assert life.because() == "2 workers are gone"
    for name, version in (("demo-small-b", 90), ("demo-small-c", 91)):
        life.sees(gone(worker(name, ready=True), version=version))
    assert life.follows() == []


def test_a_suspension_takes_its_pods_without_further_words() -> None:
    life = living()
    seen = resource(life.spec, version=200, generation=2)
    life.sees(with_status(seen, suspending(2)))
    started = life.announces()
    life.sees(gone(head(), version=201), *(gone(pod, version=202) for pod in two()))
    during = life.announces()
    life.sees(
        with_status(replace(seen, meta=replace(seen.meta, resource_version=210)), suspended(2))
    )

    assert (started, during, life.announces()) == (["suspending"], [], ["suspended"])
    life.sees(replace(seen, meta=replace(seen.meta, resource_version=220, generation=3)))
    assert life.announces() == ["resumed"]


def test_an_upgrade_is_told_from_a_lost_head() -> None:
    old, new = (_hashed(head(), "one"), _hashed(head(), "two"))
    life = ClusterLife()
    life.sees(old, *two())
    life.follows()
    life.sees(gone(old, version=300))
    assert life.follows() == ["head-lost", "degraded"]
    life.sees(replace(new, meta=replace(new.meta, uid="new", resource_version=301)))

    assert life.follows() == ["upgraded", "ready"]


def _hashed(pod: PodSeen, value: str) -> PodSeen:
    stamp = {"ray.io/upgrade-strategy-recreate-hash": value}
    return replace(pod, meta=replace(pod.meta, annotations=stamp))
