"""The head service: made if it is missing, never changed, never made twice."""

from msgspec.structs import replace

from tests.support.builders import (
    FORMER_UID,
    SERVICE_NAME,
    cluster_spec,
    done,
    gone,
    head,
    owner,
    resource,
    service,
    template,
)
from tests.support.plot import Plot


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
