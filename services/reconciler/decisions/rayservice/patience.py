"""How long a RayService may take to serve for the first time, and the word when it took longer."""

from collections.abc import Iterator
from datetime import timedelta

from services.reconciler.decisions.rayservice.situation import Situation
from shared.actions.objects import PostNotice
from shared.aggregates.rayservice import INITIALIZING
from shared.events.decisions import Timer
from shared.kernel.instants import read_instant
from shared.kernel.manifests import entries_at, text_at
from shared.resources.service_timeout import go_duration, initializing_timeout

TIMED_OUT = "InitializingTimeout"


def ready_condition(found: Situation) -> dict[str, object]:
    """Return the condition that tells whether the service serves; empty if not told yet."""
    conditions = entries_at(found.view.status, "conditions")
    return next((dict(one) for one in conditions if one.get("type") == "Ready"), {})


def timed_out(found: Situation) -> bool:
    """Whether the patience with this service has ended."""
    ready = ready_condition(found)
    return ready.get("status") == "False" and ready.get("reason") == TIMED_OUT


def timer(found: Situation) -> Iterator[Timer]:
    """Want to be woken when the patience ends."""
    ready, timeout = ready_condition(found), initializing_timeout(found.service.annotations)
    since = read_instant(text_at(ready, "lastTransitionTime"))
    if timeout is None or since is None or ready.get("reason") != "Initializing":
        return
    told = f"the service may take {go_duration(timeout)} to be ready"
    yield Timer(name=INITIALIZING, due_at=since + timeout, because=told)


def warn(found: Situation) -> Iterator[PostNotice]:
    """Tell people once that the patience has ended."""
    act = found.view.act
    if act is not None and TIMED_OUT in act.noted:
        return
    timeout = initializing_timeout(found.service.annotations) or timedelta()
    since = read_instant(text_at(ready_condition(found), "lastTransitionTime"))
    spent = found.view.now - since if since is not None else timeout
    yield PostNotice(
        warning=True,
        reason="RayServiceInitializingTimeout",
        action="Reconcile",
        message=(
            f"RayService initializing timeout exceeded after {go_duration(spent)} "
            f"(configured timeout: {go_duration(timeout)})"
        ),
        rule="initializing_timeout",
        because="the service was not ready in time",
    )
