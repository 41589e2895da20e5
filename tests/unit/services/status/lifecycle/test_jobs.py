"""What everybody is told of a RayJob: every phase, once, and its end before anything goes."""

from shared.actions.objects import DeleteObject
from shared.events.decisions import Decided
from shared.events.lifecycle import LifeTold
from tests.support.jobstory import JobStory, running
from tests.support.rayjobs import job_spec


def told(story: JobStory) -> list[str]:
    bodies = (record.envelope.body for record in story.records)
    return [body.what for body in bodies if isinstance(body, LifeTold)]


def last(story: JobStory) -> LifeTold:
    life = story.view().life
    assert life is not None
    return life.body


def test_tells_each_phase_up_to_the_result() -> None:
    story = running(job_spec("HTTPMode"))
    story.job_is("RUNNING")
    story.goes_on()
    story.job_is("SUCCEEDED", "well done")
    story.time_passes(10)

    assert told(story) == ["created", "initializing", "running", "succeeded"]
    assert last(story).data["because"] == "Ray says SUCCEEDED: well done"


def test_tells_of_every_attempt() -> None:
    story = running(job_spec("HTTPMode", backoffLimit=1))
    story.job_is("FAILED", "no luck")
    story.time_passes(10)
    story.cluster_is("ready", head={"serviceName": f"{story.cluster_name}-head-svc"})
    story.goes_on()
    story.job_is("FAILED", "no luck again")
    story.time_passes(10)

    assert told(story)[-5:] == ["running", "retrying", "initializing", "running", "failed"]
    state = last(story).data["state"]
    assert isinstance(state, dict)
    assert (state["attempts_failed"], state["phase"], state["result"]) == (2, "Failed", "FAILED")
    assert "no luck again" in state["message"]


def test_the_end_is_told_before_anything_goes() -> None:
    story = running(job_spec("HTTPMode", shutdownAfterJobFinishes=True))
    story.job_is("SUCCEEDED")
    story.time_passes(10)

    bodies = [record.envelope.body for record in story.records]
    ends = [
        n
        for n, body in enumerate(bodies)
        if isinstance(body, LifeTold) and body.what == "succeeded"
    ]
    removals = [
        n
        for n, body in enumerate(bodies)
        if isinstance(body, Decided) and any(isinstance(one, DeleteObject) for one in body.actions)
    ]
    assert len(ends) == len(removals) == 1
    assert ends[0] < removals[0]


def test_nothing_goes_while_nobody_was_told_of_the_end() -> None:
    story = running(job_spec("HTTPMode", shutdownAfterJobFinishes=True))
    story.announces = list  # type: ignore[method-assign] # nobody tells anything from now on
    story.job_is("SUCCEEDED")
    story.time_passes(60)

    assert story.phase == "Complete"
    assert story.did(DeleteObject) == []

    del story.announces
    story.announces()
    story.goes_on()
    assert [type(one) for one in story.did(DeleteObject)] == [DeleteObject]
