"""Exactly one head, whatever is seen late, ends slowly or was called differently before."""

import pytest
from msgspec.structs import replace

from shared.actions.objects import Action, DeleteObject
from shared.actions.outcomes import Gone, Unknown
from tests.support.builders import (
    CONTEXT,
    FORMER_UID,
    HEAD_NAME,
    SETTINGS,
    annotated,
    condition,
    deleting,
    done,
    failed,
    gone,
    head,
    owned_by,
    resource,
    service,
    with_status,
)
from tests.support.plot import Plot

PROVISIONED = {"conditions": [condition("RayClusterProvisioned", "True", 1)]}


def told(actions: tuple[Action, ...]) -> list[tuple[str, str]]:
    return [(action.rule, getattr(action, "name", "")) for action in actions]


def with_service() -> Plot:
    plot = Plot()
    plot.sees(resource(), service())
    return plot


def test_a_cluster_without_a_head_gets_one() -> None:
    assert told(with_service().asks()) == [("head", HEAD_NAME)]


def test_a_head_of_any_name_and_in_any_state_is_the_head() -> None:
    for there in (
        head("made-by-somebody-else"),
        head(ready=False),
        deleting(head()),
        replace(head(), phase="Unknown"),
    ):
        plot = with_service()
        plot.sees(there)
        assert plot.left_alone()


def test_the_head_of_a_former_cluster_is_not_ours() -> None:
    plot = with_service()
    plot.sees(owned_by(head("former-head"), FORMER_UID))

    assert told(plot.asks()) == [("head", HEAD_NAME)]


def failing() -> Plot:
    plot = with_service()
    plot.sees(failed(head(version=10), "Evicted"))
    return plot


def test_a_failed_head_is_removed_as_it_was_seen_and_none_is_made_beside_it() -> None:
    """Checklist 88."""
    (removal,) = failing().asks()

    assert isinstance(removal, DeleteObject)
    assert (removal.name, removal.uid, removal.resource_version) == (
        HEAD_NAME,
        f"uid-of-{HEAD_NAME}",
        10,
    )
    assert removal.because == (
        f"head pod {HEAD_NAME} cannot recover: its status is Failed, Evicted, which is final"
    )


def test_while_the_old_head_ends_no_new_one_is_made() -> None:
    plot = failing()
    plot.answers(plot.commits(), done(HEAD_NAME, 20, deleting=True))

    assert plot.decides() is None

    plot.sees(deleting(failed(head()), version=20))

    assert plot.decides() is None

    plot.sees(gone(head(), version=21))

    assert told(plot.asks()) == [("head", HEAD_NAME)]


def test_while_nobody_knows_whether_the_old_head_ended_no_new_one_is_made() -> None:
    plot = failing()
    removal = plot.commits()
    plot.answers(removal, Unknown(error="timeout"))

    assert plot.decides() is None

    plot.fires(removal, "wake")

    assert told(plot.asks()) == [("confirm", HEAD_NAME)]


def test_a_head_that_was_read_as_gone_makes_room_although_the_watch_still_shows_it() -> None:
    plot = failing()
    removal = plot.commits()
    plot.answers(removal, Unknown(error="timeout"))
    plot.fires(removal, "wake")
    plot.answers(plot.commits(), Gone(resource_version=30))

    assert told(plot.asks()) == [("head", HEAD_NAME)]


def test_a_head_that_vanished_before_it_was_ever_seen_is_made_again_once_that_is_known() -> None:
    plot = with_service()
    plot.answers(plot.commits(), done(HEAD_NAME, 20))

    assert plot.decides() is None

    plot.sees(gone(head(), version=25))

    assert told(plot.asks()) == [("head", HEAD_NAME)]


@pytest.mark.parametrize(
    ("annotation", "status", "stays_away"),
    [
        ("true", PROVISIONED, True),
        ("false", PROVISIONED, False),
        ("true", {}, False),
    ],
)
def test_a_provisioned_head_stays_away_where_the_user_asks_for_it(
    annotation: str, status: dict[str, object], *, stays_away: bool
) -> None:
    plot = Plot()
    asked = annotated(resource(), disable_provisioned_head_restart=annotation)
    plot.sees(with_status(asked, status), service())

    assert plot.left_alone() is stays_away


def test_the_name_may_be_fixed_by_the_settings() -> None:
    settings = replace(
        SETTINGS, manifests=replace(SETTINGS.manifests, deterministic_head_pod_name=True)
    )
    plot = Plot(replace(CONTEXT, settings=settings))
    plot.sees(resource(), service())

    assert told(plot.asks()) == [("head", "demo-head")]
