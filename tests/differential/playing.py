"""Plays stories, many at a time, and notes what is there whenever a step has come to rest.

One look at the whole cluster serves all stories. A step is at rest when its goal holds, nothing but
Events has changed for a while, and garbage collection has taken what lost its owner. A goal that is
never reached is noted, not hidden. Invariant: what is noted was seen in one look.
"""

import asyncio
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import TypeAlias, assert_never

import aiohttp
import msgspec

from sandbox.outside.connection import open_session, read_kubeconfig
from tests.differential.collecting import KINDS, Found, collect, ownerless
from tests.differential.comparing import Telling
from tests.differential.gateways import nod
from tests.differential.masking import drawn_names, events, masked
from tests.differential.measures import metrics
from tests.differential.stories import Create, Deed, Delete, Json, Lose, Objects, Patch, Step, Story
from tests.support.fleet import manifest

LOOK_EVERY = 0.4
QUIET = 3.0
PATIENCE = 100.0
AT_ONCE = 20
PLURALS = {
    "Role": "roles",
    "RoleBinding": "rolebindings",
    "Ingress": "ingresses",
    "NetworkPolicy": "networkpolicies",
    "ServiceAccount": "serviceaccounts",
}
BAD, FORBIDDEN, CONFLICTS = 400, 403, 409
SCRAPES = 5
WRITTEN = "lastUpdateTime"
Scrape: TypeAlias = Callable[[], str]


MARKER = "marker"
MARKERS = f"/apis/ray.io/v1/namespaces/{MARKER}/rayclusters"
NONSENSE = {"spec": {**manifest(MARKER, 1)["spec"], "upgradeStrategy": {"type": "None"}}}
NONSENSE["spec"]["headGroupSpec"]["template"] = {"spec": {"containers": []}}


def named(name: str, version: str, kind: str) -> dict[str, object]:
    """Return the beginning of an object."""
    return {"apiVersion": version, "kind": kind, "metadata": {"name": name}}


class Stage:
    """One cluster, looked at again and again."""

    def __init__(self, session: aiohttp.ClientSession, scrape: Scrape) -> None:
        self.session = session
        self._scrape = scrape
        self.found: Found = {}
        self.told_until = 0.0
        """Until when all Events are there: operators write them one by one, and may be late."""
        self._looked = asyncio.Condition()

    async def look(self) -> None:
        """Look until cancelled."""
        while True:
            with suppress(aiohttp.ClientError, TimeoutError):
                self.found = await collect(self.session)
                await nod(self.session, self.found.values())
                async with self._looked:
                    self._looked.notify_all()
            await asyncio.sleep(LOOK_EVERY)

    async def listen(self) -> None:
        """Ask for a Warning again and again: when it is there, so is all that was told before."""
        await self.ask("POST", "/api/v1/namespaces", named(MARKER, "v1", "Namespace"))
        for number in count():
            asked, name = time.monotonic(), f"m{number}"
            await self.ask("POST", MARKERS, {**named(name, "ray.io/v1", "RayCluster"), **NONSENSE})
            while not self._heard(name):
                await self.next(MARKER)
            self.told_until = asked
            await self.ask("DELETE", f"{MARKERS}/{name}")

    def _heard(self, name: str) -> bool:
        told = self.found.get(MARKER, {}).get("events", [])
        return any(one.get("regarding", {}).get("name") == name for one in told)

    async def next(self, namespace: str) -> Objects:
        """Wait for the next look; return what was seen in a namespace."""
        async with self._looked:
            await self._looked.wait()
        return self.found.get(namespace, {plural: [] for plural in KINDS})

    async def scraped(self) -> str:
        """Return what the operator measures now."""
        return await asyncio.to_thread(self._scrape)

    async def ask(self, method: str, path: str, body: object = None, kind: str = "json") -> int:
        """Ask the API server; return its status code."""
        headers = {"Content-Type": f"application/{kind}"}
        data = None if body is None else msgspec.json.encode(body)
        async with self.session.request(method, path, data=data, headers=headers) as answer:
            if answer.status >= BAD and answer.status not in {CONFLICTS, FORBIDDEN}:
                raise AssertionError(f"{method} {path}: {await answer.text()}")
            return answer.status


