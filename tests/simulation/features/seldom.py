"""What users do on few occasions, to resources that nobody else means (`occasions.py`)."""

import asyncio
from contextlib import suppress
from datetime import timedelta
from random import Random
from typing import Any

from sandbox.errors import ApiError
from shared.aggregates.raycronjob import run_name
from shared.aggregates.rayjob import WAITING
from shared.kernel.manifests import labels_of, name_of, text_at, uid_of, value_at
from shared.ports.dashboard import DashboardFailed, Place
from shared.resources.labels import GROUP
from tests.simulation.features.clusters import Feature, Manifest
from tests.simulation.features.deeds import plain, write
from tests.simulation.invariants.invariant import owner_uid
from tests.simulation.invariants.one_head import COPIED, is_copy
from tests.simulation.kinds import CLUSTER, CRON, JOB, PLURALS, RAYJOBS
from tests.simulation.loop import own_task
from tests.simulation.nature import NAMESPACE
from tests.simulation.scripts import BY_HAND, SUCCEEDS
from tests.simulation.users import Deed
from tests.simulation.wishes import PAIR, SELDOM, group
from tests.simulation.world import World

LARGE, HEAVY, GROUPS = 950_000, 118_000, 7
"""Bytes that no record takes, and bytes of each of so many groups that no act takes together."""
INSISTS, AGAIN = 60, 2.0
"""How often a user tries to submit a job, and after how many seconds again."""
TAKEN = ("ingress", "policy")
"""Features whose objects have a name that somebody else may have taken."""
API_VERSIONS = {
    "ingresses.networking.k8s.io": "networking.k8s.io/v1",
    "networkpolicies.networking.k8s.io": "networking.k8s.io/v1",
}
_STRANGERS: tuple[tuple[str, str, str, dict[str, Any]], ...] = (
    ("services", "-head-svc", "Service", {"ports": [{"port": 1}]}),
    (
        "ingresses.networking.k8s.io",
        "-head-ingress",
        "Ingress",
        {"defaultBackend": {"service": {"name": "x", "port": {"number": 1}}}},
    ),
    ("networkpolicies.networking.k8s.io", "-head", "NetworkPolicy", {"podSelector": {}}),
)
"""Kind, name and shape of what takes names."""
SOMEBODY_ELSE = "kueue.x-k8s.io/multikueue"


def writes(kind: str, *changes: Feature) -> Deed:
    """Create the resource with these changes, or write them into the one that is there."""

    def deed(world: World, chance: Random) -> str:
        manifest = plain(kind, SELDOM[kind], chance)
        for change in changes:
            change(manifest)
        return write(world, kind, manifest)

    return deed


def suspends(kind: str, *, on: bool) -> Deed:
    """Suspend it, or let it go on."""

    def deed(world: World, chance: Random) -> str:
        name = SELDOM[kind]
        try:
            world.nature.cluster.patch(PLURALS[kind], NAMESPACE, name, {"spec": {"suspend": on}})
        except ApiError as refusal:
            return f"{kind} {name} is not suspended or resumed ({refusal})"
        return f"{kind} {name} wants suspend: {on}"

    return deed


def gives_up(kind: str) -> Deed:
    """Delete it."""

    def deed(world: World, chance: Random) -> str:
        name = SELDOM[kind]
        try:
            world.nature.cluster.delete(PLURALS[kind], NAMESPACE, name, propagation="Background")
        except ApiError as refusal:
            return f"{kind} {name} is not deleted ({refusal})"
        return f"{kind} {name} is deleted"

    return deed


def leaves_alone(kind: str) -> Deed:
    """Delete it, and see that nobody of ours has written anything about it or for it."""

    def deed(world: World, chance: Random) -> str:
        for found in world.nature.objects(PLURALS[kind]):
            if name_of(found) == SELDOM[kind] and value_at(found, "spec", "managedBy"):
                made = [one for told in world.nature.told for one in _owned(world, told, found)]
                if found.get("status") or made:
                    world.accuse(f"{kind} {name_of(found)} is another operator's: {made}")
        return gives_up(kind)(world, chance)

    return deed


def copies(plural: str) -> Deed:
    """Copy the head of the cluster, or the service that leads to it, owner and all."""

    def deed(world: World, chance: Random) -> str:
        for found in world.nature.objects(plural):
            if name_of(found).startswith(f"{SELDOM[CLUSTER]}-head-"):
                world.nature.cluster.create(plural, _copy(found))
                return f"{name_of(found)} is copied"
        return "there is nothing to copy"

    return deed


def takes_copies_away(plural: str) -> Deed:
    """Delete every copy."""

    def deed(world: World, chance: Random) -> str:
        names = [name_of(one) for one in world.nature.objects(plural) if is_copy(one)]
        for name in names:
            world.nature.cluster.delete(plural, NAMESPACE, name, grace_seconds=0)
        return f"copies are taken away: {', '.join(names) or 'there are none'}"

    return deed


def takes_names(world: World, chance: Random) -> str:
    """Create what has some of the names that the cluster needs, and belongs to nobody."""
    for plural, suffix, kind, spec in _STRANGERS:
        meta = {"name": f"{SELDOM[CLUSTER]}{suffix}", "namespace": NAMESPACE}
        api = API_VERSIONS.get(plural, "v1")
        made = {"apiVersion": api, "kind": kind, "metadata": meta, "spec": spec}
        with suppress(ApiError):
            world.nature.cluster.create(plural, made)
    return f"names of {SELDOM[CLUSTER]} are taken"


def lets_names_go(world: World, chance: Random) -> str:
    """Delete what has them."""
    for plural, suffix, _, _ in _STRANGERS:
        name = f"{SELDOM[CLUSTER]}{suffix}"
        mine = [one for one in world.nature.objects(plural) if name_of(one) == name]
        if mine and not owner_uid(mine[0]):
            world.nature.cluster.delete(plural, NAMESPACE, name)
    return f"names of {SELDOM[CLUSTER]} are free again"


