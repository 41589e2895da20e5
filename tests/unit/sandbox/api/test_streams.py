"""Watches over HTTP: lines, bookmarks, resumption, and their ends."""

import asyncio
import json
from typing import Any, TypeAlias

import aiohttp

from sandbox.server import RunningSandbox
from tests.unit.sandbox.widgets import configmap, widget

Served: TypeAlias = tuple[RunningSandbox, aiohttp.ClientSession]
CONFIGMAPS = "/api/v1/namespaces/default/configmaps"


async def lines(answer: aiohttp.ClientResponse, count: int) -> list[Any]:
    async with asyncio.timeout(10):
        return [json.loads(await answer.content.readline()) for _ in range(count)]


def told(events: list[Any]) -> list[tuple[str, str]]:
    return [(each["type"], each["object"]["metadata"].get("name", "")) for each in events]


def watching(served: Served, **params: str) -> Any:
    return served[1].get(CONFIGMAPS, params={"watch": "true", **params})


async def test_starts_with_what_is_there_and_goes_on(served: Served) -> None:
    cluster = served[0].cluster
    cluster.create("configmaps", configmap("a"))

    async with watching(served) as answer:
        first = await lines(answer, 1)
        cluster.create("configmaps", configmap("b"))
        cluster.delete("configmaps", "default", "b")
        more = await lines(answer, 2)

    assert told([*first, *more]) == [("ADDED", "a"), ("ADDED", "b"), ("DELETED", "b")]


async def test_resumes_from_a_revision(served: Served) -> None:
    cluster = served[0].cluster
    made = cluster.create("configmaps", configmap("a"))
    cluster.create("configmaps", configmap("b"))

    async with watching(served, resourceVersion=made["metadata"]["resourceVersion"]) as answer:
        assert told(await lines(answer, 1)) == [("ADDED", "b")]


async def test_streams_the_beginning_and_marks_its_end(served: Served) -> None:
    cluster = served[0].cluster
    cluster.create("configmaps", configmap("a"))
    options = {
        "sendInitialEvents": "true",
        "resourceVersionMatch": "NotOlderThan",
        "allowWatchBookmarks": "true",
    }

    async with watching(served, **options) as answer:
        events = await lines(answer, 2)

    assert told(events) == [("ADDED", "a"), ("BOOKMARK", "")]
    assert events[1]["object"]["metadata"] == {
        "resourceVersion": str(cluster.state.store.revision),
        "annotations": {"k8s.io/initial-events-end": "true"},
    }


async def test_initial_events_need_their_match(served: Served) -> None:
    async with watching(served, sendInitialEvents="true") as answer:
        assert answer.status == 422


async def test_ends_at_its_timeout(served: Served) -> None:
    async with watching(served, timeoutSeconds="1", allowWatchBookmarks="true") as answer:
        events = [json.loads(line) async for line in answer.content]

    assert told(events) == []


async def test_tells_a_watch_from_the_forgotten_past_that_it_is_gone(served: Served) -> None:
    cluster = served[0].cluster
    for name in "abc":
        cluster.create("configmaps", configmap(name))
    cluster.state.store.history("configmaps").forget(keep=1)

    async with watching(served, resourceVersion="2") as answer:
        events = [json.loads(line) async for line in answer.content]

    assert [(each["type"], each["object"]["code"]) for each in events] == [("ERROR", 410)]
    assert events[0]["object"]["reason"] == "Expired"


async def test_many_watchers_see_the_same_bytes_in_one_version(served: Served) -> None:
    cluster = served[0].cluster
    before = cluster.state.store.revision

    async with watching(served) as first, watching(served) as second:
        cluster.create("configmaps", configmap("a"))
        seen = [await each.content.readline() for each in (first, second)]

    (event,) = cluster.state.store.history("configmaps").after(before)
    assert list(event.encoded.values()) == [seen[0]]
    assert seen[0] == seen[1]


async def test_streams_rows_to_those_who_want_tables(served: Served) -> None:
    accept = {"Accept": "application/json;as=Table;v=v1;g=meta.k8s.io"}
    path = "/apis/example.com/v1/widgets"
    served[0].cluster.create("widgets", widget())

    async with served[1].get(path, params={"watch": "1"}, headers=accept) as answer:
        (event,) = await lines(answer, 1)

    assert (event["type"], event["object"]["kind"]) == ("ADDED", "Table")
    assert event["object"]["rows"][0]["cells"][0] == "one"


async def test_watches_end_when_the_server_stops(open_sandbox: Any) -> None:
    async with open_sandbox() as served:
        answer = await watching(served)
        async with asyncio.timeout(5):
            await served[0].close()
            assert await answer.content.read() == b""


async def test_refuses_what_is_no_revision(served: Served) -> None:
    async with watching(served, resourceVersion="soon") as answer:
        assert answer.status == 500


async def test_refuses_revisions_of_the_future(served: Served) -> None:
    async with watching(served, resourceVersion="9999999999999") as answer:
        (event,) = [json.loads(line) async for line in answer.content]

    assert event["type"] == "ERROR"