class Player:
    """One story on a stage."""

    def __init__(self, stage: Stage, story: Story) -> None:
        self._stage = stage
        self._story = story
        self._drawn: dict[str, str] = {}
        self._seen: Objects = {}

    async def play(self) -> list[Telling]:
        """Play all steps; return what was there after each."""
        space = named(self._story.name, "v1", "Namespace")
        await self._stage.ask("POST", "/api/v1/namespaces", space)
        return [await self._play(step) for step in self._story.steps]

    async def _play(self, step: Step) -> Telling:
        for deed in step.deeds:
            await self._do(deed)
        reached = await self._rest(step)
        heard, late = await self._late_events()
        return Telling(
            step=step.name,
            reached=reached,
            heard=heard,
            objects=masked(self._seen, self._drawn),
            events=events(late, self._drawn),
            metrics=await self._measured(),
        )

    async def _rest(self, step: Step) -> bool:
        """Wait until the goal holds and all is quiet; tell whether it came to that."""
        ends = time.monotonic() + step.patience
        await self._stage.next(self._story.name)  # may have begun before the deed
        print_before, since = b"", time.monotonic()
        while time.monotonic() < ends:
            self._seen = await self._stage.next(self._story.name)
            self._drawn |= drawn_names(self._seen)
            now = _fingerprint(self._seen)
            if now != print_before or not step.until(self._seen) or ownerless(self._seen):
                print_before, since = now, time.monotonic()
            elif time.monotonic() - since >= QUIET:
                return True
        return False

    async def _measured(self) -> list[str]:
        """Return what is measured here; who lost a lease tells nothing for a while."""
        told: list[str] = []
        for _ in range(SCRAPES):
            told = metrics(await self._stage.scraped(), self._story.name, self._drawn)
            if told or not self._seen.get("rayclusters"):
                break
            await asyncio.sleep(1)
        return told

    async def _late_events(self) -> tuple[bool, Objects]:
        """Wait until everything is told that happened by now; say whether it came to that."""
        now = time.monotonic()
        seen = self._seen
        while self._stage.told_until < now and time.monotonic() < now + PATIENCE:
            seen = await self._stage.next(self._story.name)
            self._drawn |= drawn_names(seen)
        return self._stage.told_until >= now, {"events": seen.get("events", ())}

    async def _do(self, deed: Deed) -> None:
        match deed:
            case Create(manifest=manifest):
                await self._create(manifest)
            case Patch(plural=plural, name=name, change=change):
                kind = "json-patch+json" if isinstance(change, list) else "merge-patch+json"
                await self._stage.ask("PATCH", self._path(plural, name), change, kind)
            case Delete(plural=plural, name=name):
                await self._stage.ask("DELETE", self._path(plural, name))
            case Lose(label=label, value=value):
                await self._lose(label, value)
            case _:
                assert_never(deed)

    async def _create(self, manifest: Json) -> None:
        metadata = {**manifest["metadata"], "namespace": self._story.name}
        plural = PLURALS.get(manifest["kind"], f"{manifest['kind'].lower()}s")
        group = manifest["apiVersion"]
        root = f"/apis/{group}" if "/" in group else f"/api/{group}"
        path = f"{root}/namespaces/{self._story.name}/{plural}"
        for _ in range(40):  # a namespace is given its account a moment after it was made
            if await self._stage.ask("POST", path, {**manifest, "metadata": metadata}) < BAD:
                return
            await asyncio.sleep(0.1)

    async def _lose(self, label: str, value: str) -> None:
        pods = self._seen["pods"]
        fits = [pod for pod in pods if pod["metadata"].get("labels", {}).get(label) == value]
        name = min(pod["metadata"]["name"] for pod in fits)
        await self._stage.ask("DELETE", self._path("pods", name))

    def _path(self, plural: str, name: str) -> str:
        group = KINDS.get(plural, "/api/v1")
        return f"{group}/namespaces/{self._story.name}/{plural}/{name}"


def _fingerprint(objects: Objects) -> bytes:
    versions = [
        f"{plural}/{one['metadata']['name']}/{_version(plural, one)}"
        for plural, found in objects.items()
        if plural != "events"
        for one in found
    ]
    return msgspec.json.encode(sorted(versions))


def _version(plural: str, one: Json) -> str:
    """Return what changes with an object; KubeRay writes a RayService in steps on every pass."""
    if plural != "rayservices":
        return str(one["metadata"]["resourceVersion"])
    told = {key: value for key, value in (one.get("status") or {}).items() if key != WRITTEN}
    return f"{one['metadata'].get('generation')}/{told}"


async def play_all(
    session: aiohttp.ClientSession,
    stories: Iterable[Story],
    scrape: Scrape,
    told: Callable[[str, list[Telling]], None],
) -> Mapping[str, list[Telling]]:
    """Play stories side by side; `told` hears of each that has ended."""
    stage, slots = Stage(session, scrape), asyncio.Semaphore(AT_ONCE)
    helpers = [asyncio.create_task(each) for each in (stage.look(), stage.listen())]
    tellings: dict[str, list[Telling]] = {}

    async def one(story: Story) -> None:
        async with slots:
            tellings[story.name] = await Player(stage, story).play()
            told(story.name, tellings[story.name])

    try:
        async with asyncio.TaskGroup() as group:
            for story in stories:
                group.create_task(one(story))
    finally:
        for each in helpers:
            if each.done():
                each.result()
            each.cancel()
    return tellings


async def played_on(
    kubeconfig: Path,
    scrape: Scrape,
    stories: Iterable[Story],
    told: Callable[[str, list[Telling]], None],
) -> Mapping[str, list[Telling]]:
    """Play stories on the cluster of a kubeconfig."""
    async with open_session(read_kubeconfig(kubeconfig)) as session:
        return await play_all(session, stories, scrape, told)
