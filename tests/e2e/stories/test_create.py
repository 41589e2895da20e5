"""A cluster of a head and three workers comes and goes, and nothing is done twice."""

from collections import Counter
from itertools import pairwise

import pytest

from tests.e2e.stories.staging import Stage, times_made, told
from tests.support.fleet import manifest
from tests.support.processes import Installation
from tools.realkube.audit import read_log

pytestmark = [pytest.mark.xdist_group("stories"), pytest.mark.timeout(420)]

STATUS_WRITES_MOST = 3


def writes(stage: Stage) -> Counter[str]:
    """Count what was asked of Kubernetes: of the real one in its audit log, refusals included."""
    folder = stage.here.kubeconfig.parent
    calls = read_log(folder, stage.here.namespace)
    ours = [call for call in calls if "system:serviceaccount:heliograph:" in call.user.username]
    refs = [(call.verb, call.object_ref) for call in ours]
    return Counter(
        " ".join(filter(None, (verb, ref.resource, ref.subresource))) for verb, ref in refs
    )


def stored_statuses(stage: Stage) -> int:
    """Count the versions of the cluster whose status differs from the one before."""
    versions = [seen for seen in stage.world.history if seen.plural == "rayclusters"]
    statuses = [seen.body.get("status", {}) for seen in versions if not seen.gone]
    return sum(before != after for before, after in pairwise(statuses))


async def test_it_comes_and_goes_with_every_call_made_once(here: Installation) -> None:
    async with told(here, "counted") as stage:
        before = writes(stage)
        await stage.create(manifest("counted", 3))
        await stage.settled(3)
        pods = [pod.name for pod in stage.pods()]
        await stage.delete()
        await stage.gone()
        asked = writes(stage) - before

        assert times_made(stage.world.history, "pods") == sorted(pods)
        assert len(pods) == 4
        assert times_made(stage.world.history, "services") == ["counted-head-svc"]
        assert 1 <= stored_statuses(stage) <= STATUS_WRITES_MOST
        if "kubelet" in here.processes:
            assert (asked["create pods"], asked["create services"]) == (4, 1)
            assert asked["patch rayclusters status"] == stored_statuses(stage)
            assert asked.total() == 4 + 1 + stored_statuses(stage)
