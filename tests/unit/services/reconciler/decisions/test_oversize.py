"""A resource that is too large for the log: refused with a sentence, and left alone."""

from msgspec.structs import replace

from shared.actions.objects import DeleteObject, PostNotice
from shared.aggregates.troubles import troubles
from shared.events.objects import ResourceSeen
from tests.support.builders import being_deleted, cluster_spec, failed, group, resource, worker
from tests.support.plot import Plot

TOLD = (
    "the resource is too large: its record has 1234567 bytes and may have 900000. Please move "
    "what its pod templates hold as text into ConfigMaps or images"
)


def huge(generation: int = 1, version: int = 1, **left: object) -> ResourceSeen:
    return replace(
        resource(dict(left), generation=generation, version=version), bytes_left_out=1_234_567
    )


def test_people_are_told_and_nothing_is_touched() -> None:
    plot = Plot()
    plot.sees(huge(), failed(worker("w1")))

    act = plot.commits()
    (notice,) = act.actions

    assert isinstance(notice, PostNotice)
    assert notice.reason == "InvalidRayClusterSpec"
    assert notice.message.startswith("The RayCluster spec is invalid prod/demo: ")
    assert notice.message.endswith(TOLD)
    plot.executes(act)
    assert [one.message for one in troubles(plot.view())] == [f"spec: {TOLD}"]
    assert plot.decides() is None


def test_made_smaller_it_goes_on() -> None:
    plot = Plot()
    plot.sees(huge())
    plot.executes(plot.commits())
    plot.sees(resource(cluster_spec(group("small", 1)), generation=2, version=2))

    act = plot.commits()

    assert len([one for one in act.actions if not isinstance(one, PostNotice)]) == 3
    assert act.troubles == ()


def test_another_operators_is_left_to_it_however_large_or_odd() -> None:
    """A resource that cannot be read used to be judged whoever cared for it."""
    elsewhere = "kueue.x-k8s.io/multikueue"
    for seen in (huge(managedBy=elsewhere), resource({"managedBy": elsewhere, "x": 1})):
        plot = Plot()
        plot.sees(seen)

        assert plot.decides() is None


def test_a_deleted_one_is_let_go() -> None:
    plot = Plot()
    held = huge()
    finalizer = "ray.io/gcs-ft-redis-cleanup-finalizer"
    plot.sees(being_deleted(replace(held, meta=replace(held.meta, finalizers=(finalizer,)))))

    assert not any(isinstance(one, PostNotice | DeleteObject) for one in plot.asks())
