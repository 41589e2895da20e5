"""What the log says of a RayService: the acts that moved traffic, made clusters, sent them away."""

import asyncio
from collections.abc import Iterable, Iterator
from datetime import datetime

from msgspec import Struct

from shared.actions.objects import Action, CreateObject, DeleteObject, PatchObject
from shared.events.decisions import Decided
from shared.events.envelope import Record
from shared.events.records import StatusWritten
from shared.events.subjects import place_of
from shared.kernel.instants import parse_instant
from shared.kernel.keys import ResourceKey
from shared.kernel.manifests import entries_at, integer_at, mapping_at, text_at
from tests.e2e.story import records_of
from tests.support.processes import Installation
from tests.support.steppingstory import Percents, percents_of


class Step(Struct, frozen=True):
    """One change of a route: when it was decided, and the share of the cluster on its way in."""

    at: datetime
    share: int


class Books:
    """The records of one RayService, oldest first."""

    def __init__(self, records: Iterable[Record]) -> None:
        self._records = tuple(records)

    def acts(self) -> Iterator[Decided]:
        """Yield its acts."""
        bodies = (record.envelope.body for record in self._records)
        yield from (body for body in bodies if isinstance(body, Decided))

    def steps(self) -> list[Step]:
        """Return every change of the route that was asked for while two clusters shared it."""
        found = (
            (record.at, _share(action))
            for record in self._records
            for action in _actions(record)
            if isinstance(action, PatchObject) and action.kind == "httproute"
        )
        return [Step(at, share) for at, share in found if share is not None]

    def moved_at(self, cluster: str) -> list[datetime]:
        """Return when traffic moved to a cluster, as its status told while it was on its way."""
        told: list[datetime] = []
        for record in self._records:
            body = record.envelope.body
            if isinstance(body, StatusWritten):
                part = mapping_at(body.status, "pendingServiceStatus")
                moment = text_at(part, "lastTrafficMigratedTime")
                if moment and text_at(part, "rayClusterName") == cluster:
                    told.append(parse_instant(moment))
        return list(dict.fromkeys(told))

    def percents(self) -> list[Percents]:
        """Return capacities and traffic of both clusters, as every status told them."""
        bodies = (record.envelope.body for record in self._records)
        told = (percents_of(body.status) for body in bodies if isinstance(body, StatusWritten))
        return list(dict.fromkeys(each for each in told if -1 not in each))

    def made(self) -> list[str]:
        """Return the RayClusters that were asked for, each time."""
        actions = (action for record in self._records for action in _actions(record))
        return [
            action.name
            for action in actions
            if isinstance(action, CreateObject) and action.kind == "raycluster"
        ]

    def sent_away(self, cluster: str) -> list[datetime]:
        """Return when it was decided to delete a RayCluster, each time."""
        return [
            record.at
            for record in self._records
            for action in _actions(record)
            if isinstance(action, DeleteObject) and action.name == cluster
        ]

    def due(self, timer: str) -> set[datetime]:
        """Return every moment for which a timer was wanted."""
        return {one.due_at for act in self.acts() for one in act.timers if one.name == timer}


def books_of(here: Installation, name: str, namespace: str = "") -> Books:
    """Read what the log says of a RayService, in the namespace of its installation or another."""
    key = ResourceKey("rayservice", namespace or here.namespace, name)
    records = asyncio.run(records_of(here))
    return Books(record for record in records if _is_of(record, key))


def _is_of(record: Record, key: ResourceKey) -> bool:
    place = place_of(record.subject)
    return place is not None and place.key == key


def _actions(record: Record) -> tuple[Action, ...]:
    body = record.envelope.body
    return body.actions if isinstance(body, Decided) else ()


def _share(action: PatchObject) -> int | None:
    """Return the weight of the second of two backends; None if there are not two."""
    for rule in entries_at(mapping_at(action.patch, "spec"), "rules"):
        backends = entries_at(rule, "backendRefs")
        if len(backends) > 1:
            return integer_at(backends[1], "weight")
    return None
