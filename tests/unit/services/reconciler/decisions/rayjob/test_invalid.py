"""Specs that make no sense: told exactly, harmless, and left again when they are repaired."""

import pytest
from msgspec.structs import replace

from services.reconciler.decisions.decision import Context
from shared.actions.objects import CreateObject
from shared.kernel.features import Features, parse_features
from shared.resources.rayjob import RayJob
from shared.resources.reading import read_rayjob
from shared.validation.rayjob import validate
from tests.support.builders import CONTEXT, SETTINGS, Raw, cluster_spec, group
from tests.support.jobstory import JobStory, running
from tests.support.rayjobs import job_spec

PREFIX = "The RayJob spec is invalid: "
CHOSEN: Raw = {"clusterSelector": {"ray.io/cluster": "mine"}, "rayClusterSpec": None}
SCALED = cluster_spec(group(), enableInTreeAutoscaling=True)
WON: Raw = {"jobStatus": "SUCCEEDED"}
LOST: Raw = {"jobDeploymentStatus": "Failed"}


def pair(success: str | None, failure: str | None) -> Raw:
    sides = {"onSuccess": success, "onFailure": failure}
    return {"deletionStrategy": {side: {"policy": one} for side, one in sides.items() if one}}


def rules(*each: tuple[str, int, Raw]) -> Raw:
    listed = [
        {"policy": policy, "condition": {"ttlSeconds": ttl, **when}} for policy, ttl, when in each
    ]
    return {"deletionStrategy": {"deletionRules": listed}}


REFUSED: list[tuple[str, Raw]] = [
    ("not allowed to be suspended", {"suspend": True}),
    (
        "doesn't support the suspend operation",
        {**CHOSEN, "suspend": True, "shutdownAfterJobFinishes": True},
    ),
    ("backoffLimit must be a positive integer", {"backoffLimit": -1}),
    ("incompatible with InteractiveMode", {"submissionMode": "InteractiveMode", "backoffLimit": 1}),
    ("incompatible with ClusterSelector mode", {**CHOSEN, "backoffLimit": 1}),
    ("cannot have TTLSecondsAfterFinished", {"ttlSecondsAfterFinished": 5}),
    ("must be a non-negative integer", {"ttlSecondsAfterFinished": -5}),
    (
        "doesn't support SubmitterPodTemplate",
        {"submissionMode": "SidecarMode", "submitterPodTemplate": {"spec": {"containers": []}}},
    ),
    (
        "doesn't support SubmitterConfig",
        {"submissionMode": "SidecarMode", "submitterConfig": {"backoffLimit": 1}},
    ),
    (
        "ClusterSelector is not supported in SidecarMode",
        {**CHOSEN, "submissionMode": "SidecarMode"},
    ),
    (
        "cluster name in ClusterSelector should not be empty",
        {"clusterSelector": {"ray.io/cluster": ""}, "rayClusterSpec": None},
    ),
    (
        "one of RayClusterSpec or ClusterSelector must be set",
        {"clusterSelector": {}, "rayClusterSpec": None},
    ),
    ("both DeletionStrategy.OnSuccess and DeletionStrategy.OnFailure", pair("DeleteSelf", None)),
    (
        "while deletion policy is 'DeleteNone'",
        {**pair("DeleteNone", "DeleteSelf"), "shutdownAfterJobFinishes": True},
    ),
    (
        "does not support RayCluster with autoscaling enabled",
        {**pair("DeleteWorkers", "DeleteNone"), "rayClusterSpec": SCALED},
    ),
    ("are mutually exclusive", {**rules(("DeleteSelf", 0, WON)), "shutdownAfterJobFinishes": True}),
    ("duplicate rule", rules(("DeleteSelf", 0, WON), ("DeleteSelf", 9, WON))),
    ("TTLSeconds must be non-negative", rules(("DeleteSelf", -1, WON))),
    ("cannot set both", rules(("DeleteSelf", 0, {**WON, **LOST}))),
    ("exactly one of", rules(("DeleteSelf", 0, {}))),
    ("must be >=", rules(("DeleteCluster", 5, WON), ("DeleteSelf", 1, WON))),
    ("DeletionStrategy requires either", {"deletionStrategy": {}}),
    ("failed to unmarshal RuntimeEnvYAML", {"runtimeEnvYAML": "just text"}),
    (
        "K8s token auth mode is currently not supported for RayJob",
        {
            "rayClusterSpec": cluster_spec(
                group(),
                rayVersion="2.55.0",
                authOptions={"mode": "token", "enableK8sTokenAuth": True},
            )
        },
    ),
]


@pytest.mark.parametrize(("text", "fields"), REFUSED, ids=[text for text, _ in REFUSED])
def test_a_senseless_spec_is_told_and_nothing_is_made(text: str, fields: Raw) -> None:
    """RayJob checklist 76, 77, 78, 79, 80, 81, 82, 86, 87: ValidationFailed, in these words."""
    story = JobStory(job_spec(**{"submissionMode": "K8sJobMode", **fields}))
    story.goes_on()
    status = story.status

    assert (story.phase, status["reason"]) == ("ValidationFailed", "ValidationFailed")
    assert text in str(status["message"])
    assert [one for one in story.done if isinstance(one, CreateObject)] == []
    (notice,) = story.notices
    assert (notice.warning, notice.reason, notice.action) == (True, "InvalidRayJobSpec", "Validate")
    assert notice.message.startswith("prod/train: ")