def _copy(found: Any) -> Any:
    meta = found["metadata"]
    kept = {key: meta[key] for key in ("namespace", "labels", "ownerReferences")}
    own = {"name": f"{meta['name']}-copy", "annotations": COPIED}
    spec = {
        key: each for key, each in found["spec"].items() if key not in ("clusterIP", "clusterIPs")
    }
    return {"apiVersion": "v1", "kind": found["kind"], "metadata": kept | own, "spec": spec}


def takes_name_of_run(world: World, chance: Random) -> str:
    """Create a job of somebody's under the name of the next run but one."""
    now = world.server.clock.now()
    tick = now.replace(second=0, microsecond=0) + timedelta(minutes=2)
    manifest = plain(JOB, run_name(SELDOM[CRON], tick), chance)
    manifest["spec"] |= {"suspend": True, "shutdownAfterJobFinishes": True}
    return write(world, JOB, manifest)


def submits_by_hand(world: World, chance: Random) -> str:
    """Submit what an interactive job shall follow, as soon as Ray takes it, and name it."""
    own_task("", _submission(world), "submission")
    return f"rayjob {SELDOM[JOB]} gets what it waits for, as soon as Ray takes it"


async def _submission(world: World) -> None:
    for _ in range(INSISTS):
        await asyncio.sleep(AGAIN)
        found = next((one for one in world.nature.objects(RAYJOBS) if _waits(one)), None)
        if found is None:
            continue
        place = Place(
            address=text_at(found, "status", "dashboardURL"), namespace=NAMESPACE, service=""
        )
        with suppress(DashboardFailed, ApiError):
            await world.dashboards.submit(place, BY_HAND, {"entrypoint": SUCCEEDS})
            change = {"spec": {"jobId": BY_HAND}}
            world.nature.cluster.patch(RAYJOBS, NAMESPACE, SELDOM[JOB], change)
            return


def _waits(job: Any) -> bool:
    return name_of(job) == SELDOM[JOB] and text_at(job, "status", "jobDeploymentStatus") == WAITING


def nobody_is_there(seconds: float) -> Deed:
    """Kill every process; all come back after a while."""

    def deed(world: World, chance: Random) -> str:
        own_task("", _absence(world, seconds), "absence")
        return f"nobody is there for {seconds:.0f} s"

    return deed


async def _absence(world: World, seconds: float) -> None:
    gone = [process for process in world.processes if process.running]
    with world.weather.trouble(world.server.clock.now):
        for process in gone:
            await process.crash()
        await asyncio.sleep(seconds)
        for process in gone:
            if not process.running:
                process.start()


def called(name: str) -> Feature:
    return lambda manifest: manifest["metadata"].update(name=name)


def by_others(mode: str) -> Feature:
    """Leave it to the operator to submit."""
    return lambda manifest: manifest["spec"].update(submissionMode=mode)


def every_minute(manifest: Manifest) -> None:
    manifest["spec"]["schedule"] = "* * * * *"
    manifest["spec"]["jobTemplate"] |= {"suspend": True, "shutdownAfterJobFinishes": True}


def _owned(world: World, plural: str, found: Any) -> list[str]:
    return [name_of(one) for one in world.nature.owned(plural, uid_of(found))]


def large(manifest: Manifest) -> None:
    spec = manifest["spec"].get("jobTemplate") or manifest["spec"]
    whole = spec.get("rayClusterSpec") or spec.get("rayClusterConfig") or spec
    _say_much(whole["headGroupSpec"], LARGE)


def heavy_groups(manifest: Manifest) -> None:
    groups: list[dict[str, Any]] = [group(f"heavy-{n}", 1) for n in range(GROUPS)]
    for each in groups:
        _say_much(each, HEAVY)
    manifest["spec"]["workerGroupSpecs"] = groups


def _say_much(of_group: Any, size: int) -> None:
    ray = of_group["template"]["spec"]["containers"][0]
    ray["env"] = [*ray.get("env", ()), {"name": "WORDS", "value": "x" * size}]


def managed(manifest: Manifest) -> None:
    manifest["spec"]["managedBy"] = SOMEBODY_ELSE


def pairs(world: World, chance: Random) -> str:
    """Want some pairs, and name hosts to go, some of them alone already."""
    manifest = plain(CLUSTER, SELDOM[CLUSTER], chance)
    pairs: dict[str, Any] = group(PAIR, chance.randint(0, 2))
    pairs["numOfHosts"] = chance.choice((1, 2, 2))
    hosts = _hosts(world)
    if hosts:
        chosen = chance.sample(hosts, min(len(hosts), chance.randint(1, 3)))
        pairs["scaleStrategy"] = {"workersToDelete": chosen}
    manifest["spec"]["workerGroupSpecs"] = [pairs]
    manifest["spec"]["enableInTreeAutoscaling"] = chance.random() < 0.3
    return f"{write(world, CLUSTER, manifest)} with {pairs['replicas']} pairs"


def kill_host(world: World, chance: Random) -> str:
    hosts = _hosts(world)
    if not hosts:
        return "there is no host to kill"
    name = chance.choice(hosts)
    world.nature.cluster.delete("pods", NAMESPACE, name, grace_seconds=0)
    return f"host {name} is killed"


def _hosts(world: World) -> list[str]:
    pods = world.nature.objects("pods")
    mine = [pod for pod in pods if name_of(pod).startswith(f"{SELDOM[CLUSTER]}-")]
    return [name_of(pod) for pod in mine if labels_of(pod).get(GROUP) == PAIR]
