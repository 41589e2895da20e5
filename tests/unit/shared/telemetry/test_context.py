"""What is bound to a piece of work, and for how long."""

import asyncio

import pytest

from shared.telemetry.context import about, current


def test_nothing_is_bound_at_first() -> None:
    assert dict(current()) == {}


def test_inner_bindings_add_to_outer_ones_and_end_with_their_block() -> None:
    with about(service="watcher", kind="Pod"):
        with about(kind="Service", resource="a/b"):
            assert current() == {"service": "watcher", "kind": "Service", "resource": "a/b"}
        assert current() == {"service": "watcher", "kind": "Pod"}
    assert dict(current()) == {}


def test_bindings_end_when_the_block_breaks() -> None:
    with pytest.raises(ZeroDivisionError), about(kind="Pod"):
        raise ZeroDivisionError
    assert dict(current()) == {}


async def test_tasks_side_by_side_do_not_see_each_other() -> None:
    async def seen(resource: str) -> object:
        with about(resource=resource):
            await asyncio.sleep(0)
            return current()["resource"]

    assert [*await asyncio.gather(seen("a"), seen("b"))] == ["a", "b"]
