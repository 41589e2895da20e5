"""What Serve is told and when: once, and again for another text or a head that forgot."""

import pytest

from shared.actions.objects import ConfigureServe
from shared.aggregates.rayservice import last_served
from tests.support.rayservices import MARKET, STAND, service_spec
from tests.support.servicestory import ServiceStory, begun, ready


def told(story: ServiceStory) -> list[ConfigureServe]:
    return [action for action in story.did(ConfigureServe) if isinstance(action, ConfigureServe)]


@pytest.mark.parametrize("status", ["DEPLOYING", "UNHEALTHY", "DEPLOY_FAILED", "NOT_STARTED"])
def test_a_cluster_whose_application_does_not_run_does_not_serve(status: str) -> None:
    """RayService checklist 35: only RUNNING counts."""
    story = begun(service_spec())
    story.head_comes_up(story.pending)
    story.goes_on()
    story.apps_are(status)
    story.goes_on()

    assert (story.services, story.active) == ({}, "")
    assert story.apps("pending") == {"stand": status}
    story.apps_are("RUNNING")
    story.goes_on()
    assert story.condition("Ready")[0] == "True"


def test_serve_is_told_once() -> None:
    """RayService checklist 36: equal text and applications present."""
    story = ready(service_spec())
    story.time_passes(3600)

    assert [action.cluster for action in told(story)] == [story.active]


def test_another_reconciler_tells_nothing_again() -> None:
    """RayService checklist 36: what was accepted is in the log, so a restart resends nothing."""
    story = ready(service_spec())
    rest = ServiceStory(service_spec())
    rest.__dict__.update(story.__dict__)
    rest.goes_on()

    assert len(told(rest)) == 1


def test_another_text_is_told_to_the_same_cluster() -> None:
    """RayService checklist 26: the new application shows, nothing else moves."""
    story = ready(service_spec())
    name = story.active
    story.wishes(serveConfigV2=MARKET)
    story.goes_on()
    story.apps_are("RUNNING")
    story.goes_on()

    assert (story.active, story.pending, story.leads_to) == (name, "", name)
    assert story.apps() == {"market": "RUNNING"}
    notice = told(story)[-1].notice
    assert notice is not None
    assert notice.done.reason == "UpdatedServeApplications"
    assert notice.done.message == f"Updated serve applications to the RayCluster prod/{name}"


def test_a_space_more_is_another_text() -> None:
    story = ready(service_spec())
    story.wishes(serveConfigV2=STAND + "\n# seen\n")
    story.goes_on()

    assert len(told(story)) == 2


def test_a_head_without_memory_is_told_again() -> None:
    """RayService checklist 37: a new head under the old name, and everything as before."""
    story = ready(service_spec())
    name = story.active
    story.head_is_lost(name)
    story.goes_on()
    assert story.condition("Ready") == ("False", "ZeroServeEndpoints")
    story.passes(30)
    story.head_comes_up(name)
    story.goes_on()
    assert story.heads[name].apps == {"stand": "DEPLOYING"}
    story.apps_are("RUNNING")
    story.goes_on()

    assert len(told(story)) == 2
    assert story.heads[name].label == "true"
    assert story.condition("Ready") == ("True", "NonZeroServeEndpoints")
    assert story.status["numServeEndpoints"] == 1


def test_a_head_with_memory_is_told_nothing() -> None:
    """RayService checklist 38: the applications are still listed, workers serve on."""
    story = ready(service_spec(), workers=2)
    name = story.active
    apps = story.heads[name].apps
    story.heads[name].ready = False
    story.head_tells(name)
    story.goes_on()
    assert story.condition("Ready")[0] == "True", "workers take requests"
    story.passes(30)
    story.heads[name].ready = True
    story.head_tells(name)
    story.goes_on()

    assert story.heads[name].apps == apps
    assert len(told(story)) == 1
    assert story.status["numServeEndpoints"] == 3


def test_a_serve_that_stays_empty_is_told_every_ten_seconds_at_most() -> None:
    story = ready(service_spec())
    for _ in range(3):
        story.heads[story.active].apps.clear()
        story.goes_on()
        story.time_passes(10)
    before = len(told(story))
    story.heads[story.active].apps.clear()
    story.goes_on()

    assert len(told(story)) == before <= 4


def test_a_dashboard_that_hangs_changes_nothing_that_is_told() -> None:
    story = ready(service_spec())
    story.heads[story.active].answers = False
    story.goes_on()

    assert story.apps() == {"stand": "RUNNING"}
    assert story.condition("Ready") == ("True", "NonZeroServeEndpoints")
    assert last_served(story.view(), story.active) is None, "nobody could tell"


