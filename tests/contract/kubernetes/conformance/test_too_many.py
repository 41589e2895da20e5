"""Who asks too much is told so alike: there by a priority level without room, here by a fault."""

import asyncio
from collections.abc import AsyncIterator, Iterator, Mapping

import aiohttp
import pytest
import yaml

from sandbox.outside.connection import open_session, read_kubeconfig
from sandbox.server import serve
from tests.support.realkube import RealKube, shared_real_kube

NAME = "conformance-too-many"
USER = {"Impersonate-User": NAME}
PLACE = "/api/v1/namespaces/default/configmaps"
AT_ONCE, ROUNDS = 30, 40
TOO_MANY = 429
Said = tuple[int, str | None, str | None, str]
API = {"apiVersion": "flowcontrol.apiserver.k8s.io/v1", "metadata": {"name": NAME}}
NO_ROOM = {"nominalConcurrencyShares": 0, "lendablePercent": 0, "borrowingLimitPercent": 0}
EVERYTHING = {
    "verbs": ["*"],
    "apiGroups": ["*"],
    "resources": ["*"],
    "namespaces": ["*"],
    "clusterScope": True,
}
LEVEL = {
    **API,
    "kind": "PriorityLevelConfiguration",
    "spec": {"type": "Limited", "limited": {**NO_ROOM, "limitResponse": {"type": "Reject"}}},
}
SCHEMA = {
    **API,
    "kind": "FlowSchema",
    "spec": {
        "priorityLevelConfiguration": {"name": NAME},
        "matchingPrecedence": 2,
        "rules": [
            {
                "subjects": [{"kind": "User", "user": {"name": NAME}}],
                "resourceRules": [EVERYTHING],
            }
        ],
    },
}


@pytest.fixture(scope="module")
def real_kube(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RealKube]:
    with shared_real_kube(tmp_path_factory) as shared:
        yield shared


@pytest.fixture
async def crowded(real_kube: RealKube) -> AsyncIterator[aiohttp.ClientSession]:
    """The real one, where there is room for one request of our user at a time."""
    given = yaml.safe_dump_all([LEVEL, SCHEMA])
    await asyncio.to_thread(real_kube.told, "apply", "-f", "-", given=given)
    async with open_session(read_kubeconfig(real_kube.kubeconfig)) as session:
        yield session
    await asyncio.to_thread(real_kube.told, "delete", "--wait=false", "-f", "-", given=given)


async def said(session: aiohttp.ClientSession, headers: Mapping[str, str]) -> Said:
    async with session.get(PLACE, headers=headers) as answer:
        media, wait = answer.headers.get("Content-Type"), answer.headers.get("Retry-After")
        return answer.status, media, wait, await answer.text()


async def refused(session: aiohttp.ClientSession) -> Said:
    """Ask many times at once until one is refused."""
    for _ in range(ROUNDS):
        told = await asyncio.gather(*(said(session, USER) for _ in range(AT_ONCE)))
        found = next((each for each in told if each[0] == TOO_MANY), None)
        if found is not None:
            return found
        await asyncio.sleep(0.1)
    raise AssertionError("nobody was refused")


async def test_too_many_requests_are_refused_alike(crowded: aiohttp.ClientSession) -> None:
    theirs = await refused(crowded)
    sandbox = await serve()
    try:
        async with aiohttp.ClientSession(sandbox.url) as session:
            trouble = {"resource": "configmaps", "code": TOO_MANY}
            (await session.post("/sandbox/troubles", json=trouble)).release()
            ours = await said(session, {})
    finally:
        await sandbox.close()

    assert ours == theirs
