"""The breaker in a running executor: held back in words, counted over replicas, let go."""

import asyncio
from datetime import timedelta

from heliograph.cli.approve import approve
from services.executor.breaker import REASON
from services.executor.budgets import Budgets
from services.executor.service import ExecutorSettings
from shared.actions.outcomes import Done, Refused
from shared.events import subjects
from shared.events.approvals import FLEET, HELD
from tests.support.builders import KEY, being_deleted, resource
from tests.unit.services.executor.acted import World, deletion_of

TWO = ExecutorSettings(budgets=Budgets(window=timedelta(minutes=10), fleet=2))
HOUR = timedelta(hours=1)


async def test_what_is_beyond_the_budget_stays_and_the_refusal_says_why() -> None:
    world = World()
    pods = [world.pod(f"w{number}") for number in range(3)]
    await world.ask(*(deletion_of(pod) for pod in pods))
    async with world.executing(wishes=TWO):
        outcomes = await world.outcomes()

    assert [type(one) for one in outcomes] == [Done, Done, Refused]
    refused = outcomes[-1]
    assert isinstance(refused, Refused)
    assert (refused.code, refused.reason) == (429, REASON)
    assert refused.message.startswith(HELD)
    assert world.names() == ["w2"]


async def test_another_executor_knows_what_the_first_did() -> None:
    world = World()
    first, second, third = (world.pod(f"w{number}") for number in range(3))
    await world.ask(deletion_of(first), deletion_of(second))
    async with world.executing(wishes=TWO):
        await world.outcomes()
    await world.ask(deletion_of(third), id_="act-2")
    async with world.executing(world.server.connect("another"), wishes=TWO):
        outcomes = await world.outcomes("act-2")

    assert [type(one) for one in outcomes] == [Refused]


async def test_an_approval_lets_it_go_on() -> None:
    world = World()
    pods = [world.pod(f"w{number}") for number in range(3)]
    await approve(world.bus, FLEET, HOUR, "meant")
    await world.ask(*(deletion_of(pod) for pod in pods))
    async with world.executing(wishes=TWO):
        outcomes = await world.outcomes()

    assert [type(one) for one in outcomes] == [Done, Done, Done]


async def test_an_approval_that_ran_out_lets_nothing_go_on_at_a_start() -> None:
    """It was the last thing in the log, and was taken for a moment ago when it was read."""
    world = World()
    pods = [world.pod(f"w{number}") for number in range(3)]
    await approve(world.bus, FLEET, HOUR, "meant")
    await asyncio.sleep(2 * HOUR.total_seconds())
    await world.ask(*(deletion_of(pod) for pod in pods))
    async with world.executing(wishes=TWO):
        outcomes = await world.outcomes()

    assert [type(one) for one in outcomes] == [Done, Done, Refused]


async def test_what_a_user_deletes_is_not_held_back() -> None:
    world = World()
    pods = [world.pod(f"w{number}") for number in range(3)]
    await world.write(subjects.own(KEY), being_deleted(resource(version=6)))
    await world.ask(*(deletion_of(pod) for pod in pods), deleting=True)
    async with world.executing(wishes=TWO):
        outcomes = await world.outcomes()

    assert [type(one) for one in outcomes] == [Done, Done, Done]
