"""The answers of several controllers become one."""

from datetime import UTC, datetime

from sandbox.controllers.world import CreateObject, RemoveObject, Steps, joined

FIRST = CreateObject(plural="pods", object={"metadata": {"name": "a"}})
SECOND = RemoveObject(plural="pods", namespace="default", name="b", uid="1")


def test_joins_changes_in_order_and_takes_the_nearest_moment() -> None:
    early, late = datetime(2026, 1, 1, tzinfo=UTC), datetime(2026, 1, 2, tzinfo=UTC)

    assert joined(
        [
            Steps(changes=(FIRST,), next_at=late),
            Steps(),
            Steps(changes=(SECOND,), next_at=early),
        ]
    ) == Steps(changes=(FIRST, SECOND), next_at=early)


def test_nothing_joined_is_nothing() -> None:
    assert joined([]) == Steps()
