"""An upgrade in steps, as numbers: how much each of two clusters may do, and gets to do.

Capacity goes first, traffic follows it, and the other cluster gives up what it no longer needs;
going back is the same the other way round. Percentages only: who may take a step, and when, is
told where these are called. Nothing here takes a cluster's capacity below its traffic; one that has
less than its traffic, because the other one vanished or it was itself made anew, gets what it lacks
first.
"""

from msgspec import Struct

WHOLE = 100
"""All of the traffic, all of a cluster's capacity."""
ACTIVE, PENDING = "active", "pending"


class Shares(Struct, frozen=True, kw_only=True):
    """Capacity and traffic of both clusters, in percent."""

    active_capacity: int
    pending_capacity: int
    active_traffic: int
    pending_traffic: int


class Pace(Struct, frozen=True, kw_only=True):
    """How far one step goes: of capacity at most `surge`, of traffic at most `step`."""

    surge: int
    step: int


class CapacityStep(Struct, frozen=True, kw_only=True):
    """Which of the two clusters gets which capacity."""

    which: str
    capacity: int


def upgraded(shares: Shares) -> bool:
    """Whether nothing is left with the old cluster."""
    return shares.active_capacity == 0 and shares.pending_traffic == WHOLE


def rolled_back(shares: Shares) -> bool:
    """Whether nothing is left with the new cluster."""
    return whole_again(shares) and shares.pending_capacity == 0 == shares.pending_traffic


def whole_again(shares: Shares) -> bool:
    """Whether the old cluster has all of the traffic, and the capacity for it."""
    return shares.active_capacity == WHOLE == shares.active_traffic


def capacity_step(shares: Shares, pace: Pace, *, back: bool) -> CapacityStep | None:
    """Return the next step of capacity; None while traffic has to catch up, or at the end."""
    if (rolled_back if back else upgraded)(shares):
        return None
    if shares.active_capacity < shares.active_traffic:
        return CapacityStep(which=ACTIVE, capacity=shares.active_traffic)
    if shares.pending_capacity < shares.pending_traffic:
        return CapacityStep(which=PENDING, capacity=shares.pending_traffic)
    step = _back(shares, pace) if back else _forth(shares, pace)
    known = {ACTIVE: shares.active_capacity, PENDING: shares.pending_capacity}
    return None if step is None or step.capacity == known[step.which] else step


def _forth(shares: Shares, pace: Pace) -> CapacityStep | None:
    if shares.pending_capacity != shares.pending_traffic:
        return None
    if shares.active_capacity + shares.pending_capacity <= WHOLE:
        return CapacityStep(
            which=PENDING, capacity=min(WHOLE, shares.pending_capacity + pace.surge)
        )
    least = shares.active_traffic
    return CapacityStep(which=ACTIVE, capacity=max(least, shares.active_capacity - pace.surge))


def _back(shares: Shares, pace: Pace) -> CapacityStep | None:
    if shares.active_capacity != shares.active_traffic:
        return None
    if shares.active_capacity + shares.pending_capacity <= WHOLE:
        return CapacityStep(which=ACTIVE, capacity=min(WHOLE, shares.active_capacity + pace.surge))
    least = shares.pending_traffic
    return CapacityStep(which=PENDING, capacity=max(least, shares.pending_capacity - pace.surge))


def traffic_step(shares: Shares, pace: Pace, *, back: bool) -> int | None:
    """Return the traffic of the pending cluster after the next step; None if none is to be taken.

    The cluster that gains never gets more than its capacity.
    """
    if back:
        gained = min(WHOLE, shares.active_traffic + pace.step, shares.active_capacity)
        return WHOLE - gained if gained > shares.active_traffic else None
    gained = min(WHOLE, shares.pending_traffic + pace.step, shares.pending_capacity)
    return gained if gained > shares.pending_traffic else None
