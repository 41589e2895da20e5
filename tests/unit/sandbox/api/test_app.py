"""The verbs over HTTP: codes, forms, refusals."""

from typing import Any, TypeAlias

import aiohttp
import pytest

from sandbox.errors import ApiError
from sandbox.faults import LOSE_ANSWER, Refuse, no_faults
from sandbox.server import RunningSandbox
from tests.unit.sandbox.widgets import configmap, pod, widget

Served: TypeAlias = tuple[RunningSandbox, aiohttp.ClientSession]
WIDGETS = "/apis/example.com/v1/namespaces/default/widgets"
CONFIGMAPS = "/api/v1/namespaces/default/configmaps"
TABLE = {"Accept": "application/json;as=Table;v=v1;g=meta.k8s.io,application/json"}
PARTIAL = {"Accept": "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io"}


async def call(served: Served, method: str, path: str, **options: Any) -> tuple[int, Any]:
    async with served[1].request(method, path, **options) as answer:
        return answer.status, await answer.json()


@pytest.mark.parametrize("path", ["/healthz", "/readyz", "/livez"])
async def test_says_that_it_is_well(served: Served, path: str) -> None:
    async with served[1].get(path) as answer:
        assert (answer.status, await answer.text()) == (200, "ok")


async def test_an_object_lives_through_its_verbs(served: Served) -> None:
    created = await call(served, "POST", WIDGETS, json=widget())
    patched = await call(
        served,
        "PATCH",
        f"{WIDGETS}/one",
        json={"spec": {"replicas": 3}},
        headers={"Content-Type": "application/merge-patch+json"},
    )
    updated = await call(served, "PUT", f"{WIDGETS}/one", json={**patched[1], "spec": {}})
    listed = await call(served, "GET", WIDGETS)
    deleted = await call(served, "DELETE", f"{WIDGETS}/one")
    missing = await call(served, "GET", f"{WIDGETS}/one")

    codes = [each[0] for each in (created, patched, updated, listed, deleted, missing)]
    assert codes == [201, 200, 200, 200, 200, 404]
    assert patched[1]["spec"] == {"replicas": 3, "size": "small"}
    assert (listed[1]["kind"], listed[1]["items"]) == ("WidgetList", [updated[1]])
    assert deleted[1]["status"] == "Success"
    assert missing[1]["message"] == 'widgets.example.com "one" not found'


async def test_shows_tables_and_metadata_to_those_who_ask(served: Served) -> None:
    await call(served, "POST", WIDGETS, json=widget())

    _, table = await call(served, "GET", WIDGETS, headers=TABLE)
    _, single = await call(served, "GET", f"{WIDGETS}/one", headers=TABLE)
    _, partial = await call(served, "GET", WIDGETS, headers=PARTIAL)

    assert (table["kind"], [row["cells"][:2] for row in table["rows"]]) == ("Table", [["one", 1]])
    assert table["metadata"]["resourceVersion"] == partial["metadata"]["resourceVersion"]
    assert single["rows"] == table["rows"]
    assert (partial["kind"], partial["items"][0].keys()) == (
        "PartialObjectMetadataList",
        {"kind", "apiVersion", "metadata"},
    )


async def test_lists_in_pages(served: Served) -> None:
    for name in "abc":
        await call(served, "POST", CONFIGMAPS, json=configmap(name))

    _, first = await call(served, "GET", CONFIGMAPS, params={"limit": "2"})
    token = first["metadata"]["continue"]
    _, second = await call(served, "GET", CONFIGMAPS, params={"limit": "2", "continue": token})

    assert first["metadata"]["remainingItemCount"] == 1
    assert [each["metadata"]["name"] for each in (*first["items"], *second["items"])] == [*"abc"]


async def test_deletes_a_collection_by_labels(served: Served) -> None:
    await call(served, "POST", CONFIGMAPS, json=configmap("a", labels={"x": "1"}))
    await call(served, "POST", CONFIGMAPS, json=configmap("b"))

    _, gone = await call(served, "DELETE", CONFIGMAPS, params={"labelSelector": "x=1"})
    _, left = await call(served, "GET", CONFIGMAPS)

    assert [each["metadata"]["name"] for each in gone["items"]] == ["a"]
    assert [each["metadata"]["name"] for each in left["items"]] == ["b"]


