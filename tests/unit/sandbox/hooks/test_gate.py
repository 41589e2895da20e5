"""The gate before every write, with webhooks that really listen."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from aiohttp import web
from msgspec.structs import replace

from sandbox.access.users import ADMIN
from sandbox.cluster import Cluster
from sandbox.errors import ApiError
from sandbox.hooks.gate import Gate
from sandbox.requests import Request

API = "admissionregistration.k8s.io"
HOOKS = f"validatingwebhookconfigurations.{API}"
MAKE = Request(
    verb="create",
    resource="configmaps",
    namespace="default",
    body={"metadata": {"name": "c"}, "data": {"a": "1"}},
)
CHANGE = replace(
    MAKE,
    verb="patch",
    name="c",
    content_type="application/merge-patch+json",
    body={"data": {"a": "2"}},
)


class Judge:
    """A webhook that says what it is told to say, and remembers what it was asked."""

    def __init__(self) -> None:
        self.asked: list[dict[str, Any]] = []
        self.says: dict[str, Any] = {"allowed": True}
        self.meanwhile: Callable[[], object] = lambda: None
        self.url = ""
        self.takes = 0

    async def answer(self, http: web.Request) -> web.Response:
        told = (await http.json())["request"]
        self.asked.append(told)
        self.meanwhile()
        await asyncio.sleep(self.takes)
        api = {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview"}
        return web.json_response({**api, "response": {"uid": told["uid"], **self.says}})


@pytest.fixture
async def judge() -> AsyncIterator[Judge]:
    """Start one over plain HTTP; how certificates are trusted is asked of real ones elsewhere."""
    made = Judge()
    app = web.Application()
    app.router.add_post("/judge", made.answer)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    made.url = f"http://127.0.0.1:{runner.addresses[0][1]}/judge"
    yield made
    await runner.cleanup()


def guarded(url: str, **hook: Any) -> Cluster:
    """Make a cluster whose config maps are judged."""
    cluster = Cluster(lambda: datetime(2030, 1, 1, tzinfo=UTC))
    rule = {
        "apiGroups": [""],
        "apiVersions": ["v1"],
        "operations": ["*"],
        "resources": ["configmaps"],
    }
    told = {"name": "judge", "rules": [rule], "sideEffects": "None", "clientConfig": {"url": url}}
    cluster.create(HOOKS, {"metadata": {"name": "h"}, "webhooks": [{**told, **hook}]})
    return cluster


def carry_out(cluster: Cluster, request: Request) -> Awaitable[Any]:
    return Gate(cluster).carry_out(request, ADMIN)


async def test_a_webhook_sees_what_would_be_stored_and_what_was(judge: Judge) -> None:
    cluster = guarded(judge.url)
    judge.says = {"allowed": True, "warnings": ["mind"]}

    await carry_out(cluster, MAKE)
    answer = await carry_out(cluster, CHANGE)
    await carry_out(cluster, replace(CHANGE, verb="delete", body=None))

    assert [one["operation"] for one in judge.asked] == ["CREATE", "UPDATE", "DELETE"]
    sides = [(one["oldObject"], one["object"]) for one in judge.asked]
    seen = [[side and side["data"]["a"] for side in pair] for pair in sides]
    assert seen == [[None, "1"], ["1", "2"], ["2", None]]
    assert answer.warnings == ("mind",)


async def test_what_is_refused_is_not_stored(judge: Judge) -> None:
    cluster = guarded(judge.url)
    judge.says = {"allowed": False, "status": {"message": "no", "code": 403}}

    with pytest.raises(ApiError, match='"judge" denied the request: no'):
        await carry_out(cluster, MAKE)

    assert cluster.list("configmaps").items == ()


async def test_nobody_is_asked_about_what_is_invalid_anyway(judge: Judge) -> None:
    wrong = replace(MAKE, body={"metadata": {"name": "No"}})

    with pytest.raises(ApiError, match="is invalid"):
        await carry_out(guarded(judge.url), wrong)

    assert judge.asked == []


async def test_a_name_made_from_a_prefix_is_stored_as_it_was_judged(judge: Judge) -> None:
    prefixed = replace(MAKE, body={"metadata": {"generateName": "c-"}})

    answer = await carry_out(guarded(judge.url), prefixed)

    assert answer.body["metadata"]["name"] == judge.asked[0]["name"]


async def test_what_has_changed_meanwhile_is_judged_again(judge: Judge) -> None:
    cluster = guarded(judge.url)
    cluster.create("configmaps", MAKE.body)

    def interfere() -> None:
        judge.meanwhile = lambda: None
        cluster.patch("configmaps", "default", "c", {"data": {"b": "9"}})

    judge.meanwhile = interfere
    answer = await carry_out(cluster, CHANGE)

    assert answer.body["data"] == {"a": "2", "b": "9"}
    assert [one["object"]["data"] for one in judge.asked] == [{"a": "2"}, {"a": "2", "b": "9"}]


async def test_each_object_of_a_collection_is_judged(judge: Judge) -> None:
    cluster = guarded(judge.url)
    for name in ("c", "d"):
        cluster.create("configmaps", {"metadata": {"name": name}})

    await carry_out(cluster, replace(MAKE, verb="deletecollection", body=None))

    assert sorted(one["name"] for one in judge.asked) == ["c", "d"]


@pytest.mark.parametrize(
    ("hook", "because"),
    [
        ({"clientConfig": {"url": "http://127.0.0.1:1/x"}}, r'Post "http://127.0.0.1:1/x\?time'),
        ({"clientConfig": {"service": {"name": "s"}}}, 'no endpoints available for service "s"'),
    ],
)
async def test_who_cannot_be_asked_stops_everything_unless_ignored(
    judge: Judge, hook: Any, because: str
) -> None:
    with pytest.raises(ApiError, match=because) as refused:
        await carry_out(guarded(judge.url, **hook), MAKE)
    ignored = await carry_out(guarded(judge.url, failurePolicy="Ignore", **hook), MAKE)

    assert refused.value.code == 500
    assert ignored.code == 201


async def test_who_takes_longer_than_it_has_is_not_waited_for(judge: Judge) -> None:
    judge.takes = 30

    with pytest.raises(ApiError, match="context deadline exceeded"):
        await carry_out(guarded(judge.url, timeoutSeconds=1), MAKE)


async def test_a_dry_run_is_not_shown_to_who_does_things_when_asked(judge: Judge) -> None:
    cluster = guarded(judge.url, sideEffects="Some")

    with pytest.raises(ApiError, match="does not support dry run"):
        await carry_out(cluster, replace(MAKE, dry_run=True))
