"""What is in the way of a RayService: of its clusters, of their dashboards, of what it serves."""

import pytest
from msgspec.structs import replace

from services.status.assessing import assessed, must_not_wait
from services.status.patch import difference
from shared.kernel.features import Features
from shared.kernel.manifests import entries_at
from tests.support.builders import Raw
from tests.support.rayservices import service_spec
from tests.support.servicestory import ServiceStory, begun, ready

PULL: Raw = {
    "type": "Blocked",
    "status": "True",
    "reason": "ImagePull",
    "message": "pod x-head: container ray, ErrImagePull",
    "lastTransitionTime": "2030-01-01T11:59:00Z",
}


def blocked(story: ServiceStory) -> tuple[str, str, str] | None:
    for told in entries_at(story.status, "conditions"):
        if told["type"] == "Blocked":
            return str(told["status"]), str(told["reason"]), str(told["message"])
    return None


def cluster_tells(story: ServiceStory, name: str, *conditions: Raw) -> None:
    seen = story.clusters[name]
    others = [one for one in entries_at(seen.status, "conditions") if one["type"] != "Blocked"]
    status = {**seen.status, "conditions": [*others, *conditions]}
    meta = replace(seen.meta, resource_version=next(story.versions))
    story.clusters[name] = replace(seen, meta=meta, status=status)
    story.sees_cluster(name)


def patch_of(story: ServiceStory) -> Raw:
    view = story.view()
    return difference(view.status, assessed(view, Features()) or {})


def test_a_service_that_begins_or_serves_has_nothing_in_its_way() -> None:
    assert blocked(begun(service_spec())) is None
    assert blocked(ready(service_spec())) is None


def test_what_is_in_the_way_of_a_cluster_is_told_and_taken_back() -> None:
    story = begun(service_spec())
    name = story.pending
    cluster_tells(story, name, PULL)
    first = patch_of(story)
    story.goes_on()
    during, resting = blocked(story), patch_of(story)
    cluster_tells(story, name)
    story.goes_on()

    words = f"pod x-head of raycluster {name}: container ray, ErrImagePull"
    assert during == ("True", "ImagePull", words)
    assert "conditions" in first
    assert not must_not_wait(story.view(), first), "it may be gone in a moment"
    assert resting == {}
    assert blocked(story) is None


def test_a_cluster_that_is_suspended_is_in_the_way() -> None:
    story = begun(service_spec())
    name = story.pending
    seen = story.clusters[name]
    story.clusters[name] = replace(seen, spec={**seen.spec, "suspend": True})
    cluster_tells(story, name)
    story.goes_on()

    words = "it is suspended, and only its own spec.suspend lets it go on"
    assert blocked(story) == ("True", "Suspended", f"raycluster {name}: {words}")


@pytest.mark.parametrize("status", ["DEPLOY_FAILED", "UNHEALTHY"])
def test_an_application_that_does_not_get_well_is_in_the_way(status: str) -> None:
    story = ready(service_spec())
    story.apps_are("DEPLOYING")
    story.goes_on()
    merely = blocked(story)
    story.apps_are(status)
    story.goes_on()

    found = blocked(story)
    assert merely is None
    assert found is not None
    assert found[1] == "ServeFailed"
    assert found[2].startswith("application ")
    assert f"it is {status}" in found[2]
