"""What few do in rich worlds: ask why, approve, give up what nobody can read, ask for a crowd."""

from collections.abc import Sequence
from random import Random

from heliograph.assembly.adapters import CODE
from shared.aggregates.blame import Wait, waits
from shared.events import subjects
from shared.events.approvals import FLEET, Approved, namespace_scope, resource_scope
from shared.events.codec import encode
from shared.events.envelope import SCHEMA, Envelope
from shared.kernel.ids import content_id
from shared.kernel.keys import ResourceKey
from shared.kernel.manifests import name_of
from tests.simulation.features.deeds import RICH, plain, write
from tests.simulation.kinds import CLUSTER, PLURALS
from tests.simulation.nature import NAMESPACE
from tests.simulation.users import Deed
from tests.simulation.wishes import MISTAKEN, PAIR, group
from tests.simulation.world import World

CROWD = 33
"""Replicas of two hosts each: more pods than one act may ask for."""


def look_for_waits(world: World, chance: Random) -> str:
    """Ask of every resource what it waits for, as somebody does who wants to know why."""
    views = {key: world.archive.view(key) for key in world.archive.resources()}
    below = {key.name: found for key, found in views.items() if key.kind == CLUSTER}
    told = [(str(key), wait) for key, found in views.items() for wait in waits(found, below)]
    seen = [(str(key), wait) for key, found in views.items() for wait in waits(found)]
    return f"they wait for {_causes(told)}; by their statuses for {_causes(seen)}"


def approve(world: World, chance: Random) -> str:
    """Let more be deleted than the budgets allow: of the namespace, everywhere, or of one."""
    one = resource_scope(ResourceKey(kind=CLUSTER, namespace=NAMESPACE, name=RICH[CLUSTER]))
    scope = chance.choice((namespace_scope(NAMESPACE), FLEET, one))
    body = Approved(scope=scope, seconds=chance.choice((1, 30)), by="somebody", because="so be it")
    subject, now = subjects.approval(scope), world.server.clock.now()
    identity = content_id(subject, world.server.log.last_sequence)
    envelope = Envelope(schema=SCHEMA, id=identity, body=body, code=CODE, written_at=now)
    world.server.log.store(subject, {}, encode(envelope))
    return f"more may be deleted of {scope} for {body.seconds} s"


def give_up(kind: str) -> Deed:
    """Delete what was mistaken, mistakes and all."""

    def delete(world: World, chance: Random) -> str:
        plural, name = PLURALS[kind], MISTAKEN[kind]
        if name not in {name_of(found) for found in world.nature.objects(plural)}:
            return f"there is no {kind} to give up"
        world.nature.cluster.delete(plural, NAMESPACE, name, propagation="Background")
        return f"{kind} {name} is given up as it is"

    return delete


def crowd(world: World, chance: Random) -> str:
    """Write a RayCluster that needs more pods at once than an act holds, and hosts in pairs."""
    manifest = plain(CLUSTER, RICH[CLUSTER], chance)
    groups = manifest["spec"]["workerGroupSpecs"]
    groups[0] |= {"replicas": chance.randint(5, 9), "maxReplicas": CROWD}
    groups.append({**group(PAIR, 0), "replicas": CROWD, "maxReplicas": CROWD})
    return f"{write(world, CLUSTER, manifest)} with {CROWD} pairs of hosts"


def _causes(told: Sequence[tuple[str, Wait]]) -> str:
    found = sorted({f"{name} {wait.cause}" for name, wait in told})
    return ", ".join(found) or "nothing"
