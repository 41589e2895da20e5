"""A view read as a RayService: which clusters count, which answers, which endpoints."""

from msgspec.structs import replace

from shared.aggregates.rayservice import (
    all_run,
    head_may_answer,
    head_ready,
    head_ready_since,
    healthy_head,
    last_served,
    rayservice_state,
    serve_want,
    served,
)
from shared.events import subjects
from shared.events.decisions import Expectation
from shared.events.objects import ResourceSeen
from shared.events.told import FAILED, FOUND, ApplicationTold, ServeTold
from tests.support.builders import NOON
from tests.support.rayservices import SERVE_SVC, endpoints, service_spec
from tests.support.servicestory import ready


def said(*statuses: str, answer: str = FOUND) -> ServeTold:
    apps = {str(index): ApplicationTold(status=one) for index, one in enumerate(statuses)}
    return ServeTold(since=NOON, answer=answer, applications=apps)


def test_everything_must_run_and_something_must() -> None:
    """RayService checklist 35: one application that does not run is enough."""
    assert all_run(said("RUNNING", "RUNNING"))
    assert not all_run(said("RUNNING", "DEPLOYING"))
    assert not all_run(said())
    assert not all_run(said("RUNNING", answer=FAILED))
    assert not all_run(None)


def test_a_cluster_of_somebody_else_is_not_ours() -> None:
    story = ready(service_spec())
    ours = story.clusters[story.active]
    stray = replace(ours, meta=replace(ours.meta, name="stray", owners=()))
    story.clusters["stray"] = stray
    story.sees_cluster("stray")

    assert list(rayservice_state(story.view()).clusters) == [story.active]


def test_a_cluster_that_is_known_to_be_gone_is_gone_before_it_is_seen_so() -> None:
    story = ready(service_spec())
    gone = Expectation(kind="raycluster", name=story.active, what="gone", since=NOON)
    state = rayservice_state(replace(story.view(), expectations=(gone,)))

    assert (state.active, state.unsettled) == (None, frozenset())


def test_an_answer_counts_for_the_want_that_it_answers() -> None:
    story = ready(service_spec())
    name, view = story.active, story.view()
    assert view.act is not None
    asked_anew = tuple(replace(want, since=NOON.replace(hour=13)) for want in view.act.wants)
    later = replace(view, act=replace(view.act, wants=asked_anew))

    assert all_run(served(view, name))
    assert healthy_head(view, story.clusters[name]) is True
    assert served(later, name) is None
    assert healthy_head(later, story.clusters[name]) is None
    assert all_run(last_served(later, name)), "what was told last stays"


def test_an_answer_about_another_address_is_about_another_head() -> None:
    story = ready(service_spec())
    seen = story.clusters[story.active]
    head = {"podName": "x", "podIP": "10.9.9.9"}
    moved: ResourceSeen = replace(seen, status={**seen.status, "head": head})

    assert healthy_head(story.view(), moved) is None


def test_only_ready_endpoints_with_a_uid_count_and_only_those_of_the_service() -> None:
    story = ready(service_spec())
    other = endpoints("other", ("a", "b"), next(story.versions))
    mixed = endpoints(SERVE_SVC, ("one",), next(story.versions))
    entries = [{"uid": "two", "ready": False}, {"ready": True}, {"uid": "one", "ready": True}]
    story.sees(other, replace(mixed, content={"endpoints": entries}))

    assert rayservice_state(story.view()).endpoints(SERVE_SVC) == 1


def test_a_head_is_ready_as_its_cluster_tells() -> None:
    """RayService checklist 41: none, not ready, ready."""
    story = ready(service_spec())
    seen = story.clusters[story.active]
    waiting = [{"type": "HeadPodReady", "status": "False", "lastTransitionTime": "x"}]

    view = story.view()

    assert (head_ready(seen, view), head_ready_since(seen)) == (True, "2030-01-01T12:00:00Z")
    assert not head_ready(replace(seen, status={"conditions": waiting}), view)
    assert not head_ready(replace(seen, status={}), view)
    assert not head_ready(None, view)


def test_without_conditions_a_head_that_has_an_address_is_asked_and_ready_once_it_answers() -> None:
    story = ready(service_spec())
    seen = story.clusters[story.active]
    head = {"podIP": "10.0.0.1", "podName": "head"}
    told = [{"type": "HeadPodReady", "status": "False", "lastTransitionTime": "x"}]
    untold, gone = replace(seen, status={"head": head}), replace(seen, status={"head": {}})
    answered = story.view()
    story.append(subjects.told(story.key, serve_want(seen.meta.name)), said(answer=FAILED))

    assert [head_may_answer(untold), head_may_answer(gone)] == [True, False]
    assert [head_ready(untold, answered), head_ready(gone, answered)] == [True, False]
    assert not head_ready(untold, story.view())
    assert not head_ready(untold, replace(answered, told={}))
    assert not head_may_answer(replace(seen, status={"head": head, "conditions": []}))
    assert not head_may_answer(replace(seen, status={"head": head, "conditions": told}))
