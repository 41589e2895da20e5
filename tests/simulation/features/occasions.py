"""What comes about in few rich worlds, one sort in each, in turn: too costly or too odd for all.

An occasion is a short story of a resource of its own: somebody writes it, changes it perhaps, and
gives it up perhaps. What the operator owes it is judged like everything else.
"""

from collections.abc import Callable, Iterator, Mapping
from random import Random

from tests.simulation.features import clusters, jobs, services
from tests.simulation.features.seldom import (
    TAKEN,
    by_others,
    called,
    copies,
    every_minute,
    gives_up,
    heavy_groups,
    kill_host,
    large,
    leaves_alone,
    lets_names_go,
    managed,
    nobody_is_there,
    pairs,
    submits_by_hand,
    suspends,
    takes_copies_away,
    takes_name_of_run,
    takes_names,
    writes,
)
from tests.simulation.kinds import CLUSTER, CRON, JOB, SERVICE
from tests.simulation.users import Deed

Occasion = Callable[[Random, float], Iterator[tuple[float, Deed]]]


def in_vain(chance: Random, lasts: float) -> Iterator[tuple[float, Deed]]:
    """A RayService that never serves: patience ends, perhaps a second time."""
    begun, why = chance.uniform(0, lasts / 3), chance.choice(list(services.IN_VAIN))
    yield begun, writes(SERVICE, services.IMPATIENT, services.IN_VAIN[why])
    if chance.random() < 0.5:
        yield begun + 14, suspends(SERVICE, on=True)
        yield begun + 20, suspends(SERVICE, on=False)
    if chance.random() < 0.3:
        yield lasts, gives_up(SERVICE)


def too_large(chance: Random, lasts: float) -> Iterator[tuple[float, Deed]]:
    """A resource that no record takes: at once, or once it was small enough."""
    kind, begun = chance.choice((CLUSTER, JOB, SERVICE, CRON)), chance.uniform(0, lasts / 3)
    if kind != SERVICE and chance.random() < 0.5:
        yield begun, writes(kind)
        begun += chance.uniform(1, 5)
    yield begun, writes(kind, large)
    if kind == CLUSTER and chance.random() < 0.5:
        yield begun + chance.uniform(3, 6), writes(kind)
    yield lasts, gives_up(kind)


def heavy(chance: Random, lasts: float) -> Iterator[tuple[float, Deed]]:
    """A RayCluster whose pods' manifests together are more than one act takes."""
    yield chance.uniform(0, lasts / 3), writes(CLUSTER, heavy_groups)
    if chance.random() < 0.5:
        yield lasts, writes(CLUSTER)


def another_operators(chance: Random, lasts: float) -> Iterator[tuple[float, Deed]]:
    """A resource that another operator cares for: nobody touches it."""
    kind = chance.choice((CLUSTER, JOB, SERVICE))
    yield chance.uniform(0, lasts / 2), writes(kind, managed)
    yield lasts, leaves_alone(kind)


def odd_submitter(chance: Random, lasts: float) -> Iterator[tuple[float, Deed]]:
    """A job whose submitter does something else than to submit and to wait."""
    change = jobs.SUBMITTERS[chance.choice(list(jobs.SUBMITTERS))]
    yield chance.uniform(0, lasts / 3), writes(JOB, change)


def another_claim(chance: Random, lasts: float) -> Iterator[tuple[float, Deed]]:
    """A cluster whose claim shall be another one than it has, or be given up."""
    yield from _one_after_another(chance, ["rocks", "bareclaim", "keptclaim", "largeclaim"], 1)


def other_ways_in(chance: Random, lasts: float) -> Iterator[tuple[float, Deed]]:
    """A cluster whose ways in and out are changed again and again."""
    names = ["resting", "closedin", "closedout", "policy", "ingress", "ingressclass", "serves"]
    yield from _one_after_another(chance, names, 2)


def broken_pairs(chance: Random, lasts: float) -> Iterator[tuple[float, Deed]]:
    """A cluster of pairs of hosts, some of which are named to go while others are missing."""
    begun = chance.uniform(0, lasts / 4)
    for _ in range(5):
        yield begun, pairs
        yield begun + chance.uniform(1, 3), kill_host
        begun += chance.uniform(2, 5)


