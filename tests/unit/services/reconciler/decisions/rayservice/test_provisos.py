"""Requests are led with a proviso: somebody there is ready in the moment in which it is done."""

from shared.actions.objects import PatchObject
from shared.aggregates.service_routes import HTTP_ROUTE
from tests.support.rayservices import other_version, service_spec
from tests.support.servicestory import ServiceStory, ready
from tests.support.steppingstory import cluster_of, stepped_spec, stepping

B = cluster_of("2.47.0")


def patches(story: ServiceStory, kind: str) -> list[PatchObject]:
    return [one for one in story.did(PatchObject, kind) if isinstance(one, PatchObject)]


def test_services_are_led_to_who_takes_requests() -> None:
    story = ready(service_spec())
    story.wishes(rayClusterConfig=other_version())
    story.goes_on()
    new = story.pending
    story.serves()
    led = patches(story, "service")

    assert {one.name for one in led} == {"fruit-head-svc", "fruit-serve-svc"}
    assert all(one.provided == {"ray.io/cluster": new, "ray.io/serve": "true"} for one in led)


def test_a_share_is_given_to_who_is_behind_the_service_of_the_cluster() -> None:
    story = stepping(stepped_spec())
    old = story.active
    story.wishes(rayClusterConfig=B)
    story.goes_on()
    new = story.pending
    story.head_comes_up(new)
    for _ in range(14):
        story.time_passes(10)
    gained = [one.provided.get("ray.io/cluster", "") for one in patches(story, HTTP_ROUTE)]

    assert story.active == new
    assert new in gained
    assert old not in gained, "who loses a share need not be ready"
