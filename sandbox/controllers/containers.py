"""The runs of one container: when each began, how it ended, and whether another follows.

A container that ends is started again if the pod's restart policy says so, each time after twice
the wait, five minutes at most. Everything follows from the rule and the first start; see
timeline.py. Read next: podstatus.py.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from fnmatch import fnmatchcase

import msgspec

from sandbox.controllers.scenario import ContainerExit, PodRule
from sandbox.controllers.timeline import earliest, seconds

_WAIT_AT_MOST = timedelta(minutes=5)
_RUNS_AT_MOST = 10_000


class Ending(msgspec.Struct, frozen=True, kw_only=True):
    """How a run ended."""

    started_at: datetime
    finished_at: datetime
    exit_code: int
    reason: str


class Life(msgspec.Struct, frozen=True, kw_only=True):
    """A container at one moment."""

    started_at: datetime | None = None
    ready: bool = False
    last: Ending | None = None
    restart_count: int = 0
    finished: bool = False
    next_at: datetime | None = None

    @property
    def running(self) -> bool:
        """Tell whether a process runs."""
        return self.started_at is not None


def life_at(
    name: str, rule: PodRule, policy: str, first_start: datetime | None, now: datetime
) -> Life:
    """Tell how the container does at `now`, if it first starts at `first_start`."""
    exits = [item for item in rule.exits if fnmatchcase(name, item.container)]
    start, last, count = first_start, None, 0
    for _ in range(_RUNS_AT_MOST):
        if start is None or start > now:
            break
        ending = _ending(start, exits, count)
        if ending is None or ending.finished_at > now:
            return _running(start, ending, last, count, rule, now)
        last = ending
        if not restarts(policy, ending.exit_code):
            return Life(last=last, restart_count=count, finished=True)
        start = ending.finished_at + min(
            seconds(rule.restart_after) * 2 ** min(count, 20), _WAIT_AT_MOST
        )
        count += 1
    return Life(last=last, restart_count=max(count - 1, 0), next_at=start)


def restarts(policy: str, exit_code: int) -> bool:
    """Tell whether a pod's restart policy starts a container again after this exit."""
    return policy == "Always" or (policy == "OnFailure" and exit_code != 0)


def stopped(life: Life, exit_code: int, at: datetime) -> Life:
    """Stop a container from outside; one that does not run stays as it is."""
    if life.started_at is None:
        return msgspec.structs.replace(life, next_at=None)
    ending = Ending(
        started_at=life.started_at,
        finished_at=at,
        exit_code=exit_code,
        reason="Completed" if exit_code == 0 else "Error",
    )
    return Life(last=ending, restart_count=life.restart_count, finished=True)


def _running(
    start: datetime,
    ending: Ending | None,
    last: Ending | None,
    count: int,
    rule: PodRule,
    now: datetime,
) -> Life:
    ready_at = None if rule.never_ready else start + seconds(rule.ready_after)
    return Life(
        started_at=start,
        ready=ready_at is not None and ready_at <= now,
        last=last,
        restart_count=count,
        next_at=earliest((ready_at, ending.finished_at if ending else None), now),
    )


def _ending(start: datetime, exits: Sequence[ContainerExit], run: int) -> Ending | None:
    planned: Mapping[datetime, ContainerExit] = {
        at: item for item in reversed(exits) if (at := _planned(start, item, run)) is not None
    }
    if not planned:
        return None
    at = min(planned)
    return Ending(
        started_at=start,
        finished_at=at,
        exit_code=planned[at].exit_code,
        reason=planned[at].told_reason,
    )


def _planned(start: datetime, item: ContainerExit, run: int) -> datetime | None:
    if item.after is not None:
        return start + seconds(item.after) if run < item.times else None
    return item.at if item.at is not None and item.at > start else None
