"""OpenShift: a route where a cluster asks for an ingress, made once and left alone."""

import pytest
from msgspec.structs import replace

from services.reconciler.decisions.raycluster import ingress, route
from services.reconciler.decisions.settings import DecisionSettings, digest_of
from shared.actions.objects import CreateObject, Notice, Words
from shared.events.objects import ResourceSeen
from tests.support.builders import CONTEXT, SETTINGS, cluster_spec, resource, template
from tests.support.concerns import ConcernPlot, child

OPENSHIFT = replace(CONTEXT, settings=replace(SETTINGS, openshift_routes=True))
NAME = "demo-head-route"


def asking(*, on: bool = True) -> ResourceSeen:
    return resource(cluster_spec(headGroupSpec={"template": template(), "enableIngress": on}))


def told() -> ConcernPlot:
    return ConcernPlot(ingress.ensure, route.ensure, marks=ingress.marks, context=OPENSHIFT)


def test_a_route_is_made_instead_of_an_ingress() -> None:
    plot = told()
    plot.sees(asking())

    act = plot.commits()
    (action,) = act.actions

    assert isinstance(action, CreateObject)
    assert (action.kind, action.name, action.notice) == (
        "route",
        NAME,
        Notice(
            done=Words(reason="CreatedRoute", message=f"Created route prod/{NAME}"),
            refused=Words(
                reason="FailedToCreateRoute", message=f"Failed creating route prod/{NAME}, "
            ),
        ),
    )
    assert act.manifests["route"]["kind"] == "Route"
    plot.executes(act)
    assert plot.decides() is None


@pytest.mark.parametrize("name", [NAME, "of-another-name"])
def test_any_route_of_the_cluster_will_do(name: str) -> None:
    plot = told()
    plot.sees(asking(), child("route", name))

    assert plot.left_alone()


def test_none_is_made_where_none_is_asked_for() -> None:
    plot = told()
    plot.sees(asking(on=False))

    assert plot.left_alone()


def test_elsewhere_there_are_no_routes() -> None:
    plot = ConcernPlot(ingress.ensure, route.ensure, marks=ingress.marks)
    plot.sees(asking())

    assert [action.kind for action in plot.asks() if isinstance(action, CreateObject)] == [
        "ingress"
    ]


def test_settings_of_earlier_days_keep_their_name() -> None:
    """A digest is in every act: a field that nobody set must not change it."""
    earlier = DecisionSettings(manifests=SETTINGS.manifests)

    assert digest_of(SETTINGS) == digest_of(earlier) != digest_of(OPENSHIFT.settings)
    assert OPENSHIFT.settings.surroundings.openshift_routes
