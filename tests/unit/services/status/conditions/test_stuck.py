"""What we cannot go on with is said by every kind that has a place for it, whatever its phase."""

from collections.abc import Mapping

import pytest
from msgspec.structs import replace

from services.status.assessing import assessed
from services.status.conditions.blocked import object_of
from services.status.conditions.raycluster import OF_ALL
from services.status.patch import difference
from shared.aggregates.blame import parked as parked_waits
from shared.aggregates.blame import waits
from shared.events.objects import ResourceSeen
from shared.kernel.features import STATUS_CONDITIONS, Features
from shared.kernel.keys import ResourceKey
from shared.kernel.manifests import entries_at
from tests.support import builders, crons, rayjobs, rayservices
from tests.support.builders import Raw, being_deleted, cluster_spec, group, with_status, worker
from tests.support.history import History

WHERE = "KeyError in services.reconciler.decisions.raycluster.head.ensure"
WORDS = (
    f"this version cannot decide about it ({WHERE}); "
    "it waits for another spec or another version, and its pods are left as they are"
)
NO_CONDITIONS = Features(enabled=OF_ALL.enabled - {STATUS_CONDITIONS})
SPEC = cluster_spec(group("small", 1))
NO_SENSE: Raw = {"headGroupSpec": 7}
BLOCKED: Raw = {
    "type": "Blocked",
    "status": "True",
    "reason": "Quota",
    "message": "group small: exceeded quota",
    "lastTransitionTime": "2030-01-01T11:00:00Z",
}
SAYING = ("", "Initializing", "Waiting", "Running")
"""Where a RayJob may say it; while it runs only if nobody else has said anything."""
SILENT = ("Running", "Suspending", "Suspended", "Retrying", "Complete", "Failed")


def parked(key: ResourceKey, seen: ResourceSeen) -> History:
    history = History(key)
    history.sees(seen)
    history.parks(WHERE)
    return history


def cluster(spec: Raw, *conditions: Raw) -> History:
    status: Raw = {"state": "ready", "observedGeneration": 1, "conditions": list(conditions)}
    return parked(builders.KEY, with_status(builders.resource(spec), status))


def job(phase: str, **status: object) -> History:
    told: Raw = {"jobDeploymentStatus": phase, "rayClusterName": "train-x", **status}
    suspend = phase in ("Suspending", "Suspended") or None
    seen = rayjobs.rayjob(rayjobs.job_spec(suspend=suspend), finalized=True)
    return parked(rayjobs.KEY, with_status(seen, told if phase else {}))


def service(status: Raw) -> History:
    seen = rayservices.rayservice(rayservices.service_spec())
    return parked(rayservices.KEY, with_status(seen, status))


def status_of(history: History, features: Features = OF_ALL) -> Raw:
    status = assessed(history.view(), features)
    assert status is not None
    return status


def blocked(status: Mapping[str, object]) -> list[tuple[object, object]]:
    return [
        (one["reason"], one["message"])
        for one in entries_at(status, "conditions")
        if one["type"] == "Blocked"
    ]


@pytest.mark.parametrize("spec", [SPEC, NO_SENSE])
def test_a_cluster_says_it_before_all_else(spec: Raw) -> None:
    history = cluster(spec)
    history.sees(worker("w1", ready=False))

    assert blocked(status_of(history)) == [("Parked", f"raycluster demo: {WORDS}")]
    assert waits(history.view())[0].cause == "Parked"


def test_who_tells_of_a_cluster_names_it_once() -> None:
    [wait] = parked_waits(cluster(SPEC).view())

    assert object_of(replace(wait, through="raycluster demo")) == "raycluster demo"
    assert (
        object_of(replace(wait, through="raycluster other"))
        == "raycluster demo of raycluster other"
    )


def test_a_cluster_that_is_going_says_it_too() -> None:
    history = parked(builders.KEY, being_deleted(builders.resource(SPEC)))

    assert blocked(status_of(history)) == [("Parked", f"raycluster demo: {WORDS}")]


def test_what_goes_on_going_no_longer_says_it() -> None:
    history = parked(builders.KEY, being_deleted(builders.resource(SPEC)))
    history.writes_status(status_of(history), 9)
    history.parks("")

    assert blocked(status_of(history)) == []


def test_whose_finalizer_holds_a_deleted_cluster_is_told_rather() -> None:
    seen = being_deleted(builders.resource(SPEC))
    held = replace(seen, meta=replace(seen.meta, finalizers=("example.com/hold",)))

    assert [reason for reason, _ in blocked(status_of(parked(builders.KEY, held)))] == ["Finalizer"]


def test_no_generation_is_said_to_be_judged_by_it() -> None:
    history = cluster(SPEC)
    history.sees(builders.resource(SPEC, generation=2, version=3))
    history.parks(WHERE)

    assert "observedGeneration" not in difference(history.view().status, status_of(history))


@pytest.mark.parametrize("status", [{}, builders.suspending(1)])
def test_a_service_says_it_in_every_state(status: Raw) -> None:
    assert blocked(status_of(service(status))) == [("Parked", f"rayservice fruit: {WORDS}")]


@pytest.mark.parametrize("phase", SAYING)
def test_a_job_says_it_where_its_message_is_told_anew_each_time(phase: str) -> None:
    assert status_of(job(phase))["message"] == WORDS


@pytest.mark.parametrize("phase", SILENT)
def test_a_job_loses_no_other_word_by_it(phase: str) -> None:
    assert status_of(job(phase, message="out of memory"))["message"] == "out of memory"


@pytest.mark.parametrize("phase", sorted({*SAYING, *SILENT}))
def test_a_job_that_can_go_on_no_longer_says_it(phase: str) -> None:
    history = job(phase, message=WORDS)
    history.parks("")

    assert not status_of(history).get("message")


@pytest.mark.parametrize(
    "history",
    [
        cluster(SPEC),
        cluster(NO_SENSE),
        cluster(SPEC, BLOCKED),
        parked(builders.KEY, being_deleted(builders.resource(SPEC))),
        service({}),
        service(builders.suspending(1)),
        *(job(phase) for phase in SAYING),
    ],
)
def test_what_was_written_is_not_written_again_however_late_it_is(history: History) -> None:
    for _ in range(2):
        history.writes_status(status_of(history), history.view().status_version + 1)
        history.passes(7)
        history.sees(worker("w1", version=history.view().based_on + 90))

    assert difference(history.view().status, status_of(history)) == {}


def test_kinds_without_a_place_for_it_say_nothing() -> None:
    cron = parked(crons.CRON_KEY, crons.cron())

    assert "message" not in status_of(cron)
    assert "conditions" not in status_of(cluster(SPEC), NO_CONDITIONS)


def test_nothing_is_left_of_it_once_the_rules_hold() -> None:
    history = cluster(SPEC)
    history.parks("")

    assert blocked(status_of(history)) == []
