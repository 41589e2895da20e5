"""Workers that are named to go while their group shrinks, and groups that must not be suspended."""

from shared.actions.objects import CreateObject, DeleteObject
from tests.support.builders import cluster_spec, gone, group, head, resource, service, worker
from tests.support.plot import Plot

NAMED = {"scaleStrategy": {"workersToDelete": ["w1", "w2"]}}


def test_named_workers_that_are_surplus_are_not_replaced() -> None:
    """Checklist 86: replicas are lowered together with the names, so nobody takes their place."""
    plot = Plot()
    plot.sees(resource(cluster_spec(group("small", 1, **NAMED))), head(), service())
    plot.sees(worker("w1"), worker("w2"), worker("w3"))

    act = plot.commits()
    plot.executes(act)
    plot.sees(gone(worker("w1"), version=2000), gone(worker("w2"), version=2001))

    assert [one.name for one in act.actions if isinstance(one, DeleteObject)] == ["w1", "w2"]
    assert [one for one in act.actions if isinstance(one, CreateObject)] == []
    assert plot.asks() == ()


def test_with_an_autoscaler_a_suspended_group_keeps_its_workers() -> None:
    """Checklist 9: the edit makes no sense, which is told, and nothing that runs is touched."""
    spec = cluster_spec(group("small", 1, suspend=True), enableInTreeAutoscaling=True)
    plot = Plot()
    plot.sees(resource(spec), head(), service(), worker("w1"))

    asked = plot.asks()

    assert [type(one).__name__ for one in asked] == ["PostNotice"]
