"""Bugs planted on purpose, one at a time: the simulation must find each of them.

A mutant takes away one of the safeguards that the invariants rest on. One that no seed finds means
that nothing watches over that safeguard. `python -m tests.simulation --mutants` runs them all.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from datetime import timedelta
from types import MappingProxyType
from typing import Any
from unittest.mock import patch

from msgspec.structs import replace

from services.executor.footing import Footing
from services.executor.performing import Performer
from services.executor.service import Executor
from services.executor.standing import Standing, Stands, Superseded, standing
from services.reconciler.decisions.raycluster import worker_groups, workers
from services.scheduler.service import Scheduler
from services.status.service import Status
from services.watcher.publishing import Publisher
from services.watcher.sources.session import Session
from shared.actions.objects import DeleteObject
from shared.actions.outcomes import Done, Occupied, Unknown
from shared.aggregates import expectations
from shared.aggregates.view import view
from shared.bus.commit import commit
from shared.events import subjects
from shared.following.sessions import Sessions
from shared.kube.kinds import KINDS
from shared.ports.cluster import ClusterUnavailable, Listing
from tests.simulation import ray_mutants, telling_mutants

Plant = Callable[[], AbstractContextManager[object]]


def carries_out_what_was_overtaken() -> AbstractContextManager[object]:
    """Do what an act says although its resource was changed since."""

    def lenient(*records: Any) -> Standing:
        found = standing(*records)
        return found if isinstance(found, Superseded) else Stands()

    return patch("services.executor.service.standing", lenient)


@contextmanager
def carries_out_what_was_replaced() -> Iterator[None]:
    """Do what an act says although there is a newer one.

    An act whose time is over is left alone as well, and it is over before a new act replaces it: so
    either guard makes up for the other, and both are taken away.
    """
    with (
        patch("services.executor.service.standing", lambda *_: Stands()),
        patch.object(Executor, "_time_is_over", lambda *_: False),
    ):
        yield


def forgets_what_it_expects() -> AbstractContextManager[object]:
    """Take what is not seen for not done: a slow watch makes a second worker."""
    return patch("shared.aggregates.view.in_flight", lambda *_: ())


def takes_no_answer_for_a_failure() -> AbstractContextManager[object]:
    """Expect nothing of a creation whose answer was lost."""
    real = expectations._after_creating

    def hasty(action: Any, outcome: Any, since: Any) -> Any:
        return None if isinstance(outcome, Unknown) else real(action, outcome, since)

    return patch.object(expectations, "_after_creating", hasty)


@contextmanager
def does_not_wait_for_lists() -> Iterator[None]:
    """Decide before anybody has looked: no head in the log counts as no head."""
    with (
        patch.object(Sessions, "current", property(lambda _: "anybody")),
        patch.object(Sessions, "listed_at", property(lambda _: 0)),
        patch.object(Sessions, "still", lambda *_: True),
    ):
        yield


def carries_out_what_former_sessions_knew() -> AbstractContextManager[object]:
    """Do what an act says whatever became of the log since, and of all that it rested on."""
    return patch.object(Footing, "of", lambda *_: Stands())


def takes_a_failed_list_for_nothing() -> AbstractContextManager[object]:
    """Let a list that failed count as an empty one."""
    real = Session._list_once

    async def careless(self: Session) -> Listing:
        reader = self._world.cluster

        async def empty(kind: Any) -> Listing:
            try:
                return await reader.list(kind)
            except ClusterUnavailable:
                return Listing(objects=(), resource_version=2**31)

        class Blind:
            list = staticmethod(empty)

        world = self._world
        self._world = replace(world, cluster=Blind())
        try:
            return await real(self)
        finally:
            self._world = world

    return patch.object(Session, "_list_once", careless)


def overlooks_deletions() -> AbstractContextManager[object]:
    """Tell nobody what a watch says has gone."""
    real = Session._take

    async def forgetful(self: Session, batch: Any, version: int) -> int:
        return await real(self, [one for one in batch if one.type != "DELETED"], version)

    return patch.object(Session, "_take", forgetful)


@contextmanager
def lets_old_news_cover_new() -> Iterator[None]:
    """Write whatever comes, whichever version it is of.

    Within a session versions rise by themselves, and one whose lease is lost writes no more: only a
    watcher that ends what it has in hand after that can have old news. So both guards are taken
    away.
    """
    real = Publisher._try

    async def stubborn(self: Publisher, wanted: Any, *, again: bool) -> bool:
        still, self._still = self._still, lambda: True
        try:
            return await real(self, wanted, again=again)
        finally:
            self._still = still

    with (
        patch("services.watcher.publishing.is_news", lambda *_: True),
        patch.object(Publisher, "_try", stubborn),
    ):
        yield


def goes_on_without_its_lease() -> AbstractContextManager[object]:
    """Let a watcher publish after its session is over."""
    return patch.object(Publisher, "check", lambda _: None)


def is_early() -> AbstractContextManager[object]:
    """Let timers go off ten seconds before they are due."""
    real = Scheduler._schedule

    def hasty(self: Scheduler, wish: Any, subject: str, fence: int) -> Any:
        entry = real(self, wish, subject, fence)
        assert entry.schedule is not None
        due_at = entry.schedule.due_at - timedelta(seconds=10)
        return replace(entry, schedule=replace(entry.schedule, due_at=due_at))

    return patch.object(Scheduler, "_schedule", hasty)


def writes_statuses_blindly() -> AbstractContextManager[object]:
    """Write a status whatever was written since it was assessed."""
    real = Status.__init__

    def blind(self: Status, bus: Any, cluster: Any, *rest: Any, **more: Any) -> None:
        class Blind:
            @staticmethod
            async def write_status(kind: Any, namespace: str, name: str, body: Any) -> Any:
                meta = {key: each for key, each in body["metadata"].items() if key == "uid"}
                return await cluster.write_status(kind, namespace, name, {**body, "metadata": meta})

        real(self, bus, Blind(), *rest, **more)

    return patch.object(Status, "__init__", blind)


@contextmanager
def deletes_what_is_not_its_own() -> Iterator[None]:
    """Delete every pod that `workersToDelete` names, whoever it belongs to."""
    real, delete = worker_groups._size_group, Performer._delete

    def greedy(found: Any, group: Any) -> Iterator[Any]:
        yield from real(found, group)
        for name in set(group.workers_to_delete) - set(found.state.pods):
            yield DeleteObject(kind="pod", name=name, uid="", rule="greed", because="it is named")

    async def careless(self: Performer, job: Any, action: Any, check: Any) -> Any:
        found = await self.find(job, action.kind, action.name)
        if not isinstance(found, Occupied):
            return await delete(self, job, action, check)
        kind = KINDS[action.kind]
        await self._cluster.delete(kind, job.key.namespace, action.name, uid=found.uid)
        return Done(uid=found.uid)

    with (
        patch.object(worker_groups, "_size_group", greedy),
        patch.object(Performer, "_delete", careless),
    ):
        yield


def removes_one_too_many() -> AbstractContextManager[object]:
    """Shrink a group by one more than asked."""
    real = worker_groups._shrink

    def greedy(found: Any, group: Any, pods: Any) -> Iterator[Any]:
        yield from real(found, group, pods)
        named = {one.name for one in real(found, group, pods)}
        left = [pod for name, pod in sorted(pods.items()) if name not in named]
        yield from (workers.surplus(found, group, pod, "one more") for pod in left[:1])

    return patch.object(worker_groups, "_shrink", greedy)


def is_suspended_too_soon() -> AbstractContextManager[object]:
    """Say that nothing is left without an act that saw the phase."""
    return patch(
        "services.status.conditions.suspension._nothing_left", lambda _view, state: not state.pods
    )


def commits_without_looking() -> AbstractContextManager[object]:
    """Write acts without comparing: two reconcilers decide the same thing twice."""

    async def blind(log: Any, entry: Any, **more: Any) -> Any:
        return await commit(log, replace(entry, id=f"{entry.id}-again", fence=None), **more)

    return patch("services.reconciler.service.commit", blind)


def inherits_from_its_forebear() -> AbstractContextManager[object]:
    """Take acts, outcomes and statuses of a former resource of that name for one's own."""

    def adopted(key: Any, records: Iterable[Any]) -> Any:
        known = tuple(records)
        uids = [one.envelope.uid for one in known if one.subject == subjects.own(key)]
        return view(
            key,
            [replace(one, envelope=replace(one.envelope, uid=uid)) for one in known for uid in uids]
            or known,
        )

    return patch("shared.aggregates.ledger.view", adopted)


MUTANTS: Mapping[str, Plant] = MappingProxyType(
    {
        plant.__name__.replace("_", " "): plant
        for plant in (
            carries_out_what_was_overtaken,
            carries_out_what_was_replaced,
            carries_out_what_former_sessions_knew,
            forgets_what_it_expects,
            takes_no_answer_for_a_failure,
            does_not_wait_for_lists,
            takes_a_failed_list_for_nothing,
            overlooks_deletions,
            lets_old_news_cover_new,
            goes_on_without_its_lease,
            is_early,
            writes_statuses_blindly,
            deletes_what_is_not_its_own,
            removes_one_too_many,
            is_suspended_too_soon,
            commits_without_looking,
            inherits_from_its_forebear,
            *ray_mutants.PLANTS,
            *telling_mutants.PLANTS,
        )
    }
)
