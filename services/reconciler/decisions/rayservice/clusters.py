"""The clusters of a RayService: made, grown in place, replaced, and sent away.

A new cluster is asked for with a mark in the act; the status gives it its name, and then it is
made. Going back to the spec of the active cluster drops the pending one instead of making a third.
"""

from collections.abc import Iterator
from datetime import datetime, timedelta

from services.reconciler.decisions.rayservice import rollback
from services.reconciler.decisions.rayservice.situation import CLUSTER, Situation, serves_for
from services.reconciler.manifests.rayservice.cluster import stamps_of
from shared.actions.objects import CreateObject, DeleteObject, Notice, PatchObject, Words
from shared.aggregates.rayservice import DANGLING, DROP, PREPARE, RayServiceState, noted
from shared.aggregates.service_routes import weight_of
from shared.events.decisions import Timer
from shared.events.objects import ResourceSeen
from shared.kernel.manifests import entries_at, integer_at, thawed
from shared.kernel.suffixes import number_of, suffix

DELAY = timedelta(seconds=60)
"""How long a replaced cluster stays, unless the user says otherwise."""


def ensure(found: Situation) -> Iterator[CreateObject]:
    """Ask for the clusters that the status has named and that are not there."""
    state = found.state
    for name in (state.pending_name, state.active_name):
        wanted = name and name not in state.clusters and not found.unsettled("raycluster", name)
        if not wanted or (name == state.active_name and state.pending_name) or reverted(found):
            continue
        place = f"{found.service.namespace}/{name}"
        yield CreateObject(
            kind="raycluster",
            name=name,
            manifest=f"{CLUSTER}{name}",
            rule="cluster",
            because=f"RayCluster {name} is not there",
            notice=Notice(
                done=Words(reason="CreatedRayCluster", message=f"Created the RayCluster {place}"),
                refused=Words(
                    reason="FailedToCreateRayCluster",
                    message=f"Failed to create the RayCluster {place}: ",
                ),
            ),
        )


def marks(found: Situation) -> tuple[str, ...]:
    """Say whether a new cluster is wanted, or the pending one no longer is."""
    state = found.state
    if reverted(found):
        return (DROP,)
    if not _wants_new(found):
        return ()
    former = [name for name in noted(found.view, PREPARE) if name != state.pending_name]
    seen = found.view.act is not None and found.view.act.seen.phase == state.word
    name = former[0] if former and seen else _new_name(found)
    return (f"{PREPARE}{name}",)


def wants_new(found: Situation) -> bool:
    """Whether another cluster than those that are there is wanted."""
    return _wants_new(found)


def _wants_new(found: Situation) -> bool:
    state = found.state
    if not state.active_name and not state.pending_name:
        return True
    if (state.pending_name and state.pending is None) or rollback.direction(found):
        return False
    compared = state.pending or state.active
    if compared is None or not found.comparable(compared):
        return False
    return found.replaces and not serves_for(found, compared)


def reverted(found: Situation) -> bool:
    """Whether the spec is that of the active cluster again, or grows it, while another is prepared.

    Equal hashes tell of equal specs, whichever version stamped them.
    """
    active, pending = found.state.active, found.state.pending
    if active is None or active.meta.deleted_at is not None or not found.state.pending_name:
        return False
    if rollback.direction(found):
        return rollback.ended(found)
    if pending is not None and serves_for(found, pending):
        return False
    return serves_for(found, active)


def _new_name(found: Situation) -> str:
    own = found.view.own
    generation = own.meta.generation if own else 0
    letters = suffix(number_of("service", found.service.uid, generation, found.view.act_fence))
    return f"{found.service.name}-{letters}"


def keep_in_step(found: Situation) -> Iterator[PatchObject]:
    """Grow a cluster by appended worker groups, and stamp what another version stamped."""
    state = found.state
    for which, cluster in (("active", state.active), ("pending", state.pending)):
        if cluster is None or found.unsettled("raycluster", cluster.meta.name):
            continue
        if cluster.meta.deleted_at is not None:
            continue
        frozen = bool(rollback.direction(found) if which == "pending" else state.pending_name)
        patch = None if frozen else _change(found, cluster)
        if patch is not None:
            yield _update(found, cluster, which, patch)


