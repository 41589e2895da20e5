"""The finalizer: set before anything else is done, removed where nobody needs it."""

import pytest
from msgspec.structs import replace

from services.reconciler.decisions.decision import Context
from shared.actions.objects import PatchObject
from shared.events.objects import ResourceSeen
from shared.kernel.features import EMBEDDED_STORAGE, Features
from tests.support.builders import (
    CONTEXT,
    HEAD_NAME,
    KEY,
    SETTINGS,
    annotated,
    head,
    resource,
    suspending,
    with_status,
)
from tests.support.leaving import (
    CONFLICT,
    OURS,
    UNUSED,
    Raw,
    asked,
    finalizers,
    leaving,
    listed,
    plot_of,
    tolerant,
)

ROCKSDB: Raw = {"backend": "rocksdb"}
EMBEDDED = Context(
    settings=replace(SETTINGS, features=Features(enabled=frozenset({EMBEDDED_STORAGE}))),
    session="session-1",
)


def as_of(seen: ResourceSeen, version: int) -> ResourceSeen:
    return replace(seen, meta=replace(seen.meta, resource_version=version))


def test_the_finalizer_is_set_before_anything_else_is_done() -> None:
    """Checklist 19: the finalizer is written before any pod exists."""
    plot = plot_of(tolerant("other"))

    act = plot.commits()

    assert asked(act.actions) == [("PatchObject", "raycluster", KEY.name)]
    assert finalizers(act) == listed("other", OURS)
    plot.executes(act)
    assert plot.decides() is None
    plot.sees(as_of(tolerant("other", OURS), 1000))
    assert ("CreateObject", "pod", HEAD_NAME) in asked(plot.asks())


def test_the_older_annotation_asks_for_the_finalizer_too() -> None:
    """Checklist 19: fault tolerance by annotation counts."""
    plot = plot_of(annotated(resource(), ft_enabled="True"))

    assert finalizers(plot.commits()) == listed(OURS)


def test_without_cleanup_no_finalizer_is_set() -> None:
    """Checklist 19: switched off, the finalizer is skipped."""
    plot = plot_of(tolerant(), context=UNUSED)

    assert {action.rule for action in plot.asks()} == {"head_service", "head"}


def test_a_finalizer_that_came_too_late_is_tried_again() -> None:
    plot = plot_of(tolerant())
    plot.answers(plot.commits(), CONFLICT)

    act = plot.commits()

    assert (act.actions, [timer.name for timer in act.timers]) == ((), ["retry", "refresh"])
    plot.fires(act, "retry")
    assert finalizers(plot.commits()) == listed(OURS)


def test_the_change_rests_on_the_status_that_we_wrote() -> None:
    plot = plot_of(tolerant())
    plot.writes_status({"state": "ready"}, 7)

    (patch,) = plot.asks()

    assert isinstance(patch, PatchObject)
    assert patch.resource_version == 7


def test_a_suspending_cluster_is_protected_first() -> None:
    plot = plot_of(with_status(tolerant(suspend=True), suspending(1)))
    plot.sees(head())

    assert finalizers(plot.commits()) == listed(OURS)


def test_data_on_a_volume_needs_no_finalizer() -> None:
    """Checklist 20: embedded storage never gets the finalizer."""
    plot = plot_of(tolerant(options=ROCKSDB), context=EMBEDDED)

    assert "deletion" not in {action.rule for action in plot.asks()}


@pytest.mark.parametrize("context", [CONTEXT, UNUSED])
def test_a_stale_finalizer_of_data_on_a_volume_is_removed(context: Context) -> None:
    """Checklist 20: embedded storage loses a stale finalizer on deletion, whatever is switched."""
    plot = plot_of(leaving("other", OURS, options=ROCKSDB), context=context)

    assert finalizers(plot.commits()) == listed("other")


def test_a_finalizer_that_nobody_needs_any_more_is_removed() -> None:
    plot = plot_of(leaving(OURS), context=UNUSED)
    act = plot.commits()

    assert asked(act.actions) == [("PatchObject", "raycluster", KEY.name)]
    plot.executes(act)
    assert plot.decides() is None
