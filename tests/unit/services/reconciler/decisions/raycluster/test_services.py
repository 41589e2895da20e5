"""Services: made if they are missing, never changed, never made twice."""

import pytest
from msgspec.structs import replace

from services.reconciler.decisions.raycluster import services
from shared.actions.objects import PostNotice
from tests.support.builders import (
    FORMER_UID,
    SERVICE_NAME,
    annotated,
    cluster_spec,
    done,
    gone,
    group,
    head,
    owner,
    resource,
    service,
    template,
)
from tests.support.concerns import ConcernPlot
from tests.support.plot import Plot

MULTI_HOST = cluster_spec(group("wide", 0, numOfHosts=2))


def rules(plot: Plot) -> list[tuple[str, str]]:
    return [(action.rule, getattr(action, "name", "")) for action in plot.asks()]


def test_a_missing_service_is_made() -> None:
    plot = Plot()
    plot.sees(resource(), head())

    assert rules(plot) == [("head_service", SERVICE_NAME)]


def test_a_head_service_of_any_name_is_enough() -> None:
    plot = Plot()
    plot.sees(resource(), head(), service("made-by-somebody-else"))

    assert plot.left_alone()


def test_a_service_that_is_done_and_not_seen_is_not_made_again() -> None:
    plot = Plot()
    plot.sees(resource(), head())
    plot.answers(plot.commits(), done(SERVICE_NAME, 20))

    assert plot.decides() is None


def test_a_service_that_somebody_removed_comes_back() -> None:
    plot = Plot()
    plot.sees(resource(), head(), service(), gone(service()))

    assert rules(plot) == [("head_service", SERVICE_NAME)]


def test_the_service_of_a_former_cluster_is_not_ours() -> None:
    former = replace(service(), meta=replace(service().meta, owners=(owner(FORMER_UID),)))
    plot = Plot()
    plot.sees(resource(), head(), former)

    assert rules(plot) == [("head_service", SERVICE_NAME)]


def test_the_user_may_name_the_service() -> None:
    named = {"metadata": {"name": "front"}}
    spec = cluster_spec(headGroupSpec={"template": template(), "headService": named})
    plot = Plot()
    plot.sees(resource(spec), head())

    assert rules(plot) == [("head_service", "front")]


def test_hosts_of_a_replica_get_a_service_to_find_each_other_once() -> None:
    """Checklist 78: the headless service is made where a group has several hosts, and once."""
    plot = ConcernPlot(services.ensure, marks=services.marks)
    plot.sees(resource(MULTI_HOST), service())
    assert rules(plot) == [("headless_service", "demo-headless")]

    act = plot.commits()
    plot.answers(act, done("demo-headless", 20))
    assert plot.decides() is None

    headless = service("demo-headless", version=20)
    labels = {"ray.io/headless-worker-svc": "demo"}
    plot.sees(replace(headless, meta=replace(headless.meta, labels=labels)))
    assert plot.decides() is None


def test_single_hosts_need_no_headless_service() -> None:
    plot = ConcernPlot(services.ensure)
    plot.sees(resource(cluster_spec(group("narrow", 0))), service())

    assert plot.left_alone()


@pytest.mark.parametrize(("value", "made"), [("true", 1), ("True", 0), ("false", 0)])
def test_a_serve_service_is_made_for_the_exact_word(value: str, made: int) -> None:
    plot = ConcernPlot(services.ensure)
    plot.sees(annotated(resource(), enable_serve_service=value), service())

    assert rules(plot) == [("serve_service", "demo-serve-svc")] * made


def test_a_serve_service_that_is_there_is_left_alone() -> None:
    serve = service("demo-serve-svc")
    plot = ConcernPlot(services.ensure)
    plot.sees(annotated(resource(), enable_serve_service="true"), service(), serve)

    assert plot.left_alone()


def test_a_head_without_a_serve_port_gets_a_warning_once() -> None:
    ray = {"name": "ray", "image": "ray:2", "ports": [{"name": "server", "containerPort": 1}]}
    spec = cluster_spec(headGroupSpec={"template": {"spec": {"containers": [ray]}}})
    plot = ConcernPlot(services.ensure, marks=services.marks)
    plot.sees(annotated(resource(spec), enable_serve_service="true"), service())

    (warning,) = plot.asks()

    assert isinstance(warning, PostNotice)
    assert warning.message.startswith("Please specify a port named 'serve'")
    plot.executes(plot.commits())
    assert plot.decides() is None
