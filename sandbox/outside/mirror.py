"""The cluster as the controllers see it: a copy of some resources, kept up from a list and a watch.

Invariant: an object is never replaced by an older one, and after a break the copy starts over from
a new list. The copy may lag behind; whoever acts on it names the version acted on.
"""

import asyncio
import logging
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import aiohttp
import msgspec

from sandbox.objects import Object, metadata

log = logging.getLogger(__name__)

OK = 200
AGAIN_AFTER = 0.5
OnChange: TypeAlias = Callable[[str, Object | None, Object | None], None]
"""Told of every change: the plural, what the object is now, what it was."""
BROKEN = (aiohttp.ClientError, TimeoutError, OSError, msgspec.DecodeError)


class Mirror:
    """Some resources, by plural and the path they are listed at."""

    def __init__(
        self,
        session: aiohttp.ClientSession,
        paths: Mapping[str, str],
        on_change: OnChange,
    ) -> None:
        self._session = session
        self._paths = paths
        self._objects: dict[str, dict[str, Object]] = {plural: {} for plural in paths}
        self._on_change = on_change
        self._listed = {plural: asyncio.Event() for plural in self._objects}

    def find_uid(self, uid: str) -> Object | None:
        """Return the object with this uid, if it is there."""
        found = (objects.get(uid) for objects in self._objects.values())
        return next((obj for obj in found if obj is not None), None)

    async def wait_listed(self) -> None:
        """Wait until every resource was listed once."""
        for listed in self._listed.values():
            await listed.wait()

    async def follow(self) -> None:
        """Keep the copy up until the session is closed."""
        async with asyncio.TaskGroup() as group:
            for plural in self._objects:
                group.create_task(self._follow(plural), name=f"mirror {plural}")

    async def _follow(self, plural: str) -> None:
        while not self._session.closed:
            try:
                version = await self._list(plural)
                while version and not self._session.closed:
                    version = await self._watch(plural, version)
            except BROKEN as error:
                log.warning("mirror starts over", extra={"kind": plural, "error": str(error)})
            await asyncio.sleep(AGAIN_AFTER)

    async def _list(self, plural: str) -> str:
        async with self._session.get(self._paths[plural], raise_for_status=True) as answer:
            body = msgspec.json.decode(await answer.read(), type=dict[str, Any])
        kind = str(body["kind"]).removesuffix("List")
        typed = ({"apiVersion": "v1", "kind": kind, **item} for item in body["items"] or ())
        self._replace(plural, {metadata(item)["uid"]: item for item in typed})
        self._listed[plural].set()
        return str(body["metadata"]["resourceVersion"])

    async def _watch(self, plural: str, version: str) -> str:
        """Follow one watch to its end; return the version to go on from, empty to list again."""
        asked = {"watch": "1", "resourceVersion": version, "allowWatchBookmarks": "true"}
        unlimited = aiohttp.ClientTimeout(total=None, sock_connect=10)
        async with self._session.get(
            self._paths[plural], params=asked, timeout=unlimited
        ) as answer:
            if answer.status != OK:
                return ""
            pending = b""
            async for chunk in answer.content.iter_any():
                *lines, pending = (pending + chunk).split(b"\n")
                for line in filter(None, lines):
                    version = self._take(plural, msgspec.json.decode(line, type=dict[str, Any]))
                    if not version:
                        return ""
        return version

    def _replace(self, plural: str, listed: dict[str, Object]) -> None:
        """Take a whole list over, and tell what differs."""
        before, self._objects[plural] = self._objects[plural], listed
        for uid, obj in before.items():
            if uid not in listed:
                self._on_change(plural, None, obj)
        for uid, obj in listed.items():
            if before.get(uid) != obj:
                self._on_change(plural, obj, before.get(uid))

    def _take(self, plural: str, event: Mapping[str, Any]) -> str:
        obj = event["object"]
        held, uid = self._objects[plural], metadata(obj).get("uid", "")
        match event["type"]:
            case "ADDED" | "MODIFIED":
                before, held[uid] = held.get(uid), obj
                self._on_change(plural, obj, before)
            case "DELETED":
                self._on_change(plural, None, held.pop(uid, obj))
            case "BOOKMARK":
                return str(metadata(obj)["resourceVersion"])
            case _:
                return ""
        return str(metadata(obj)["resourceVersion"])
