"""What everybody is told of a RayService: who serves, and who takes over."""

from shared.events.lifecycle import LifeTold
from tests.support.rayservices import other_version, service_spec
from tests.support.servicestory import ServiceStory, begun, ready


def told(story: ServiceStory) -> list[str]:
    bodies = (record.envelope.body for record in story.records)
    return [body.what for body in bodies if isinstance(body, LifeTold)]


def state(story: ServiceStory) -> object:
    life = story.view().life
    assert life is not None
    return life.body.data["state"]


def test_tells_when_it_appears_and_when_it_answers() -> None:
    story = begun(service_spec())
    before = told(story)
    story.serves()

    assert (before, told(story)) == (["created"], ["created", "ready"])
    assert state(story) == {"phase": "ready", "active": story.active, "endpoints": 1}


def test_tells_of_an_upgrade_from_its_start_to_the_promotion() -> None:
    story = ready(service_spec())
    former = story.active
    story.wishes(rayClusterConfig=other_version())
    story.goes_on()
    begun_ = told(story)[2:]
    pending = story.pending
    story.head_comes_up(pending)
    story.goes_on()
    story.apps_are("RUNNING", pending)
    story.goes_on()

    assert begun_ == ["upgrade-started"]
    assert told(story)[2:] == ["upgrade-started", "promoted"]
    assert story.active == pending != former


def test_tells_of_an_upgrade_that_is_given_up() -> None:
    story = ready(service_spec())
    spec = service_spec()["rayClusterConfig"]
    story.wishes(rayClusterConfig=other_version())
    story.goes_on()
    story.wishes(rayClusterConfig=spec)
    story.goes_on()

    assert told(story)[2:] == ["upgrade-started", "rolled-back"]


def test_tells_of_a_suspension_and_its_end() -> None:
    story = ready(service_spec())
    story.wishes(suspend=True)
    story.goes_on()
    story.time_passes(120)
    asleep = told(story)[2:]
    story.wishes(suspend=False)
    story.goes_on()

    assert asleep[-1:] == ["suspended"]
    assert told(story)[-1] == "resumed"
