"""RayServices in the metrics, under KubeRay's names, and their states."""

from services.status.metrics.services import SERVICES
from shared.aggregates.view import View
from shared.telemetry.metrics import REGISTRY
from tests.support.builders import resource
from tests.support.history import History
from tests.support.rayservices import UID, other_version, service_spec
from tests.support.servicestory import begun, ready

IDENTITY = {"name": "fruit", "namespace": "prod", "uid": UID}


def shown(*views: View) -> dict[str, list[str]]:
    """Every series of the RayServices, and which condition it shows."""
    with SERVICES.showing(lambda: views):
        families = [one for one in REGISTRY.collect() if "_service_" in one.name]
    found = {}
    for family in families:
        for sample in family.samples:
            assert sample.value == 1
            assert {key: sample.labels[key] for key in IDENTITY} == IDENTITY
        found[family.name] = [told(sample.labels) for sample in family.samples]
    return found


def told(labels: dict[str, str]) -> str:
    """What a series says beside of whom it says it."""
    return "".join(value for key, value in labels.items() if key not in IDENTITY)


def expected(state: str, *, ready: str, upgrading: str) -> dict[str, list[str]]:
    return {
        "kuberay_service_info": [""],
        "kuberay_service_condition_ready": [ready],
        "kuberay_service_condition_upgrade_in_progress": [upgrading],
        "heliograph_service_state": [state],
    }


def test_one_series_for_each_condition_of_a_service() -> None:
    """RayService checklist 83: true or false, never both; unknown counts as false."""
    story = begun(service_spec())
    assert shown(story.view()) == expected("Beginning", ready="false", upgrading="false")
    story.serves()
    assert shown(story.view()) == expected("Serving", ready="true", upgrading="false")
    story.wishes(rayClusterConfig=other_version())
    story.goes_on()
    assert shown(story.view()) == expected("Upgrading", ready="true", upgrading="true")


def test_what_is_gone_or_no_service_is_not_shown() -> None:
    story = ready(service_spec())
    story.is_deleted()
    story.goes_on()
    other = History()
    other.sees(resource())

    assert set(map(tuple, shown(story.view(), other.view()).values())) == {()}