@pytest.mark.parametrize("failure", ["lost", "1 validation error for ServeDeploySchema"])
def test_a_serve_that_refuses_is_told_later_and_later(failure: str) -> None:
    """No answer or a no: not at bus speed, and not never."""
    story = begun(service_spec())
    story.head_comes_up(story.pending).failure = failure
    story.goes_on()
    story.time_passes(60)
    assert 3 <= len(told(story)) <= 6
    story.heads[story.pending].failure = ""
    story.time_passes(300)

    assert story.heads[story.pending].apps == {"stand": "DEPLOYING"}


def test_a_repaired_configuration_is_told_at_once() -> None:
    story = begun(service_spec())
    story.head_comes_up(story.pending).failure = "no"
    story.goes_on()
    story.heads[story.pending].failure = ""
    story.wishes(serveConfigV2=MARKET)
    story.goes_on()

    assert story.heads[story.pending].apps == {"market": "DEPLOYING"}


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("applications: [", "line 1, column 16: this is not YAML"),
        ("- a list", "it holds a list, not a mapping"),
        ("", "it is empty"),
    ],
)
def test_a_text_that_cannot_be_told_is_named_once(text: str, word: str) -> None:
    """Neither silence nor a word every two seconds."""
    story = begun(service_spec(text))
    story.head_comes_up(story.pending)
    story.goes_on()
    story.time_passes(600)

    assert story.told_people() == ["FailedToUpdateServeApplications"]
    assert story.notices[0].message.endswith(f"spec.serveConfigV2: {word}")
    assert [trouble.message for trouble in story.act.troubles] == [f"spec.serveConfigV2: {word}"]
    assert told(story) == []
    story.wishes(serveConfigV2=STAND)
    story.goes_on()
    assert len(told(story)) == 1
    assert story.act.troubles == ()


@pytest.mark.parametrize("text", ["applications: []\n", "applications:\n", "http_options: {}\n"])
def test_a_service_without_applications_is_told_to_serve_and_says_why_it_is_not_ready(
    text: str,
) -> None:
    """Serve takes it, and nothing would ever say that nothing can come of it."""
    story = begun(service_spec(text))
    story.head_comes_up(story.pending)
    story.goes_on()
    story.time_passes(600)

    words = "spec.serveConfigV2: it names no application, and a service without one is never ready"
    assert [trouble.message for trouble in story.act.troubles] == [words]
    assert story.condition("Blocked")[0] == "True"
    assert len(told(story)) == 1
    story.wishes(serveConfigV2=STAND)
    story.goes_on()
    assert story.act.troubles == ()


def test_a_bad_text_leaves_what_is_served_alone() -> None:
    story = ready(service_spec())
    story.wishes(serveConfigV2="applications: [")
    story.goes_on()

    assert story.apps() == {"stand": "RUNNING"}
    assert story.condition("Ready") == ("True", "NonZeroServeEndpoints")


def test_where_the_dashboard_is() -> None:
    """RayService checklist 40: the head service of the cluster, the port named dashboard."""
    story = begun(service_spec())
    story.head_comes_up(story.pending)
    story.goes_on()

    assert told(story)[0].address == f"{story.pending}-head-svc.prod.svc.cluster.local:8265"
    assert told(story)[0].secret == ""


def test_a_cluster_with_a_token_is_asked_with_it() -> None:
    """RayService checklist 39: the Secret is named, its value never told."""
    spec = service_spec()
    config = spec["rayClusterConfig"]
    assert isinstance(config, dict)
    guarded = {**config, "rayVersion": "2.52.0", "authOptions": {"mode": "token"}}
    story = begun({**spec, "rayClusterConfig": guarded})
    story.head_comes_up(story.pending)
    story.goes_on()
    wants = {want.name: want for want in story.act.wants}

    assert told(story)[0].secret == story.pending
    assert wants[f"serve-{story.pending}"].secret == story.pending  # type: ignore[union-attr]


def test_nothing_is_asked_of_a_cluster_without_a_ready_head() -> None:
    """RayService checklist 41: no head, or one that is not ready."""
    story = begun(service_spec())
    assert story.act.wants == ()
    story.head_comes_up(story.pending)
    story.heads[story.pending].ready = False
    story.head_tells(story.pending)
    story.goes_on()

    assert (story.act.wants, told(story)) == ((), [])


@pytest.mark.parametrize("failure", ["lost", "not yet"])
def test_a_head_that_forgot_and_refuses_is_told_later_and_later(failure: str) -> None:
    """Found by the story: asking anew took the refusal back, and Serve was told at bus speed."""
    story = ready(service_spec())
    name = story.active
    story.head_is_lost(name)
    story.goes_on()
    story.passes(30)
    story.head_comes_up(name).failure = failure
    story.goes_on()
    story.time_passes(60)

    assert 3 <= len(told(story)) - 1 <= 6
    story.heads[name].failure = ""
    story.time_passes(300)
    assert story.heads[name].apps == {"stand": "DEPLOYING"}