ACCEPTED: list[Raw] = [
    {"suspend": True, "shutdownAfterJobFinishes": True},
    {"submissionMode": "InteractiveMode", "backoffLimit": 0},
    {"submissionMode": "InteractiveMode"},
    {"ttlSecondsAfterFinished": 5, "shutdownAfterJobFinishes": True},
    CHOSEN,
    rules(("DeleteCluster", 5, WON), ("DeleteSelf", 1, LOST)),
]


@pytest.mark.parametrize("fields", ACCEPTED)
def test_these_are_fine(fields: Raw) -> None:
    """RayJob checklist 76, 77, 78, 80, 82: what looks alike and makes sense."""
    story = JobStory(job_spec(**{"submissionMode": "K8sJobMode", **fields}))
    story.goes_on()

    assert story.phase in ("Initializing", "Suspended")


@pytest.mark.parametrize("policy", ["Always", "OnFailure"])
def test_a_head_that_restarts_does_not_go_with_a_submitter_beside_it(policy: str) -> None:
    """RayJob checklist 79: Never or unset."""
    head = {"spec": {"restartPolicy": policy, "containers": [{"name": "ray", "image": "ray"}]}}
    spec = cluster_spec(group(), headGroupSpec={"template": head})
    story = JobStory(job_spec("SidecarMode", rayClusterSpec=spec))
    story.goes_on()

    assert "restartPolicy for head Pod should be Never or unset" in str(story.status["message"])


def test_a_shut_gate_refuses_a_deletion_strategy() -> None:
    """RayJob checklist 83."""
    features = parse_features("RayJobDeletionPolicy=false")
    context = Context(settings=replace(SETTINGS, features=features), session=CONTEXT.session)
    story = JobStory(job_spec(**rules(("DeleteSelf", 0, WON))), context)
    story.goes_on()

    assert story.status["message"] == (
        "spec.deletionStrategy: RayJobDeletionPolicy feature gate must be enabled to use "
        "DeletionStrategy"
    )


def test_waiting_is_for_interactive_jobs() -> None:
    """RayJob checklist 84: a changed mode is told as a status of no sense, then followed."""
    story = running(job_spec("InteractiveMode"))
    story.wishes(submissionMode="HTTPMode")
    story.goes_on()

    assert [(notice.reason, notice.message) for notice in story.notices] == [
        (
            "InvalidRayJobStatus",
            (
                "prod/train: The RayJob status is invalid: JobDeploymentStatus cannot be `Waiting` "
                "when SubmissionMode is not InteractiveMode"
            ),
        )
    ]
    assert (story.phase, story.dashboard.submitted) == ("Running", [story.job_id])


@pytest.mark.parametrize("mode", ["K8sJobMode", "HTTPMode"])
def test_a_repaired_job_goes_on_where_it_was(mode: str) -> None:
    story = running(job_spec(mode))
    name = story.cluster_name
    story.wishes(activeDeadlineSeconds=-1)
    story.goes_on()
    assert story.phase == "ValidationFailed"
    assert list(story.clusters) == [name]
    story.wishes(activeDeadlineSeconds=None)
    story.goes_on()

    assert (story.phase, story.cluster_name) == ("Running", name)
    assert "reason" not in story.status
    story.job_is("SUCCEEDED")
    if mode == "K8sJobMode":
        story.submitter_ends()
    story.goes_on()
    assert story.phase == "Complete"


def test_suspending_without_shutdown_is_refused_and_taken_back_without_harm() -> None:
    story = running(job_spec())
    story.wishes(suspend=True)
    story.goes_on()
    assert story.phase == "ValidationFailed"
    story.wishes(suspend=None)
    story.goes_on()

    assert story.phase == "Running"


def test_an_end_stays_the_end_whatever_becomes_of_the_spec() -> None:
    story = running(job_spec())
    story.job_is("SUCCEEDED")
    story.goes_on()
    story.wishes(activeDeadlineSeconds=-1)
    story.goes_on()

    assert story.phase == "Complete"


@pytest.mark.parametrize("name", ["1train", "Train", "a.b", "train-"])
def test_a_name_that_is_no_label_is_refused(name: str) -> None:
    """RayJob checklist 85: in the words of the rule, with what a name may be."""
    job = read_rayjob({"metadata": {"name": name, "namespace": "prod"}, "spec": job_spec()})
    assert isinstance(job, RayJob)
    (problem,) = validate(job, Features())

    assert problem.reason == "InvalidRayJobMetadata"
    assert problem.message.startswith(
        "The RayJob metadata is invalid: RayJob name should be a valid DNS1035 label: ["
    )
