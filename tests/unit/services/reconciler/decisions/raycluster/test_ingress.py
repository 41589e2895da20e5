"""The ingress: made when asked for, kept as the cluster says, never touched if it is another's."""

import pytest
from msgspec.structs import replace

from services.reconciler.decisions.raycluster import ingress
from shared.actions.objects import CreateObject, Notice, PatchObject, Words
from shared.actions.outcomes import Done, Occupied
from shared.events.objects import ChildSeen, ResourceSeen
from tests.support.builders import FORMER_UID, NOON, cluster_spec, owner, resource, template
from tests.support.concerns import ConcernPlot, child

NAME = "demo-head-ingress"
STAMP = {"heliograph.dev/act": "act-1"}
LABELS = {
    "ray.io/cluster": "demo",
    "ray.io/identifier": "demo-head",
    "app.kubernetes.io/name": "kuberay",
    "app.kubernetes.io/created-by": "kuberay-operator",
}


def spec(path: str = "/", **more: object) -> dict[str, object]:
    backend = {"service": {"name": "demo-head-svc", "port": {"number": 8265}}}
    paths = [{"path": path, "pathType": "Prefix", "backend": backend}]
    return {"rules": [{"http": {"paths": paths}}], **more}


def asking(annotations: dict[str, str] | None = None, *, on: bool = True) -> ResourceSeen:
    head = {"template": template(), "enableIngress": on}
    seen = resource(cluster_spec(headGroupSpec=head))
    return replace(seen, meta=replace(seen.meta, annotations=annotations or {}))


def live(wish: dict[str, object] | None = None, version: int = 10, **more: str) -> ChildSeen:
    """The ingress as we made it, with other annotations where a test says so."""
    seen = child("ingress", NAME, spec() if wish is None else wish, version=version)
    meta = replace(seen.meta, labels=LABELS, annotations={**STAMP, **more})
    return replace(seen, meta=meta)


def told() -> ConcernPlot:
    return ConcernPlot(ingress.ensure, marks=ingress.marks)


def patches(plot: ConcernPlot) -> list[dict[str, object]]:
    return [action.patch for action in plot.asks() if isinstance(action, PatchObject)]


def test_is_made_when_asked_for() -> None:
    plot = told()
    plot.sees(asking())

    (action,) = plot.asks()

    assert isinstance(action, CreateObject)
    assert (action.kind, action.name, action.notice) == (
        "ingress",
        NAME,
        Notice(
            done=Words(reason="CreatedIngress", message=f"Created ingress prod/{NAME}"),
            refused=Words(
                reason="FailedToCreateIngress", message=f"Failed creating ingress prod/{NAME}, "
            ),
            taken=Words(
                reason="FailedToCreateIngress",
                message=f"Ingress prod/{NAME} already exists and is not owned by this RayCluster; "
                "not modifying it",
            ),
        ),
    )


def test_is_left_alone_when_it_is_as_asked() -> None:
    plot = told()
    plot.sees(asking(), live())

    assert plot.left_alone()


def test_stays_as_it_is_when_it_is_no_longer_asked_for() -> None:
    plot = told()
    plot.sees(asking(on=False), live(spec("/old")))

    assert plot.left_alone()


def test_a_changed_spec_is_put_right_and_people_are_told() -> None:
    plot = told()
    plot.sees(asking(), live(spec("/old", defaultBackend={"service": {"name": "other"}})))

    (action,) = plot.asks()

    assert action == PatchObject(
        kind="ingress",
        name=NAME,
        uid=f"uid-of-{NAME}",
        patch={"spec": {"rules": spec()["rules"], "defaultBackend": None}},
        rule="ingress",
        because="the ingress is not as the cluster asks for it",
        notice=Notice(
            done=Words(reason="UpdatedIngress", message=f"Updated ingress prod/{NAME}"),
            refused=Words(
                reason="FailedToUpdateIngress", message=f"Failed updating ingress prod/{NAME}, "
            ),
        ),
    )


def test_drifted_labels_and_annotations_are_put_right() -> None:
    """Checklist 81: found by its name, whatever became of its labels; our stamps stay."""
    drifted = live(old="x")
    labels = {**LABELS, "ray.io/identifier": "wrong", "mine": "y"}
    plot = told()
    plot.sees(asking({"team": "ml"}), replace(drifted, meta=replace(drifted.meta, labels=labels)))

    assert patches(plot) == [
        {
            "metadata": {
                "labels": {"ray.io/identifier": "demo-head", "mine": None},
                "annotations": {"team": "ml", "old": None},
            }
        }
    ]


@pytest.mark.parametrize(
    ("annotations", "patch"),
    [
        ({}, []),
        ({"kubernetes.io/ingress.class": "nginx"}, []),
        (
            {"kubernetes.io/ingress.class": "traefik"},
            [{"spec": {"ingressClassName": "traefik"}}],
        ),
    ],
)
def test_a_class_is_kept_unless_another_is_asked_for(
    annotations: dict[str, str], patch: list[object]
) -> None:
    """Checklist 81: a class that somebody filled in is kept."""
    plot = told()
    plot.sees(asking(annotations), live(spec(ingressClassName="nginx")))

    assert patches(plot) == patch


def test_a_change_that_is_not_seen_yet_is_not_asked_for_again() -> None:
    plot = told()
    plot.sees(asking(), live(spec("/old")))
    plot.executes(plot.commits())

    assert plot.decides() is None


def test_a_change_that_does_not_show_is_not_repeated_until_the_ingress_changes() -> None:
    plot = told()
    plot.sees(asking(), live(spec("/old")))
    plot.answers(plot.commits(), Done(uid=f"uid-of-{NAME}", resource_version=10))
    assert plot.decides() is None
    again = replace(asking(), meta=replace(asking().meta, generation=2))
    plot.sees(again)
    assert plot.left_alone()

    plot.sees(live(spec("/older"), version=11))

    assert patches(plot) == [{"spec": {"rules": spec()["rules"]}}]


def test_an_ingress_of_somebody_else_is_left_alone_and_waited_for() -> None:
    """Checklist 81: a foreign ingress is untouched; the refusal is told as an event."""
    foreign = live(spec("/theirs"))
    plot = told()
    plot.sees(asking(), replace(foreign, meta=replace(foreign.meta, owners=(owner(FORMER_UID),))))
    occupied = Occupied(uid="other", resource_version=5, message="belongs to something else")
    plot.answers(plot.commits(), occupied)

    waiting = plot.commits()

    assert (waiting.actions, plot.decides()) == ((), None)


def test_one_on_its_way_out_is_neither_changed_nor_made() -> None:
    going = live(spec("/old"))
    plot = told()
    plot.sees(asking(), replace(going, meta=replace(going.meta, deleted_at=NOON)))

    assert plot.left_alone()


def test_a_second_change_is_made_like_the_first() -> None:
    plot = told()
    plot.sees(asking({"a": "1"}), live())
    act = plot.commits()
    plot.answers(act, Done(uid=f"uid-of-{NAME}", resource_version=11))
    plot.sees(live(version=11, a="1"))

    plot.sees(asking({"a": "2"}))
    assert patches(plot) == [{"metadata": {"annotations": {"a": "2"}}}]


def test_a_change_of_the_wish_right_after_the_creation_is_not_lost() -> None:
    plot = told()
    plot.sees(asking())
    plot.answers(plot.commits(), Done(uid=f"uid-of-{NAME}", resource_version=10))
    plot.sees(live(), asking({"a": "1"}))

    assert patches(plot) == [{"metadata": {"annotations": {"a": "1"}}}]
