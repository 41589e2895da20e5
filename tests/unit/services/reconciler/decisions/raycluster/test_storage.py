"""The store's claim: made once, never made anew, given up when it shall outlive the cluster."""

from msgspec.structs import replace

from services.reconciler.decisions.decision import Context
from services.reconciler.decisions.raycluster import storage
from shared.actions.objects import CreateObject, Notice, PatchObject, PostNotice, Words
from shared.actions.outcomes import Occupied
from shared.events.objects import ChildSeen, Owner, ResourceSeen
from shared.kernel.features import EMBEDDED_STORAGE, Features
from tests.support.builders import CONTEXT, NOON, QUOTA, SETTINGS, cluster_spec, done, resource
from tests.support.concerns import ConcernPlot, child

NAME = "demo-gcs-pvc"
KIND = "persistentvolumeclaim"
OPEN = replace(SETTINGS, features=Features(enabled=frozenset({EMBEDDED_STORAGE})))
THERE = Occupied(uid="uid-of-claim", resource_version=20, message="belongs to something else")


def asking(**wish: object) -> ResourceSeen:
    options = {"backend": "rocksdb", "storage": wish}
    return resource(cluster_spec(gcsFaultToleranceOptions=options))


def changed(seen: ResourceSeen) -> ResourceSeen:
    return replace(seen, meta=replace(seen.meta, generation=2))


def claim(size: str = "1Gi", *modes: str, **more: object) -> ChildSeen:
    spec = {"accessModes": list(modes) or ["ReadWriteOnce"], **more}
    return child(KIND, NAME, {**spec, "resources": {"requests": {"storage": size}}})


def told() -> ConcernPlot:
    context = Context(settings=OPEN, session=CONTEXT.session)
    return ConcernPlot(
        storage.ensure, marks=storage.marks, because=storage.because, context=context
    )


def warnings(plot: ConcernPlot) -> list[str]:
    return [action.message for action in plot.asks() if isinstance(action, PostNotice)]


def test_a_missing_claim_is_made() -> None:
    plot = told()
    plot.sees(asking())

    (action,) = plot.asks()

    assert isinstance(action, CreateObject)
    assert (action.kind, action.name, action.notice) == (
        KIND,
        NAME,
        Notice(
            done=Words(reason="CreatedPVC", message=f"Created GCS storage PVC prod/{NAME}"),
            refused=Words(
                reason="FailedToCreatePVC",
                message=f"Failed to create GCS storage PVC prod/{NAME}, ",
            ),
        ),
    )


def test_a_claim_that_the_user_names_is_theirs() -> None:
    plot = told()
    plot.sees(asking(claimName="theirs"))

    assert plot.left_alone()


def test_no_claim_is_made_for_redis() -> None:
    plot = told()
    plot.sees(resource(cluster_spec(gcsFaultToleranceOptions={"redisAddress": "redis:6379"})))

    assert plot.left_alone()


def test_a_claim_that_is_as_wished_is_left_alone() -> None:
    """Checklist 83: no drift by a class that nobody asked for or another spelling of a size."""
    plot = told()
    plot.sees(
        asking(accessModes=["ReadWriteMany", "ReadWriteOnce"]),
        claim("1024Mi", "ReadWriteOnce", "ReadWriteMany", storageClassName="standard"),
    )

    assert plot.left_alone()


def test_drift_is_told_once_per_generation_and_nothing_is_changed() -> None:
    """Checklist 83: a claim that differs is never made anew; people are told."""
    wish = {"size": "2Gi", "accessModes": ["ReadWriteMany"], "storageClassName": "fast"}
    plot = told()
    plot.sees(asking(**wish), claim(storageClassName="slow"))
    drift = (
        "size is 1Gi, not 2Gi; access modes are ReadWriteOnce, not ReadWriteMany; "
        "storage class is slow, not fast"
    )
    message = (
        f"GCS storage PVC prod/{NAME} already exists and cannot be reconfigured in place "
        f"({drift}); delete the PVC to recreate it with the new settings"
    )
    assert warnings(plot) == [message]
    plot.executes(plot.commits())
    assert plot.decides() is None

    plot.sees(changed(asking(**wish)))

    assert warnings(plot) == [message]


def test_a_claim_that_shall_outlive_the_cluster_loses_its_owner() -> None:
    """Checklist 83: with Retain the owner reference goes."""
    plot = told()
    plot.sees(asking(deletionPolicy="Retain"), claim())

    assert plot.asks() == (
        PatchObject(
            kind=KIND,
            name=NAME,
            uid=f"uid-of-{NAME}",
            resource_version=10,
            patch={"metadata": {"ownerReferences": None}},
            rule="storage",
            because="the claim shall outlive the cluster",
        ),
    )


def test_a_claim_that_was_given_up_is_not_made_again() -> None:
    plot = told()
    plot.sees(asking(deletionPolicy="Retain"), claim())
    given_up = plot.commits()
    plot.answers(given_up, done(NAME, 20))
    noted = plot.commits()
    assert (noted.actions, noted.because) == ((), (f"claim {NAME} is there and has no owner",))
    assert plot.decides() is None

    plot.fires(noted, "wake")
    plot.answers(plot.commits(), THERE)

    assert plot.decides() is None


def test_a_claim_with_other_owners_keeps_them() -> None:
    seen = claim()
    other = Owner(kind="Backup", name="nightly", uid="uid-of-backup")
    plot = told()
    plot.sees(
        asking(deletionPolicy="Retain"),
        replace(seen, meta=replace(seen.meta, owners=(*seen.meta.owners, other))),
    )

    assert plot.left_alone()


def test_a_claim_of_an_earlier_cluster_is_used_and_asked_for_once() -> None:
    plot = told()
    plot.sees(asking(deletionPolicy="Retain"))
    plot.answers(plot.commits(), THERE)

    noted = plot.commits()

    assert (noted.actions, noted.troubles, plot.decides()) == ((), (), None)


def test_a_claim_without_owner_cannot_be_taken_back_and_people_are_told() -> None:
    plot = told()
    plot.sees(asking(deletionPolicy="Retain"))
    plot.answers(plot.commits(), THERE)
    plot.commits()

    plot.sees(changed(asking()))

    told_once = "has no owner and stays when the cluster goes; delete it by hand"
    assert warnings(plot) == [f"GCS storage PVC prod/{NAME} {told_once}"]
    plot.executes(plot.commits())
    assert plot.decides() is None


def test_a_refused_claim_is_tried_again_later() -> None:
    plot = told()
    plot.sees(asking(deletionPolicy="Retain"))
    plot.answers(plot.commits(), QUOTA)
    waiting = plot.commits()
    assert (waiting.actions, plot.decides()) == ((), None)

    plot.fires(waiting, "retry")

    assert [type(action) for action in plot.asks()] == [CreateObject]


def test_a_claim_on_its_way_out_still_holds_its_name() -> None:
    seen = claim("5Gi")
    plot = told()
    plot.sees(
        asking(deletionPolicy="Retain"), replace(seen, meta=replace(seen.meta, deleted_at=NOON))
    )

    assert plot.left_alone()
