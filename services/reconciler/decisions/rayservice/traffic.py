"""Where requests go: the serve label of heads, and the services that lead to a cluster.

Services are made when a cluster serves, and led to another when that one serves: all of its
applications run, and a pod of it takes requests. Until then they stay where they are.
"""

from collections.abc import Iterator

from services.reconciler.decisions.rayservice import clusters, gateway, shares
from services.reconciler.decisions.rayservice.situation import (
    HEAD_SERVICE,
    SERVE_SERVICE,
    Situation,
    head_of,
    read_cluster,
)
from services.reconciler.manifests.rayservice.services import (
    NO_PORT,
    can_serve,
    replacing,
    taking_requests,
)
from shared.actions.objects import CreateObject, Notice, PatchObject, PostNotice, Words
from shared.actions.outcomes import AlreadySo, Done
from shared.aggregates.expectations import answered
from shared.aggregates.rayservice import (
    LABELLED,
    LONG,
    all_run,
    head_ready,
    head_ready_since,
    head_service_name,
    healthy_head,
    noted,
    serve_service_name,
    served,
    silent_until,
)
from shared.events.decisions import Timer
from shared.events.objects import ResourceSeen
from shared.kernel.manifests import integer_at, mapping_at
from shared.resources import labels as words

NO_SERVE_PORT = "no-serve-port"
SILENT = "silent/"
"""Timers that end the patience with heads that give no answer."""


def label_marks(found: Situation) -> tuple[str, ...]:
    """Carry on which label each head has, with what was just set."""
    marks = {mark.split("/")[0]: mark for mark in noted(found.view, LABELLED)}
    act, answer = found.view.act, found.view.answer
    for action, outcome in answered(act, answer) if act and answer else ():
        done = isinstance(outcome, Done | AlreadySo)
        if isinstance(action, PatchObject) and action.mark.startswith(LABELLED) and done:
            marks[action.name] = action.mark.removeprefix(LABELLED)
    living = {head_of(seen)[0] for seen in found.state.clusters.values()}
    return tuple(f"{LABELLED}{mark}" for name, mark in sorted(marks.items()) if name in living)


def _head_mark(seen: ResourceSeen) -> str:
    """Name a head: another pod of the same name has another address, or was ready later."""
    pod, ip = head_of(seen)
    return f"{LABELLED}{pod}/{ip}/{head_ready_since(seen)}"


def label_heads(found: Situation) -> Iterator[PatchObject]:
    """Let requests reach heads that take them, and no others."""
    for seen in (found.state.active, found.state.pending):
        wanted = _wanted_label(found, seen) if seen is not None else None
        if seen is None or wanted is None:
            continue
        pod, ip = head_of(seen)
        marks, mark = label_marks(found), f"{_head_mark(seen)}/{wanted}"
        new = not any(known.startswith(f"{LABELLED}{pod}/") for known in marks)
        if mark in marks or (new and wanted == "false"):
            continue
        place = f"{found.service.namespace}/{pod}"
        yield PatchObject(
            kind="pod",
            name=pod,
            uid="",
            owner=seen.meta.uid,
            patch={"metadata": {"labels": {words.SERVE: wanted}}},
            rule="serve_label",
            because=_because(wanted, ip, head_ready_since(seen)),
            mark=mark,
            notice=Notice(
                done=Words(
                    reason="UpdatedHeadPodServeLabel",
                    message=f'Updated the serve label to "{wanted}" for the Head Pod {place}',
                ),
                refused=Words(
                    reason="FailedToUpdateHeadPodServeLabel",
                    message=(
                        f'Failed to update the serve label to "{wanted}" for the Head Pod {place}: '
                    ),
                ),
            ),
        )


def _because(wanted: str, ip: str, since: str) -> str:
    takes = "takes" if wanted == "true" else "does not take"
    ready = "" if since == LONG else f", ready since {since}"
    return f"head {takes} requests{ready} at {ip}"


def _wanted_label(found: Situation, seen: ResourceSeen) -> str | None:
    pod, ip = head_of(seen)
    if not pod or not ip or not head_ready(seen, found.view):
        return None
    if found.service.spec.exclude_head_pod_from_serve_svc:
        return "false"
    healthy = healthy_head(found.view, seen)
    return None if healthy is None else "true" if healthy else "false"


