"""A world of a few objects for controller tests: shows them, and applies what steps ask for.

Applies changes as the API server does as far as controllers care: deletion respects grace periods,
finalizers and propagation; a change to an object that is gone is dropped.
"""

from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta
from typing import Any

from sandbox.controllers.world import (
    Change,
    CreateObject,
    PutObject,
    PutStatus,
    RemoveObject,
    Steps,
)
from sandbox.objects import Object, copy_of, metadata, name_of, namespace_of, timestamp

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


def after(seconds: float) -> datetime:
    """Give the moment so many seconds after noon."""
    return NOON + timedelta(seconds=seconds)


class SmallWorld:
    """Objects by plural, in the order they were made."""

    def __init__(self, **objects: Iterable[Object]) -> None:
        """Hold the given objects; each gets a uid if it has none."""
        self._held: dict[str, list[Object]] = {}
        self._made = 0
        for plural, items in objects.items():
            for item in items:
                self.add(plural, item)

    def objects(self, plural: str) -> Iterable[Object]:
        return tuple(self._held.get(plural, ()))

    def all_objects(self) -> Iterable[tuple[str, Object]]:
        return [(plural, obj) for plural, items in self._held.items() for obj in items]

    def find_uid(self, uid: str) -> Object | None:
        found = (obj for _, obj in self.all_objects() if metadata(obj).get("uid") == uid)
        return next(found, None)

    def add(self, plural: str, obj: Object, at: datetime = NOON) -> Object:
        """Create an object."""
        self._made += 1
        held: Object = copy_of(obj)
        meta = held.setdefault("metadata", {})
        meta.setdefault("uid", f"uid-{self._made}")
        meta.setdefault("creationTimestamp", timestamp(at))
        self._held.setdefault(plural, []).append(held)
        return held

    def get(self, plural: str, name: str) -> Object:
        """Find an object by its name."""
        return next(obj for obj in self.objects(plural) if name_of(obj) == name)

    def names(self, plural: str) -> list[str]:
        """List the names of one resource."""
        return [name_of(obj) for obj in self.objects(plural)]

    def delete(self, plural: str, name: str, at: datetime, **options: Any) -> None:
        """Delete as a client does."""
        obj = self.get(plural, name)
        space = namespace_of(obj) or None
        uid = metadata(obj)["uid"]
        self.apply(
            (RemoveObject(plural=plural, namespace=space, name=name, uid=uid, **options),), at
        )

    def apply(self, changes: Iterable[Change], at: datetime) -> None:
        """Do what a step asks for."""
        for change in changes:
            match change:
                case CreateObject(plural=plural, object=obj):
                    if name_of(obj) not in self.names(plural):
                        self.add(plural, obj, at)
                case PutObject(plural=plural, object=obj):
                    self._replace(plural, obj)
                case PutStatus(plural=plural, object=obj):
                    held = self.find_uid(metadata(obj)["uid"])
                    if held is not None:
                        self._replace(plural, {**held, "status": obj["status"]})
                case RemoveObject():
                    self._remove(change, at)

    def run(
        self,
        step: Callable[["SmallWorld", datetime], Steps],
        start: datetime = NOON,
        until: datetime | None = None,
    ) -> datetime:
        """Step until nothing is left to do, jumping to each next moment; return the last one."""
        now = start
        for _ in range(200):
            steps = step(self, now)
            self.apply(steps.changes, now)
            if steps.changes:
                continue
            if steps.next_at is None or (until is not None and steps.next_at > until):
                return now
            assert steps.next_at > now
            now = steps.next_at
        raise AssertionError("the world does not come to rest")

    def _replace(self, plural: str, obj: Object) -> None:
        items = self._held.get(plural, [])
        uid = metadata(obj)["uid"]
        for index, held in enumerate(items):
            if metadata(held)["uid"] == uid:
                items[index] = copy_of(obj)
                meta = metadata(obj)
                if meta.get("deletionTimestamp") and not meta.get("finalizers"):
                    self._collect(plural, items[index])

    def _collect(self, plural: str, obj: Object) -> None:
        graceful = metadata(obj).get("deletionGracePeriodSeconds")
        if not graceful and not obj.get("spec", {}).get("finalizers"):
            self._held[plural].remove(obj)

    def _remove(self, change: RemoveObject, at: datetime) -> None:
        held = self.find_uid(change.uid)
        if held is None:
            return
        finalizers = list(metadata(held).get("finalizers") or ())
        extra = {"Foreground": "foregroundDeletion", "Orphan": "orphan"}.get(change.propagation)
        if extra and extra not in finalizers:
            finalizers.append(extra)
        ends = at + timedelta(seconds=change.grace_seconds)
        meta: Object = {
            **metadata(held),
            "deletionTimestamp": metadata(held).get("deletionTimestamp") or timestamp(ends),
            "deletionGracePeriodSeconds": change.grace_seconds,
        }
        if finalizers:
            meta["finalizers"] = finalizers
        self._replace(change.plural, {**held, "metadata": meta})
