"""Everything that is in a cluster, asked for kind by kind, and kept apart by namespace.

Invariant: values of Secrets never leave this file, and what Kubernetes itself puts into each
namespace is left out.
"""

import asyncio
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

import aiohttp

from tests.e2e.services.crossing import GROUP
from tests.e2e.services.crossing import KINDS as GATEWAYS

KINDS: Mapping[str, str] = {
    "pods": "/api/v1",
    "services": "/api/v1",
    "serviceaccounts": "/api/v1",
    "secrets": "/api/v1",
    "persistentvolumeclaims": "/api/v1",
    "jobs": "/apis/batch/v1",
    "ingresses": "/apis/networking.k8s.io/v1",
    "networkpolicies": "/apis/networking.k8s.io/v1",
    "roles": "/apis/rbac.authorization.k8s.io/v1",
    "rolebindings": "/apis/rbac.authorization.k8s.io/v1",
    **dict.fromkeys(GATEWAYS, f"/apis/{GROUP}/v1"),
    "rayclusters": "/apis/ray.io/v1",
    "rayjobs": "/apis/ray.io/v1",
    "rayservices": "/apis/ray.io/v1",
    "raycronjobs": "/apis/ray.io/v1",
    "events": "/apis/events.k8s.io/v1",
}
OPERATORS = ("ray", "networkpolicy-controller")
"""How the names of those begin whose Events count; the kubelet is ours on both sides."""

OWNERS = frozenset({"RayCluster", "RayJob", "RayService", "RayCronJob", "Job"})
"""Kinds that are looked at and own others."""

Found = dict[str, dict[str, list[dict[str, Any]]]]


async def collect(session: aiohttp.ClientSession) -> Found:
    """Return objects by namespace and plural."""
    lists = await asyncio.gather(*(_list(session, plural) for plural in KINDS))
    found: Found = defaultdict(lambda: {plural: [] for plural in KINDS})
    for plural, objects in zip(KINDS, lists, strict=True):
        for one in objects:
            if _counts(plural, one):
                found[one["metadata"]["namespace"]][plural].append(one)
    return found


async def _list(session: aiohttp.ClientSession, plural: str) -> list[dict[str, Any]]:
    async with session.get(f"{KINDS[plural]}/{plural}") as answer:
        answer.raise_for_status()
        listed: list[dict[str, Any]] = (await answer.json())["items"]
    return [_without_values(one) for one in listed] if plural == "secrets" else listed


def _without_values(secret: dict[str, Any]) -> dict[str, Any]:
    values = ("data", "stringData")
    named = {key: sorted(secret[key]) for key in values if secret.get(key)}
    return {**{key: value for key, value in secret.items() if key not in values}, **named}


def _counts(plural: str, one: dict[str, Any]) -> bool:
    if plural == "serviceaccounts":
        return bool(one["metadata"]["name"] != "default")
    if plural == "events":
        return told_by(one).startswith(OPERATORS)
    return True


def ownerless(seen: Mapping[str, Iterable[Mapping[str, Any]]]) -> list[str]:
    """Name what is left of owners that are gone: on a busy machine its collector takes seconds."""
    objects = [one for found in seen.values() for one in found]
    there = {one["metadata"].get("uid") for one in objects}
    return [
        str(one["metadata"]["name"])
        for one in objects
        for owner in one["metadata"].get("ownerReferences") or ()
        if owner["kind"] in OWNERS and owner["uid"] not in there
    ]


def told_by(event: Mapping[str, Any]) -> str:
    """Return who told an Event, in its new or its old form."""
    old = event.get("deprecatedSource") or {}
    return str(event.get("reportingController") or old.get("component") or "")
