"""Pods that really run, asked for and looked at over HTTP."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import aiohttp

from sandbox.objects import Object, dig, rows
from sandbox.ray.commands import Rights
from sandbox.ray.permission import rights

PATIENCE = 40.0
WHOEVER = [Rights(administrator=False), *([rights()] if rights().administrator else [])]
"""An administrator can do as everybody else does, and has a way of his own."""
PODS = "/api/v1/namespaces/default/pods"
SERVICES = "/api/v1/namespaces/default/services"


async def until(holds: Callable[[], Awaitable[bool]]) -> None:
    async with asyncio.timeout(PATIENCE):
        while not await holds():  # noqa: ASYNC110 - there is nobody to tell us
            await asyncio.sleep(0.05)


async def ask(api: aiohttp.ClientSession, path: str, **options: Any) -> str:
    async with api.get(path, **options) as answer:
        return await answer.text()


async def create(api: aiohttp.ClientSession, path: str, obj: Object) -> None:
    async with api.post(path, json=obj) as answer:
        assert answer.status == 201, await answer.text()


async def run_pod(api: aiohttp.ClientSession, name: str, *containers: Object, **spec: Any) -> None:
    labels = {"app": name}
    body = {
        "containers": list(containers),
        "restartPolicy": "Never",
        "terminationGracePeriodSeconds": 5,
        **spec,
    }
    await create(api, PODS, {"metadata": {"name": name, "labels": labels}, "spec": body})


async def get(api: aiohttp.ClientSession, name: str) -> Object:
    async with api.get(f"{PODS}/{name}") as answer:
        found: Object = await answer.json()
        return found


async def phase(api: aiohttp.ClientSession, name: str, *phases: str) -> Object:
    """Wait until a pod is in one of these phases; return it."""

    async def reached() -> bool:
        return dig(await get(api, name), "status.phase") in phases

    await until(reached)
    return await get(api, name)


async def ready(api: aiohttp.ClientSession, name: str) -> bool:
    pod = await get(api, name)
    found = {each["type"]: each["status"] for each in rows(pod, "status.conditions")}
    return found.get("Ready") == "True"


def shell(script: str, **more: Any) -> Object:
    return {"name": "main", "image": "any", "command": ["sh", "-c", script], **more}


def codes(pod: Object) -> dict[str, int]:
    return {
        str(each["name"]): int(dig(each, "state.terminated.exitCode"))
        for each in rows(pod, "status.containerStatuses")
    }


async def gone(api: aiohttp.ClientSession, name: str) -> bool:
    async with api.get(f"{PODS}/{name}") as answer:
        return answer.status == 404
