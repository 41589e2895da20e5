"""What Serve is told to run on which cluster, and what it is asked.

What a cluster accepted is a mark in the log: a restart of ours resends nothing. It is told again
when the text changed, or when Serve runs nothing although it was told to, which is what a head
without memory says. An act that tells asks nothing of that cluster: who asks meanwhile might hear
of the time before.
"""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta

from services.reconciler.decisions.rayservice import clusters, rollback, shares
from services.reconciler.decisions.rayservice.situation import Situation, head_of, read_cluster
from services.reconciler.decisions.waiting import wait_for
from services.reconciler.manifests.rayservice.serving import config_digest, serve_config
from services.reconciler.manifests.services import head_ports
from shared.actions.objects import Action, ConfigureServe, Notice, PostNotice, Words
from shared.actions.outcomes import Done
from shared.aggregates.expectations import answered
from shared.aggregates.rayservice import (
    SERVED,
    head_may_answer,
    head_ready,
    health_want,
    noted,
    serve_want,
    served,
)
from shared.aggregates.troubles import WAIT, troubles, wish_of
from shared.events.decisions import Timer, Trouble
from shared.events.objects import ResourceSeen
from shared.events.told import FOUND, Want, WantedHealth, WantedServe

AGAIN_AFTER = timedelta(seconds=10)
"""How long Serve may run nothing after it was told, before it is told again."""
POLL_EVERY = timedelta(seconds=2)
SERVE_PORT = 8000
UNREADABLE = "serve-unreadable"
NO_APPLICATION = "it names no application, and a service without one is never ready"
FORGOT = "serve-forgot"
"""The timer that ends the patience with a Serve that runs nothing."""


def served_marks(found: Situation) -> tuple[str, ...]:
    """Carry on what each living cluster accepted, and when, with what was just accepted."""
    marks = {mark.split("/")[0]: mark for mark in noted(found.view, SERVED)}
    act, answer = found.view.act, found.view.answer
    for action, outcome in answered(act, answer) if act and answer else ():
        if isinstance(action, ConfigureServe) and isinstance(outcome, Done) and act:
            moment = int(act.decided_at.timestamp())
            marks[action.cluster] = f"{action.cluster}/{action.digest}/{moment}"
    return tuple(
        f"{SERVED}{mark}" for name, mark in sorted(marks.items()) if name in found.state.clusters
    )


def target(found: Situation) -> ResourceSeen | None:
    """Return the cluster that is to run the present configuration."""
    state = found.state
    if rollback.direction(found):
        return state.active
    if clusters.reverted(found):
        return None
    if state.pending_name:
        return state.pending
    return None if clusters.wants_new(found) else state.active


def configure(found: Situation) -> Iterator[ConfigureServe]:
    """Tell Serve what to run, where it has not been told, or has forgotten."""
    seen = target(found)
    ready = head_ready(seen, found.view)
    cluster = read_cluster(seen) if seen is not None and ready else None
    config = serve_config(found.service)
    if cluster is None or isinstance(config, str) or not _untold(found, cluster.name):
        return
    place = f"{found.service.namespace}/{cluster.name}"
    yield ConfigureServe(
        cluster=cluster.name,
        digest=config_digest(found.service),
        address=found.address(cluster),
        service=f"{cluster.name}-head-svc",
        secret=found.secret(cluster),
        config=_scaled(found, cluster.name, config),
        rule="serve",
        because=f"Serve on {cluster.name} does not run what is wished",
        notice=Notice(
            done=Words(
                reason="UpdatedServeApplications",
                message=f"Updated serve applications to the RayCluster {place}",
            ),
            refused=Words(
                reason="FailedToUpdateServeApplications",
                message=f"Failed to update serve applications to the RayCluster {place}: ",
            ),
        ),
    )


def obstacles(found: Situation) -> tuple[Trouble, ...]:
    """Say what is wrong with what Serve is to be told, or that it serves nothing."""
    config, seen = serve_config(found.service), target(found)
    if seen is None or (not isinstance(config, str) and config.get("applications")):
        return ()
    told = f"spec.serveConfigV2: {config if isinstance(config, str) else NO_APPLICATION}"
    return (Trouble(verb=WAIT, rule="serve", kind="serve", name=seen.meta.name, message=told),)


def unreadable_mark(found: Situation) -> str:
    """Return the mark of a configuration that nobody can read; empty if it can be read."""
    generation = found.view.own.meta.generation if found.view.own else 0
    unreadable = isinstance(serve_config(found.service), str) and obstacles(found)
    return f"{UNREADABLE}/{generation}" if unreadable else ""


