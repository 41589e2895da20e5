"""The RayJob of a run: what it takes from the schedule, and that the template stays as it is."""

from datetime import timedelta

from services.reconciler.manifests.raycronjob import run_manifest
from shared.resources.raycronjob import RayCronJob
from shared.resources.reading import read_raycronjob
from tests.support.builders import NOON
from tests.support.crons import TEMPLATE, name_at

METADATA = {
    "name": "nightly",
    "namespace": "prod",
    "uid": "u-1",
    "labels": {"kueue.x-k8s.io/queue-name": "q"},
    "annotations": {"a": "b"},
}


def schedule() -> RayCronJob:
    read = read_raycronjob(
        {"metadata": METADATA, "spec": {"schedule": "@daily", "jobTemplate": TEMPLATE}}
    )
    assert isinstance(read, RayCronJob), read
    return read


def test_nothing_of_the_schedules_own_metadata_is_passed_on() -> None:
    """RayCronJob checklist 4: the label is the schedule's name."""
    metadata = run_manifest(schedule(), TEMPLATE, NOON)["metadata"]

    assert isinstance(metadata, dict)
    assert metadata["name"] == name_at(0)
    assert metadata["labels"] == {"ray.io/cronjob-name": "nightly"}
    assert metadata["annotations"] == {"ray.io/cronjob-scheduled-timestamp": "2030-01-01T12:00:00Z"}


def test_every_minute_has_its_own_name_and_every_second_of_it_the_same() -> None:
    """RayCronJob checklist 6: one tick, one name."""

    def name(seconds: int) -> object:
        metadata = run_manifest(schedule(), TEMPLATE, NOON + timedelta(seconds=seconds))["metadata"]
        assert isinstance(metadata, dict)
        return metadata["name"]

    assert name(0) == name(59) != name(60)


def test_the_template_is_copied_and_never_shared() -> None:
    """RayCronJob checklist 4: with the template's entrypoint."""
    spec = run_manifest(schedule(), TEMPLATE, NOON)["spec"]

    assert spec == TEMPLATE
    assert isinstance(spec, dict)
    spec["rayClusterSpec"]["rayVersion"] = "changed"
    assert spec != TEMPLATE
