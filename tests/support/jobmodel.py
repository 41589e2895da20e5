"""Every RayJob that can happen, up to a depth: all orders of what the world may do.

Breadth first over the moves of `MOVES`, from a spec; after each move everybody does their part, and
the laws are checked. States are told apart by what matters, so that the same state is left only
once. `python -m tests.support.jobmodel DEPTH` explores by hand, with progress.
"""

import copy
import sys
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping
from types import MappingProxyType

from shared.kernel.manifests import integer_at, text_at
from tests.support.builders import Raw, cluster_spec, group
from tests.support.joblaws import check
from tests.support.jobmoves import MOVES
from tests.support.jobstory import JobStory
from tests.support.rayjobs import cluster, job_spec


def outline(story: JobStory) -> Hashable:
    """Return what of a state matters for what can follow."""
    view, status = story.view(), story.view().status
    own = story.own
    return (
        *(text_at(status, field) for field in ("jobDeploymentStatus", "jobStatus", "reason")),
        integer_at(status, "failed"),
        bool(status.get("jobStatusCheckFailureStartTime")),
        own is None or (bool(own.meta.deleted_at), bool(own.spec.get("suspend"))),
        own is None or own.spec.get("activeDeadlineSeconds"),
        tuple(sorted(str(one.status.get("state")) for one in story.clusters.values())),
        str(story.submitter.status.get("conditions", "")) if story.submitter else "-",
        tuple(head.containers[1].exit_code for head in story.heads),
        tuple(sorted(one.status for one in story.dashboard.jobs.values())),
        story.dashboard.answers,
        story.dashboard.refuses,
        tuple(sorted(timer.name for timer in view.act.timers)) if view.act else (),
        tuple(sorted(view.woken)),
    )


def explore(
    spec: Raw, depth: int, *, tell: Callable[[int, int], None] = lambda *_: None
) -> Counter[str]:
    """Go through everything that can happen; return how often each phase was met."""
    story = JobStory(spec)
    if spec.get("clusterSelector"):
        story.clusters["shared"] = cluster("shared", cluster_spec(group()), version=5, owned=False)
    story.goes_on()
    frontier: list[tuple[JobStory, tuple[str, ...]]] = [(story, ())]
    known = {outline(story)}
    met: Counter[str] = Counter()
    for level in range(depth):
        tell(level, len(frontier))
        following: list[tuple[JobStory, tuple[str, ...]]] = []
        for here, path in frontier:
            for name, there in _moves(here):
                told = (*path, name)
                check(there, told)
                met[there.phase] += 1
                mark = outline(there)
                if mark not in known:
                    known.add(mark)
                    following.append((there, told))
        frontier = following
    return met


def _moves(here: JobStory) -> Iterator[tuple[str, JobStory]]:
    for name, move in MOVES.items():
        there = branch(here)
        if move(there):
            there.goes_on()
            yield name, there


def branch(story: JobStory) -> JobStory:
    """Return the same story, to be told otherwise from here on."""
    other = copy.copy(story)
    other.__dict__ = {key: _copied(value) for key, value in story.__dict__.items()}
    return other


def _copied(value: object) -> object:
    if isinstance(value, list | dict):
        return value.copy()
    fresh = type(value).__name__ in ("count", "Dashboard")
    return copy.deepcopy(value) if fresh else value


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
            "K8sJobMode", rayClusterSpec=None, clusterSelector={"ray.io/cluster": "shared"}
        ),
    }
)


def main() -> None:
    depth = int(sys.argv[1]) if len(sys.argv) > 1 else 4
    for name, spec in SPECS.items():
        met = explore(spec, depth, tell=lambda *so_far: print("  depth, states:", *so_far))
        print(f"{name}: {sum(met.values())} steps, phases {dict(sorted(met.items()))}")


if __name__ == "__main__":
    main()