def timers(found: Situation) -> Iterator[Timer]:
    """Want to be woken when the patience with a head that gives no answer ends."""
    for seen in (found.state.active, found.state.pending):
        due = silent_until(found.view, seen) if seen is not None else None
        if seen is not None and due is not None:
            yield Timer(
                name=f"{SILENT}{seen.meta.name}",
                due_at=due,
                because=f"the head of {seen.meta.name} gives no answer",
            )


def takes_requests(found: Situation, seen: ResourceSeen | None) -> bool:
    """Whether all applications run on a cluster, and a pod of it takes requests."""
    if found.incremental:
        return shares.serves(found, seen)
    if seen is None or seen.meta.deleted_at or not all_run(served(found.view, seen.meta.name)):
        return False
    labelled = f"{_head_mark(seen)}/true" in label_marks(found)
    by_head = labelled and _wanted_label(found, seen) == "true"
    return by_head or (integer_at(seen.status, "readyWorkerReplicas") or 0) > 0


def destination(found: Situation) -> ResourceSeen | None:
    """Return the cluster that the services shall lead to; None to leave them as they are.

    Where traffic moves in steps they stay with the active cluster until it is another one.
    """
    waits = found.incremental and found.state.active is not None
    if not waits and takes_requests(found, found.state.pending) and not clusters.reverted(found):
        return found.state.pending
    return found.state.active if takes_requests(found, found.state.active) else None


def lead(found: Situation) -> Iterator[CreateObject | PatchObject]:
    """Make the services, and lead them to the cluster that serves."""
    seen = destination(found)
    cluster = read_cluster(seen) if seen is not None else None
    if cluster is None:
        return
    yield from _service(found, head_service_name(found.service.name), HEAD_SERVICE, cluster.name)
    if can_serve(found.service, cluster) and not found.incremental:
        name = serve_service_name(found.service)
        yield from _service(found, name, SERVE_SERVICE, cluster.name)


def warn(found: Situation) -> Iterator[PostNotice]:
    """Tell people once for each generation that nothing can be served without a port."""
    mark = no_port_mark(found)
    if not mark or (found.view.act is not None and mark in found.view.act.noted):
        return
    yield PostNotice(
        warning=True,
        reason="FailedToCreateService",
        action="Create",
        message=NO_PORT,
        rule="serve_service",
        because="no port of the head serves",
    )


def no_port_mark(found: Situation) -> str:
    """Return the mark of a cluster that serves without a port for it; empty if there is none."""
    seen = _newest(found) if found.incremental else destination(found)
    cluster = read_cluster(seen) if seen is not None else None
    if cluster is None or can_serve(found.service, cluster, alone=found.incremental):
        return ""
    generation = found.view.own.meta.generation if found.view.own else 0
    return f"{NO_SERVE_PORT}/{generation}"


def _newest(found: Situation) -> ResourceSeen | None:
    return found.state.pending or found.state.active


def _service(
    found: Situation, name: str, what: str, cluster: str
) -> Iterator[CreateObject | PatchObject]:
    if found.unsettled("service", name):
        return
    living, place = found.state.services.get(name), f"{found.service.namespace}/{name}"
    if living is None:
        yield CreateObject(
            kind="service",
            name=name,
            manifest=f"{what}{cluster}",
            rule="service",
            because=f"{cluster} serves and service {name} is not there",
            notice=_notice("Create", place),
        )
    elif living.selector.get(words.CLUSTER) != cluster:
        wished = mapping_at(found.manifest(f"{what}{cluster}"), "spec")
        yield PatchObject(
            kind="service",
            name=name,
            uid=living.meta.uid,
            patch={"spec": replacing(wished, living.selector)},
            provided=(
                gateway.takers(found, cluster) if found.incremental else taking_requests(cluster)
            ),
            rule="service",
            because=f"{cluster} serves now",
            notice=_notice("Update", place),
        )


def _notice(verb: str, place: str) -> Notice:
    done = f"{verb}d"
    return Notice(
        done=Words(reason=f"{done}Service", message=f"{done} the service {place}"),
        refused=Words(
            reason=f"FailedTo{verb}Service",
            message=f"Failed to {verb.lower()} the service {place}, ",
        ),
    )