def misnamed(chance: Random, lasts: float) -> Iterator[tuple[float, Deed]]:
    """A resource whose name is too long for what is made from it, or no name of a service."""
    kind = chance.choice((CLUSTER, JOB, SERVICE, CRON))
    yield chance.uniform(0, lasts / 2), writes(kind, called(chance.choice(("a.b", "a" * 80))))


def asked_for_an_id(chance: Random, lasts: float) -> Iterator[tuple[float, Deed]]:
    """A job that waits for its user to say what was submitted, or who thinks better of it."""
    begun = chance.uniform(0, lasts / 4)
    yield begun, writes(JOB, jobs.FEATURES["interactive"])
    if chance.random() < 0.5:
        yield begun + chance.uniform(3, 8), submits_by_hand
    else:
        mode = chance.choice(("HTTPMode", "K8sJobMode", "SidecarMode"))
        change = writes(JOB, jobs.FEATURES["interactive"], by_others(mode))
        yield begun + chance.uniform(0.5, 8), change


def doubled(chance: Random, lasts: float) -> Iterator[tuple[float, Deed]]:
    """A cluster of which somebody copies the head, or its service, and takes the copy away."""
    plural, begun = chance.choice(("pods", "services")), chance.uniform(0, lasts / 3)
    yield begun, writes(CLUSTER)
    begun += chance.uniform(3, 6)
    yield begun, copies(plural)
    yield begun + chance.uniform(2, 8), takes_copies_away(plural)
    yield lasts, takes_copies_away(plural)


def taken(chance: Random, lasts: float) -> Iterator[tuple[float, Deed]]:
    """A cluster some of whose names belong to somebody else, who lets them go, or does not."""
    begun = chance.uniform(0, lasts / 3)
    yield begun, takes_names
    yield begun + 0.5, writes(CLUSTER, *(clusters.FEATURES[name] for name in TAKEN))
    yield chance.uniform(begun + 3, lasts), lets_names_go
    yield lasts, lets_names_go


def spoiled(chance: Random, lasts: float) -> Iterator[tuple[float, Deed]]:
    """A job or service that makes no sense for a while, in the middle of what it does."""
    kind, mistake = chance.choice(
        ((JOB, jobs.MISTAKES["odd environment"]), (SERVICE, services.MISTAKES["kubernetes token"]))
    )
    begun = chance.uniform(0, lasts / 4)
    yield begun, writes(kind)
    begun += chance.uniform(1, 12)
    yield begun, writes(kind, mistake)
    yield begun + chance.uniform(2, 8), writes(kind)


def far_apart(chance: Random, lasts: float) -> Iterator[tuple[float, Deed]]:
    """A cluster whose network topology makes no sense to its scheduler."""
    odd = clusters.topology(chance.choice(("high", "9" * 30)))
    yield chance.uniform(0, lasts / 2), writes(CLUSTER, clusters.FEATURES["gang"], odd)
    yield lasts, gives_up(CLUSTER)


def _missed(seconds: float) -> Occasion:
    """A schedule while nobody is there for a while; one of its names may be taken."""

    def occasion(chance: Random, lasts: float) -> Iterator[tuple[float, Deed]]:
        yield chance.uniform(0, lasts / 4), writes(CRON, every_minute)
        if chance.random() < 0.5:
            yield chance.uniform(5, 60), takes_name_of_run
        yield chance.uniform(10, 70), nobody_is_there(seconds)

    return occasion


LONG: Mapping[Occasion, float] = {_missed(130.0): 220.0, _missed(800.0): 880.0}
"""What takes its time, and how long, in seconds: some runs are missed, or more than are told of."""


def _one_after_another(
    chance: Random, names: list[str], at_once: int
) -> Iterator[tuple[float, Deed]]:
    at = chance.uniform(0, 5)
    for _ in range(4):
        few = clusters.agreeing(chance.sample(names, at_once))
        yield at, writes(CLUSTER, *(clusters.FEATURES[name] for name in few))
        at += chance.uniform(4, 8)


OCCASIONS: tuple[Occasion, ...] = (
    in_vain,
    odd_submitter,
    another_claim,
    too_large,
    odd_submitter,
    other_ways_in,
    another_operators,
    broken_pairs,
    odd_submitter,
    heavy,
    misnamed,
    far_apart,
    spoiled,
    taken,
    asked_for_an_id,
    doubled,
    in_vain,
    *LONG,
)
