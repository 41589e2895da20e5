"""A RayCluster as KubeRay's metrics tell of it."""

from datetime import timedelta

from msgspec.structs import replace

from services.status.metrics.clusters import ClusterShown, shown
from tests.support.builders import KEY, UID, gone, head, resource, worker
from tests.support.history import History
from tests.unit.services.status.conditions.assessed import TWO_WORKERS, Told

YOUNG = ClusterShown(
    name=KEY.name,
    namespace=KEY.namespace,
    uid=UID,
    owner_kind="None",
    provisioned=False,
    provisioned_after=None,
)


def test_a_young_cluster_is_not_provisioned() -> None:
    history = History()
    history.sees(resource())

    assert shown(history.view()) == YOUNG


def test_tells_what_a_cluster_was_made_from() -> None:
    labels = {"ray.io/originated-from-crd": "RayJob"}
    seen = resource()
    history = History()
    history.sees(replace(seen, meta=replace(seen.meta, labels=labels)))

    assert shown(history.view()) == replace(YOUNG, owner_kind="RayJob")


def test_tells_how_long_it_took_from_the_written_status_on() -> None:
    """Checklist 107."""
    history = Told()
    history.sees(resource(TWO_WORKERS), head(), worker("w1"))
    history.closes("active/0")
    history.tells()
    history.passes(75)
    history.sees(worker("w2"))
    before = shown(history.view())
    history.tells()
    history.passes(600)
    history.sees(worker("w2", ready=False, version=11))

    assert before == YOUNG
    assert shown(history.view()) == replace(
        YOUNG, provisioned=True, provisioned_after=timedelta(seconds=75)
    )


def test_what_is_gone_is_not_shown() -> None:
    """Checklist 107."""
    history = History()
    history.sees(resource(), replace(gone(head()), kind=KEY.kind, name=KEY.name, uid=UID))

    assert shown(history.view()) is None
