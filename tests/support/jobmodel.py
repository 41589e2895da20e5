"""Every RayJob that can happen, up to a depth: all orders of what the world may do.

Breadth first over the moves of `MOVES`, from a spec; after each move everybody does their part, and
the laws hold at every status and every action. States are told apart by their outline, so that the
same state is left only once. In the end every state that was left has a way to an end, or to a rest
that the user wants. `python -m tests.support.jobmodel DEPTH [SPEC...] [--workers N]` explores by
hand, with progress.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from types import MappingProxyType

from tests.support.builders import Raw, cluster_spec, group
from tests.support.foldedhistory import branch
from tests.support.jobends import ends
from tests.support.joblaws import STRANGER, LawfulJob, rests
from tests.support.jobmoves import MOVES
from tests.support.joboutline import outline
from tests.support.modelling import Graph, Progress, explore_by_hand, told
from tests.support.rayjobs import cluster, job_spec

Path = tuple[str, ...]


@dataclass
class Explored:
    """What was met on the way."""

    steps: int = 0
    states: int = 1
    phases: Counter[str] = field(default_factory=Counter)


def begun(spec: Raw) -> LawfulJob:
    """Return a RayJob that was just written, and looked at."""
    story = LawfulJob(spec)
    if spec.get("clusterSelector"):
        seen = cluster(STRANGER, cluster_spec(group()), version=5, owned=False)
        story.clusters[STRANGER] = seen
    story.goes_on()
    return story


def explore(spec: Raw, depth: int, *, tell: Progress = lambda *_: None) -> Explored:
    """Go through everything that can happen; say what was met."""
    story = begun(spec)
    found, graph = Explored(), Graph()
    mark = outline(story)
    graph.finds(mark, (), rests=rests(story))
    frontier: list[tuple[LawfulJob, bytes, Path]] = [(story, mark, ())]
    for level in range(depth):
        tell(level, found.steps, len(frontier))
        following: list[tuple[LawfulJob, bytes, Path]] = []
        for here, left, path in frontier:
            for name, there in _moves(here, path):
                found.steps += 1
                found.phases[there.phase] += 1
                mark, way = outline(there), (*path, name)
                if graph.leads(left, mark, way, rests=rests(there)):
                    following.append((there, mark, way))
        frontier = following
    found.states = graph.size
    _have_ways_out(graph, spec)
    tell(depth, found.steps, len(frontier))
    return found


def _moves(here: LawfulJob, path: Path) -> Iterator[tuple[str, LawfulJob]]:
    for name, move in MOVES.items():
        there = branch(here)
        if move(there):
            told(there.goes_on, (*path, name))
            yield name, there


def replay(spec: Raw, path: Path) -> LawfulJob:
    """Tell one story again."""
    story = begun(spec)
    for name in path:
        assert MOVES[name](story), name
        story.goes_on()
    return story


def _have_ways_out(graph: Graph, spec: Raw) -> None:
    """Law 30: whatever was left leads to a rest, if not within the depth then in a kind world."""
    for path in graph.stuck():
        told(partial(ends, replay(spec, path)), path)


_STAGES = [
    {"policy": policy, "condition": {"jobStatus": status, "ttlSeconds": seconds}}
    for status in ("SUCCEEDED", "FAILED")
    for policy, seconds in (("DeleteWorkers", 10), ("DeleteCluster", 20), ("DeleteSelf", 30))
]
SPECS: Mapping[str, Raw] = MappingProxyType(
    {
        "HTTPMode": job_spec("HTTPMode", backoffLimit=1, shutdownAfterJobFinishes=True),
        "K8sJobMode": job_spec(
            "K8sJobMode",
            backoffLimit=1,
            shutdownAfterJobFinishes=True,
            ttlSecondsAfterFinished=10,
        ),
        "SidecarMode": job_spec("SidecarMode", backoffLimit=1, shutdownAfterJobFinishes=True),
        "InteractiveMode": job_spec(
            "InteractiveMode", preRunningDeadlineSeconds=60, shutdownAfterJobFinishes=True
        ),
        "staged rules": job_spec("HTTPMode", deletionStrategy={"deletionRules": _STAGES}),
        "selected cluster": job_spec(
            "K8sJobMode", rayClusterSpec=None, clusterSelector={"ray.io/cluster": STRANGER}
        ),
    }
)


def explore_named(name: str, depth: int, tell: Progress) -> str:
    """Explore one spec; return what was met, in words."""
    found = explore(SPECS[name], depth, tell=tell)
    phases = {phase or "New": times for phase, times in sorted(found.phases.items())}
    return f"{found.steps} steps, {found.states} states, {phases}"


if __name__ == "__main__":
    explore_by_hand(explore_named, tuple(SPECS))
