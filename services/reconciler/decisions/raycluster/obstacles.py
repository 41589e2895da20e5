"""What is in the way of a cluster without anybody having refused it.

Pods that wait for certificates, and two of what there should be one of: nothing is deleted then,
people choose. Each is a trouble that the status tells; everything else goes on.
"""

from collections.abc import Iterator

from services.reconciler.decisions.raycluster import certificates, head, services, worker_groups
from services.reconciler.decisions.raycluster.situation import Situation
from shared.aggregates.troubles import WAIT
from shared.events.decisions import Trouble


def obstacles(found: Situation) -> tuple[Trouble, ...]:
    """Return everything that is in the way now."""
    return (*_surplus(found), *_awaited(found))


def because(found: Situation, now: tuple[Trouble, ...]) -> tuple[str, ...]:
    """Say what came into the way or left it, once, so that an act carries what is true."""
    act = found.view.act
    former = [one for one in act.troubles if one.verb == WAIT] if act else []
    new = tuple(trouble.message for trouble in now if trouble not in former)
    return new or tuple(f"no longer: {one.message}" for one in former if one not in now)


def _awaited(found: Situation) -> tuple[Trouble, ...]:
    """Return the certificate that pods wait for, if any pod does."""
    awaited = certificates.awaited(found)
    held = bool(awaited) and (head.missing(found) or worker_groups.missing(found))
    return awaited if held else ()


def _surplus(found: Situation) -> Iterator[Trouble]:
    pods, ways = head.heads(found), services.heads(found)
    if len(pods) > 1:
        names = " ".join(pods)
        message = f"{len(pods)} head pods found [{names}]. Please delete extra head pods"
        yield Trouble(verb=WAIT, rule="head", kind="pod", name=pods[0], message=message)
    if len(ways) > 1:
        message = f"{len(ways)} head service found [{' '.join(ways)}]"
        yield Trouble(verb=WAIT, rule="head_service", kind="service", name=ways[0], message=message)
