"""A RayJob on its way out: its Ray job is asked to stop once, whatever becomes of the rest."""

from collections.abc import Callable

import pytest
from msgspec.structs import replace

from services.reconciler.decisions.decide import decide
from shared.actions.jobs import StopJob
from shared.actions.objects import PatchObject
from shared.actions.outcomes import Done, Outcome, Refused
from tests.support.builders import cluster_spec, group
from tests.support.jobstory import JobStory, running
from tests.support.rayjobs import cluster, job_spec

Answer = Callable[[PatchObject, int], Outcome]


def refuses(_: PatchObject, __: int) -> Outcome:
    return Refused(code=409, reason="Conflict", message="the object has been modified")


def is_not_seen(action: PatchObject, version: int) -> Outcome:
    return Done(uid=action.uid, resource_version=version, deleting=True)


def on_a_selected_cluster() -> JobStory:
    story = JobStory(
        job_spec("HTTPMode", rayClusterSpec=None, clusterSelector={"ray.io/cluster": "shared"})
    )
    seen = cluster("shared", cluster_spec(group("small", 1)), version=5, owned=False)
    status = {"state": "ready", "head": {"serviceName": "shared-head-svc"}}
    story.clusters["shared"] = replace(seen, status=status)
    story.goes_on()
    story.job_is("RUNNING")
    story.goes_on()
    return story


@pytest.mark.parametrize("answer", [refuses, is_not_seen])
def test_it_is_stopped_once_while_its_finalizer_cannot_go(
    answer: Answer, monkeypatch: pytest.MonkeyPatch
) -> None:
    story = running(job_spec("HTTPMode"))
    story.job_is("RUNNING")
    story.goes_on()
    monkeypatch.setattr(story, "_patch_itself", answer)
    story.is_deleted()
    story.goes_on()
    story.time_passes(60)

    assert story.dashboard.stopped == [story.job_id]


def test_on_a_cluster_of_others_it_is_stopped_although_nobody_carried_out_the_first_act() -> None:
    story = on_a_selected_cluster()
    story.is_deleted()
    act = decide(story.view(), story.context)
    assert act is not None
    story.acts(act)
    story.fires(act, "wake")
    again = decide(story.view(), story.context)

    assert again is not None
    assert [one.job_id for one in again.actions if isinstance(one, StopJob)] == [story.job_id]


def test_on_a_cluster_of_others_it_is_stopped_and_goes() -> None:
    story = on_a_selected_cluster()
    job_id = story.job_id
    story.is_deleted()
    story.goes_on()

    assert (story.dashboard.stopped, story.own, set(story.clusters)) == ([job_id], None, {"shared"})
