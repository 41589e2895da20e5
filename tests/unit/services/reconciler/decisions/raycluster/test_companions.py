"""Everything beside the pods at once: asked for together, in order, and then left alone."""

from msgspec.structs import replace

from services.reconciler.decisions.decision import Context
from services.reconciler.decisions.raycluster import (
    access,
    auth_secret,
    head,
    ingress,
    services,
    storage,
)
from services.reconciler.decisions.raycluster.situation import Situation
from shared.actions.objects import ConfirmObject, CreateObject
from shared.events.objects import ResourceSeen
from shared.kernel.features import EMBEDDED_STORAGE, Features
from tests.support.builders import (
    HEAD_NAME,
    SETTINGS,
    annotated,
    cluster_spec,
    group,
    resource,
    template,
)
from tests.support.concerns import ConcernPlot

OPEN = replace(SETTINGS, features=Features(enabled=frozenset({EMBEDDED_STORAGE})))


def marks(found: Situation) -> tuple[str, ...]:
    carried = (ingress.marks, auth_secret.marks, storage.marks, services.marks)
    return tuple(mark for concern in carried for mark in concern(found))


def told() -> ConcernPlot:
    return ConcernPlot(
        access.ensure,
        ingress.ensure,
        auth_secret.ensure,
        storage.ensure,
        services.ensure,
        head.ensure,
        marks=marks,
        because=storage.because,
        context=Context(settings=OPEN, session="session-1"),
    )


def everything() -> ResourceSeen:
    spec = cluster_spec(
        group("wide", 0, numOfHosts=2),
        rayVersion="2.52.0",
        enableInTreeAutoscaling=True,
        authOptions={"mode": "token"},
        gcsFaultToleranceOptions={"backend": "rocksdb", "storage": {"deletionPolicy": "Retain"}},
        headGroupSpec={"template": template(), "enableIngress": True},
    )
    return annotated(resource(spec), enable_serve_service="true")


def test_everything_is_asked_for_at_once_and_the_head_last() -> None:
    plot = told()
    plot.sees(everything())

    act = plot.commits()

    made = [(one.kind, one.name) for one in act.actions if isinstance(one, CreateObject)]
    assert made == [
        ("serviceaccount", "demo"),
        ("role", "demo"),
        ("rolebinding", "demo"),
        ("ingress", "demo-head-ingress"),
        ("secret", "demo"),
        ("persistentvolumeclaim", "demo-gcs-pvc"),
        ("service", "demo-head-svc"),
        ("service", "demo-headless"),
        ("service", "demo-serve-svc"),
        ("pod", HEAD_NAME),
    ]
    assert len(act.manifests) == len(made)


def test_nothing_is_asked_for_twice_however_long_it_stays_unseen() -> None:
    plot = told()
    plot.settles(everything())
    act = plot.view().act
    assert act is not None

    plot.fires(act, "wake")

    assert {type(action) for action in plot.asks()} == {ConfirmObject}
