"""A resource over which the rules break: said once, and over when they hold or its spec changes."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from services.reconciler.decisions import decide as decisions
from services.reconciler.decisions.decision import Context, Draft
from services.reconciler.service import Reconciler
from shared.aggregates.view import View
from shared.events import subjects
from shared.events.codec import decode
from shared.events.objects import ObjectGone
from shared.events.records import Parked
from shared.ports.event_log import FromSequence
from tests.support.builders import (
    FORMER_UID,
    HEAD_NAME,
    KEY,
    SERVICE_NAME,
    UID,
    cluster_spec,
    resource,
)
from tests.unit.services.reconciler.test_service import (
    MINUTE,
    REFRESH,
    SHORT,
    acts,
    created,
    reconciling,
)
from tests.unit.shared.following.followed import World

WHERE = "LookupError in services.reconciler.decisions.decide.decide"
GONE = ObjectGone(kind="raycluster", name=KEY.name, uid=UID, resource_version=5)
SOMEBODY_ELSES = resource(cluster_spec(managedBy="kueue.x-k8s.io/multikueue"))


@contextmanager
def broken_rules(over: int = 1) -> Iterator[None]:
    """The rules break over one generation, with a secret on their lips."""
    usual = decisions.DRAFTERS["raycluster"]

    def drafted(view: View, context: Context) -> Draft | None:
        if view.own is not None and view.own.meta.generation == over:
            raise LookupError("s3cret")
        return usual(view, context)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(decisions, "DRAFTERS", {"raycluster": drafted})
        yield


async def parked(world: World) -> list[str]:
    """Return where the rules broke, as the log tells it."""
    read = world.writer.log.read((subjects.parked(KEY),), FromSequence(1))
    bodies = [decode(message).envelope.body async for message in read]
    return [body.where for body in bodies if isinstance(body, Parked)]


async def test_it_is_said_once_however_often_they_break_and_a_new_spec_is_tried_at_once(
    caplog: pytest.LogCaptureFixture,
) -> None:
    world = World()
    await world.list_all()
    await world.see()
    with broken_rules():
        async with reconciling(world):
            await asyncio.sleep(MINUTE)
            before = await acts(world)
            await world.see(generation=2)
            await asyncio.sleep(1)
            [decided] = await acts(world)

    assert before == []
    assert await parked(world) == [WHERE]
    assert [one.message for one in caplog.records].count("resource set aside") > 1
    assert created(decided) == [SERVICE_NAME, HEAD_NAME]


async def test_that_the_rules_hold_again_is_said_although_there_is_nothing_to_decide() -> None:
    world = World()
    await world.list_all()
    await world.write(subjects.own(KEY), SOMEBODY_ELSES, KEY)
    async with reconciling(world):
        before = await parked(world)
        with broken_rules():
            await world.write(subjects.own(KEY), SOMEBODY_ELSES, KEY)
            await asyncio.sleep(0.5)
        broken = await parked(world)
        await asyncio.sleep(MINUTE)

    assert (before, broken) == ([], [WHERE])
    assert await parked(world) == [WHERE, ""]
    assert await acts(world) == []


async def test_nothing_is_parked_any_more_that_was_deleted_before_anything_was_decided() -> None:
    world = World()
    await world.list_all()
    await world.see()
    with broken_rules():
        async with reconciling(world):
            await world.write(subjects.own(KEY), GONE, KEY)
            await asyncio.sleep(MINUTE)

    assert await parked(world) == [WHERE, ""]


async def test_it_is_said_again_of_one_of_the_same_name_and_before_it_ages_out() -> None:
    world = World()
    await world.list_all()
    await world.see()
    other = resource(version=9, uid=FORMER_UID)
    with broken_rules():
        async with reconciling(world, chosen=SHORT):
            await world.write(subjects.own(KEY), other, KEY)
            await asyncio.sleep(MINUTE)
            told = await parked(world)
            await asyncio.sleep(REFRESH * 2)

    assert told == [WHERE, WHERE]
    assert len(await parked(world)) > len(told)
    assert set(await parked(world)) == {WHERE}


async def test_what_breaks_beside_the_rules_is_not_laid_to_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    world = World()
    await world.list_all()
    await world.see()

    async def full(*_: object) -> None:
        raise OSError("no space left")

    monkeypatch.setattr(Reconciler, "_record_settings", full)
    async with reconciling(world):
        await asyncio.sleep(MINUTE)

    assert await parked(world) == []