async def test_warns_of_unknown_fields_or_refuses_them(served: Served) -> None:
    async with served[1].post(WIDGETS, json=widget(typo=1)) as answer:
        assert answer.headers["Warning"] == '299 - "unknown field \\"spec.typo\\""'
    code, refused = await call(
        served, "POST", WIDGETS, json=widget("two", typo=1), params={"fieldValidation": "Strict"}
    )

    assert (code, refused["reason"]) == (400, "BadRequest")


async def test_delete_options_come_in_the_body_or_the_url(served: Served) -> None:
    await call(served, "POST", WIDGETS, json=widget())
    options = {"preconditions": {"uid": "other"}}

    conflict = await call(served, "DELETE", f"{WIDGETS}/one", json=options)
    dry = await call(served, "DELETE", f"{WIDGETS}/one", params={"dryRun": "All"})
    policy = {"propagationPolicy": "Orphan"}
    waiting = await call(served, "DELETE", f"{WIDGETS}/one", params=policy)

    assert (conflict[0], dry[1]["status"]) == (409, "Success")
    assert waiting[1]["metadata"]["finalizers"] == ["orphan"]


@pytest.mark.parametrize(
    ("method", "path", "code"),
    [
        ("GET", "/api/v1/namespaces/default/nodes", 404),
        ("GET", f"{WIDGETS}/one/logs", 404),
        ("POST", "/api/v1/pods", 405),
    ],
)
async def test_refuses_paths_that_lead_nowhere(
    served: Served, method: str, path: str, code: int
) -> None:
    status, body = await call(served, method, path, json={} if method == "POST" else None)

    assert (status, body["kind"], body["code"]) == (code, "Status", code)


@pytest.mark.parametrize(
    "path",
    [
        "/nowhere",
        "/apis/example.com/v1/namespaces/default/gadgets",
        "/apis/example.com/v9/namespaces/default/widgets",
        "/apis/nobody.example",
    ],
)
async def test_knows_nothing_of_groups_that_nobody_serves(served: Served, path: str) -> None:
    async with served[1].get(path) as answer:
        assert (answer.status, await answer.text()) == (404, "404 page not found\n")


async def test_refuses_bodies_it_cannot_read(served: Served) -> None:
    headers = {"Content-Type": "application/json"}
    broken = await call(served, "POST", WIDGETS, data=b"{", headers=headers)
    listed = await call(served, "POST", WIDGETS, json=[])
    unknown = await call(
        served,
        "POST",
        WIDGETS,
        data=b"k8s\0",
        headers={"Content-Type": "application/vnd.kubernetes.protobuf"},
    )

    assert [each[0] for each in (broken, listed, unknown)] == [400, 400, 415]


async def test_takes_yaml(served: Served) -> None:
    text = "metadata: {name: y}\ndata: {a: b}\n"

    code, made = await call(
        served, "POST", CONFIGMAPS, data=text, headers={"Content-Type": "application/yaml"}
    )

    assert (code, made["data"]) == (201, {"a": "b"})


async def test_lets_nobody_in_without_the_token(open_sandbox: Any) -> None:
    async with open_sandbox(token="t") as served:
        without = await call(served, "GET", CONFIGMAPS)
        other = {"Authorization": "Bearer other"}
        wrong = await call(served, "GET", CONFIGMAPS, headers=other)
        token = {"Authorization": "Bearer t"}
        allowed = await call(served, "GET", CONFIGMAPS, headers=token)

    assert (without[0], without[1]["reason"], allowed[0]) == (403, "Forbidden", 200)
    assert (wrong[0], wrong[1]["reason"]) == (401, "Unauthorized")


async def test_honours_faults(served: Served) -> None:
    sandbox, session = served
    sandbox.cluster.faults = lambda _: Refuse(error=ApiError.too_many_requests())
    async with session.get(CONFIGMAPS) as answer:
        assert (answer.status, answer.headers["Retry-After"]) == (429, "1")

    sandbox.cluster.faults = lambda _: LOSE_ANSWER
    with pytest.raises(aiohttp.ClientError):
        await session.post(CONFIGMAPS, json=configmap())

    sandbox.cluster.faults = no_faults
    assert (await call(served, "GET", f"{CONFIGMAPS}/one"))[0] == 200


async def test_controllers_bring_a_pod_up(served: Served) -> None:
    await call(served, "POST", "/api/v1/namespaces/default/pods", json=pod())
    params = {"watch": "1", "fieldSelector": "status.phase=Running", "timeoutSeconds": "10"}

    async with served[1].get("/api/v1/namespaces/default/pods", params=params) as answer:
        line = await answer.content.readline()

    assert b'"phase":"Running"' in line