def _change(found: Situation, cluster: ResourceSeen) -> dict[str, object] | None:
    wanted = dict(found.lineage.stamps)
    if not found.comparable(cluster):
        settings = found.settings.manifests
        stands = stamps_of(cluster.spec, settings) if _edited_unseen(found) else wanted
        return {"metadata": {"annotations": stands}}
    if cluster.meta.name in found.lineage.same or cluster.meta.name not in found.lineage.grown:
        return None
    living = entries_at(cluster.spec, "workerGroupSpecs")
    added = entries_at(found.lineage.config, "workerGroupSpecs")[len(living) :]
    groups = [*(thawed(group) for group in living), *(thawed(group) for group in added)]
    return {"metadata": {"annotations": wanted}, "spec": {"workerGroupSpecs": groups}}


def _edited_unseen(found: Situation) -> bool:
    """Whether the spec was changed after whoever stamped the clusters last looked at it.

    Then a cluster is stamped with what it runs, and the change is told from that; otherwise with
    the present spec, whatever others have made of the cluster's own.
    """
    own = found.view.own
    judged = integer_at(found.view.status, "observedGeneration") or 0
    return own is not None and own.meta.generation > judged


def _update(
    found: Situation, cluster: ResourceSeen, which: str, patch: dict[str, object]
) -> PatchObject:
    place = f"{found.service.namespace}/{cluster.meta.name}"
    return PatchObject(
        kind="raycluster",
        name=cluster.meta.name,
        uid=cluster.meta.uid,
        resource_version=cluster.meta.resource_version,
        patch=patch,
        rule="in_place",
        because=f"the {which} RayCluster {cluster.meta.name} is not as its service is now",
        notice=Notice(
            done=Words(
                reason="UpdatedRayCluster", message=f"Updated the {which} RayCluster {place}"
            ),
            refused=Words(
                reason="FailedToUpdateRayCluster",
                message=f"Failed to update the {which} RayCluster {place}: ",
            ),
        ),
    )


def _unneeded(found: Situation, *, senseless: bool) -> Iterator[ResourceSeen]:
    """Yield the clusters that nobody names any more, and to which no share of the traffic goes.

    In steps a cluster may lose its name while requests still reach it: the other one vanished, and
    a third is on its way. It stays until the route leads to one that is named. A spec that makes no
    sense says nothing of how traffic moves, so the route counts then, too.
    """
    named = bool(found.state.active_name or found.state.pending_name)
    for cluster in found.state.dangling:
        led = weight_of(found.state.route, cluster.meta.name) > 0
        if not (named and led and (found.incremental or senseless)):
            yield cluster


def dangling_timers(found: Situation, *, senseless: bool = False) -> Iterator[Timer]:
    """Want to be woken for each cluster whose stay ends; the moment is set once and stays."""
    for cluster in _unneeded(found, senseless=senseless):
        name = f"{DANGLING}{cluster.meta.name}"
        yield Timer(
            name=name,
            due_at=_due_at(found, name),
            because=f"RayCluster {cluster.meta.name} is no longer needed",
        )


def _due_at(found: Situation, timer: str) -> datetime:
    former = found.view.act.timers if found.view.act else ()
    known = next((one.due_at for one in former if one.name == timer), None)
    given = found.service.spec.ray_cluster_deletion_delay_seconds
    delay = DELAY if given is None else timedelta(seconds=given)
    return known or found.view.now + delay


def remove_dangling(found: Situation, *, senseless: bool = False) -> Iterator[DeleteObject]:
    """Delete clusters whose stay has ended."""
    for cluster in _unneeded(found, senseless=senseless):
        if _due_at(found, f"{DANGLING}{cluster.meta.name}") <= found.view.now:
            yield from removal(found, cluster, "its stay is over")


def removal(
    found: Situation, cluster: ResourceSeen, because: str, *, ending: str = ""
) -> Iterator[DeleteObject]:
    """Delete a cluster, unless it is going."""
    yield from removal_of(found.state, cluster, because, ending=ending)


def removal_of(
    state: RayServiceState, cluster: ResourceSeen, because: str, *, ending: str = ""
) -> Iterator[DeleteObject]:
    """Delete a cluster, unless it is going, whether or not its service can be read."""
    if cluster.meta.deleted_at or ("raycluster", cluster.meta.name) in state.unsettled:
        return
    place = f"{cluster.meta.namespace}/{cluster.meta.name}{ending}"
    yield DeleteObject(
        kind="raycluster",
        name=cluster.meta.name,
        uid=cluster.meta.uid,
        rule="removal",
        because=f"RayCluster {cluster.meta.name}: {because}",
        notice=Notice(
            done=Words(reason="DeletedRayCluster", message=f"Deleted the RayCluster {place}"),
            refused=Words(
                reason="FailedToDeleteRayCluster",
                message=f"Failed to delete the RayCluster {place}: ",
            ),
        ),
    )
