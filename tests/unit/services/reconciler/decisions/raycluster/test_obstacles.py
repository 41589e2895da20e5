"""Two of what there should be one of: nothing is deleted, people are told, the rest goes on."""

from msgspec.structs import replace

from shared.actions.objects import CreateObject, DeleteObject
from shared.aggregates.troubles import troubles
from shared.events.objects import ServiceSeen
from tests.support.builders import (
    HEAD_NAME,
    cluster_spec,
    gone,
    group,
    head,
    resource,
    service,
    worker,
)
from tests.support.plot import Plot

PODS = f"2 head pods found [another {HEAD_NAME}]. Please delete extra head pods"
SERVICES = "2 head service found [demo-head-svc other]"


def head_service(name: str) -> ServiceSeen:
    seen = service(name)
    labels = {**seen.meta.labels, "ray.io/identifier": "demo-head"}
    return replace(seen, meta=replace(seen.meta, labels=labels))


def messages(plot: Plot) -> list[str]:
    return [one.message for one in troubles(plot.view())]


def test_two_head_pods_are_told_and_neither_is_deleted() -> None:
    plot = Plot()
    plot.sees(resource(cluster_spec(group("small", 1))), service(), head(), head("another"))

    act = plot.commits()

    assert messages(plot) == [PODS]
    assert not any(isinstance(action, DeleteObject) for action in act.actions)
    assert [one.group for one in act.actions if isinstance(one, CreateObject)] == ["small"]


def test_it_is_told_once_and_taken_back_when_one_is_gone() -> None:
    plot = Plot()
    plot.sees(resource(), service(), head(), head("another"))
    plot.commits()

    assert plot.decides() is None
    plot.sees(gone(head("another")))
    act = plot.commits()

    assert (act.because, messages(plot)) == ((f"no longer: {PODS}",), [])
    assert plot.decides() is None


def test_two_head_services_are_told() -> None:
    """Checklist 77."""
    plot = Plot()
    plot.sees(resource(), head_service("demo-head-svc"), head_service("other"), head())
    plot.commits()

    assert messages(plot) == [SERVICES]
    assert plot.decides() is None


def test_a_service_that_is_only_of_the_heads_type_is_no_second_head_service() -> None:
    plot = Plot()
    plot.sees(resource(), head_service("demo-head-svc"), service("other"), head(), worker("w1"))
    plot.commits()

    assert messages(plot) == []