def warn(found: Situation) -> Iterator[PostNotice]:
    """Tell people once for each generation that Serve cannot be told what they wrote."""
    mark = unreadable_mark(found)
    if not mark or (found.view.act is not None and mark in found.view.act.noted):
        return
    for trouble in obstacles(found):
        place = f"{found.service.namespace}/{trouble.name}"
        yield PostNotice(
            warning=True,
            reason="FailedToUpdateServeApplications",
            action="Update",
            message=f"Failed to update serve applications to the RayCluster {place}: "
            f"{trouble.message}",
            rule="serve",
            because=trouble.message,
        )


def _scaled(found: Situation, cluster: str, config: Mapping[str, object]) -> dict[str, object]:
    """Return what a cluster is told to run, with its share where traffic moves in steps."""
    if not found.incremental:
        return dict(config)
    return {**config, shares.TARGET_CAPACITY: shares.capacity(found, cluster)}


def timers(found: Situation) -> Iterator[Timer]:
    """Want to be woken when a Serve that runs nothing is to be told again."""
    seen = target(found)
    if seen is not None and _runs_nothing(found, seen.meta.name):
        told_at = accepted(found, seen.meta.name)[1]
        yield Timer(
            name=FORGOT,
            due_at=told_at + AGAIN_AFTER,
            because=f"Serve on {seen.meta.name} runs nothing although it was told to",
        )


def _untold(found: Situation, cluster: str) -> bool:
    digest, told_at = accepted(found, cluster)
    if digest != config_digest(found.service):
        return True
    said = served(found.view, cluster)
    if said is None or said.answer != FOUND:
        return _was_refused(found, cluster)
    return _runs_nothing(found, cluster) and found.view.now >= told_at + AGAIN_AFTER


def _was_refused(found: Situation, cluster: str) -> bool:
    """Whether Serve was told again in vain: that is still wished while it is asked anew."""
    wishes = (wish_of(trouble) for trouble in troubles(found.view))
    return ("configure", "serve", cluster) in wishes


def _runs_nothing(found: Situation, cluster: str) -> bool:
    """Whether Serve, asked since it was told, says that it runs nothing."""
    config, said = serve_config(found.service), served(found.view, cluster)
    wants_something = not isinstance(config, str) and bool(config.get("applications"))
    silent = said is not None and said.answer == FOUND and not said.applications
    return wants_something and silent and bool(accepted(found, cluster)[0])


def accepted(found: Situation, cluster: str) -> tuple[str, datetime]:
    """Return the name of the text that a cluster accepted, and when; empty if none is known."""
    for mark in served_marks(found):
        name, digest, moment = mark.removeprefix(SERVED).split("/")
        if name == cluster:
            return digest, datetime.fromtimestamp(int(moment), tz=UTC)
    return "", found.view.now


def wants(found: Situation, actions: tuple[Action, ...]) -> Iterator[Want]:
    """Ask each cluster with a head what Serve runs, and its head whether it takes requests."""
    blocked = wait_for(found.view, actions).blocked
    telling = {
        action.cluster
        for action in actions
        if isinstance(action, ConfigureServe) and wish_of(action) not in blocked
    }
    state = found.state
    for seen in (state.active, state.pending):
        asked = seen is not None and head_may_answer(seen)
        cluster = read_cluster(seen) if seen is not None and asked else None
        if seen is None or cluster is None:
            continue
        if cluster.name not in telling:
            yield WantedServe(
                name=serve_want(cluster.name),
                because=f"Serve on {cluster.name} is asked what it runs",
                since=_since(found, serve_want(cluster.name)),
                every=POLL_EVERY,
                address=found.address(cluster),
                service=f"{cluster.name}-head-svc",
                secret=found.secret(cluster),
            )
        pod, ip = head_of(seen)
        if pod and ip and not found.service.spec.exclude_head_pod_from_serve_svc:
            yield WantedHealth(
                name=health_want(cluster.name),
                because=f"the head of {cluster.name} is asked whether it takes requests",
                since=_since(found, health_want(cluster.name)),
                every=POLL_EVERY,
                pod=pod,
                ip=ip,
                port=head_ports(cluster).get("serve", SERVE_PORT),
            )


def _since(found: Situation, name: str) -> datetime:
    known = found.view.act.wants if found.view.act else ()
    return next((want.since for want in known if want.name == name), found.view.now)
