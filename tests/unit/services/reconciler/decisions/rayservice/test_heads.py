"""The serve label of heads: it follows whether the proxy in them takes requests."""

from shared.actions.objects import PatchObject
from tests.support.rayservices import other_version, service_spec
from tests.support.servicestory import ServiceStory, begun, ready


def labels(story: ServiceStory) -> list[object]:
    """Every label that was written to a head."""
    patches = story.did(PatchObject, "pod")
    return [action.patch["metadata"]["labels"]["ray.io/serve"] for action in patches]  # type: ignore[union-attr,index]


def test_a_head_that_takes_requests_is_labelled_and_one_that_does_not_is_not() -> None:
    """RayService checklist 43: true while well, false while not."""
    story = ready(service_spec())
    head = story.heads[story.active]
    assert head.label == "true"
    head.well = False
    story.goes_on()
    assert head.label == "false"
    assert story.condition("Ready") == ("False", "ZeroServeEndpoints")
    head.well = True
    story.goes_on()

    assert head.label == "true"
    assert labels(story) == ["true", "false", "true"]
    assert story.condition("Ready") == ("True", "NonZeroServeEndpoints")


def test_a_head_that_is_slow_to_answer_goes_on_taking_requests() -> None:
    """Whoever waits for it is served; whoever finds nobody behind the service is refused."""
    story = ready(service_spec())
    head = story.heads[story.active]
    head.silent = True
    story.goes_on()
    story.time_passes(9)
    assert head.label == "true"
    head.silent = False
    story.goes_on()
    story.time_passes(60)

    assert labels(story) == ["true"]
    assert story.condition("Ready") == ("True", "NonZeroServeEndpoints")


def test_each_silence_of_a_head_is_borne_from_its_own_beginning() -> None:
    story = ready(service_spec())
    head = story.heads[story.active]
    for _ in range(3):
        head.silent = True
        story.goes_on()
        story.time_passes(6)
        head.silent = False
        story.goes_on()
        story.time_passes(2)

    assert labels(story) == ["true"]


def test_a_head_that_stays_silent_takes_no_requests_until_it_answers() -> None:
    story = ready(service_spec())
    head = story.heads[story.active]
    head.silent = True
    story.goes_on()
    story.time_passes(10)
    assert head.label == "false"
    assert story.condition("Ready") == ("False", "ZeroServeEndpoints")
    head.silent = False
    story.goes_on()

    assert labels(story) == ["true", "false", "true"]
    assert [timer.name for timer in story.act.timers if timer.name.startswith("silent/")] == []


def test_services_do_not_move_to_a_cluster_whose_only_head_is_silent() -> None:
    story = ready(service_spec())
    old = story.active
    story.wishes(rayClusterConfig=other_version())
    story.goes_on()
    new = story.pending
    story.head_comes_up(new)
    story.goes_on()
    story.heads[new].silent = True
    story.apps_are("RUNNING", new)
    story.goes_on()
    assert (story.active, story.leads_to) == (old, old)
    story.heads[new].silent = False
    story.goes_on()

    assert (story.active, story.leads_to) == (new, new)


def test_a_new_head_that_is_not_well_is_left_as_it_was_made() -> None:
    """RayService checklist 44: heads begin with false."""
    story = begun(service_spec())
    story.head_comes_up(story.pending).failure = "not yet"
    story.goes_on()

    assert labels(story) == []


def test_an_excluded_head_takes_no_requests() -> None:
    """RayService checklist 43: the flag pins the label, well or not, and nobody asks the head."""
    story = ready(service_spec(excludeHeadPodFromServeSvc=True), workers=1)

    assert story.heads[story.active].label == "false"
    assert [want.name for want in story.act.wants] == [f"serve-{story.active}"]
    assert story.status["numServeEndpoints"] == 1
    story.wishes(excludeHeadPodFromServeSvc=None)
    story.goes_on()
    assert story.heads[story.active].label == "true"
    story.wishes(excludeHeadPodFromServeSvc=True)
    story.goes_on()
    assert story.heads[story.active].label == "false"


def test_an_old_head_that_breaks_during_an_upgrade_leaves_the_service() -> None:
    """RayService checklist 45: its label flips, Ready turns, and the switch repairs it."""
    story = ready(service_spec())
    old = story.active
    story.wishes(rayClusterConfig=other_version())
    story.goes_on()
    story.heads[old].well = False
    story.goes_on()
    assert story.heads[old].label == "false"
    assert story.condition("Ready") == ("False", "ZeroServeEndpoints")
    story.serves()

    assert story.active != old
    assert story.condition("Ready") == ("True", "NonZeroServeEndpoints")


def test_a_head_replaced_under_its_name_is_labelled_again() -> None:
    story = ready(service_spec())
    name = story.active
    story.head_is_lost(name)
    story.goes_on()
    story.passes(20)
    story.head_comes_up(name)
    story.goes_on()

    assert labels(story) == ["true", "false", "true"]
    assert story.heads[name].label == "true"


def test_a_head_replaced_under_its_name_and_address_is_labelled_again() -> None:
    """On the network of its host a new head has the address of the old one."""
    story = ready(service_spec())
    name, ip = story.active, story.heads[story.active].ip
    story.head_is_lost(name)
    story.goes_on()
    story.passes(20)
    story.head_comes_up(name, ip=ip)
    story.goes_on()

    assert story.heads[name].label == "true"


def test_an_answer_about_the_former_head_is_no_answer_about_this_one() -> None:
    story = ready(service_spec())
    name, ip = story.active, story.heads[story.active].ip
    story.head_is_lost(name)
    story.goes_on()
    story.passes(20)
    story.head_comes_up(name, ip=ip).failure = "not yet"
    story.goes_on()

    assert story.heads[name].label == "false"


def test_a_head_that_is_gone_when_it_is_labelled_is_not_labelled_at_bus_speed() -> None:
    """The pod went, and the cluster's status does not tell yet."""
    story = begun(service_spec())
    story.head_comes_up(story.pending)
    gone = story.heads[story.pending]
    gone.well = True
    gone.pod = "somebody-else"
    story.goes_on()
    story.time_passes(60)

    assert 2 <= len(labels(story)) <= 6


def test_the_words_for_people() -> None:
    story = ready(service_spec())
    [patch] = story.did(PatchObject, "pod")
    assert isinstance(patch, PatchObject)
    pod = f"prod/{story.heads[story.active].pod}"

    assert patch.notice is not None
    assert patch.notice.done.reason == "UpdatedHeadPodServeLabel"
    assert patch.notice.done.message == f'Updated the serve label to "true" for the Head Pod {pod}'
    assert patch.owner == story.clusters[story.active].meta.uid


def test_what_a_head_was_labelled_is_remembered_by_a_field_of_its_own() -> None:
    """The words for people are free to change: nothing is read out of them."""
    story = ready(service_spec())
    [labelling] = [one for one in story.did(PatchObject, "pod") if isinstance(one, PatchObject)]

    assert labelling.mark.endswith("/true")
    assert labelling.mark in story.act.noted
