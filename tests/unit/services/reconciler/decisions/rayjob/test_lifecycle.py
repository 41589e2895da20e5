"""A RayJob from its first breath to its end, and what its status says on the way."""

import pytest
from msgspec.structs import replace

from shared.actions.jobs import SubmitJob
from shared.actions.objects import CreateObject
from shared.events.records import StatusWritten
from shared.kernel.features import Features
from shared.kernel.manifests import mapping_at
from shared.resources.rayjob import RayJob
from shared.resources.reading import read_rayjob
from shared.validation.rayjob import validate
from tests.support.builders import Raw, cluster_spec, group
from tests.support.jobstory import JobStory, running
from tests.support.rayjobs import job_spec

MODES = ("K8sJobMode", "HTTPMode", "SidecarMode", "InteractiveMode")


def begun(spec: Raw) -> JobStory:
    """A RayJob whose cluster was asked for and is not ready."""
    story = JobStory(spec)
    story.goes_on()
    return story


def written(story: JobStory) -> list[Raw]:
    bodies = [record.envelope.body for record in story.records]
    return [body.status for body in bodies if isinstance(body, StatusWritten)]


@pytest.mark.parametrize("mode", ["K8sJobMode", "HTTPMode", "SidecarMode"])
def test_names_and_start_are_told_before_anything_is_made(mode: str) -> None:
    """RayJob checklist 1: New -> Initializing sets cluster name, job id and start."""
    story = begun(job_spec(mode))
    first = written(story)[0]

    assert first["jobDeploymentStatus"] == story.phase == "Initializing"
    assert str(first["rayClusterName"]).startswith("train-")
    assert first["jobId"] == first["rayClusterName"]
    assert first["startTime"] == "2030-01-01T12:00:00Z"
    assert story.did(CreateObject), "the cluster follows the name"


def test_an_interactive_job_has_no_id_until_its_user_names_it() -> None:
    """RayJob checklist 2: at Initializing the job id is empty, the other two are set."""
    status = begun(job_spec("InteractiveMode")).status

    assert "jobId" not in status
    assert status["rayClusterName"]
    assert status["startTime"]


def test_the_users_own_job_id_is_taken() -> None:
    assert begun(job_spec(jobId="mine")).job_id == "mine"


def test_the_cluster_is_the_one_that_the_user_described() -> None:
    """RayJob checklist 3: labels of its origin, equal annotations, replicas and version."""
    spec = cluster_spec(group("small", 3), rayVersion="2.46.0")
    story = JobStory(job_spec(rayClusterSpec=spec))
    assert story.own is not None
    meta = replace(story.own.meta, annotations={"team": "red"}, labels={"queue": "blue"})
    story.own = replace(story.own, meta=meta)
    story.sees(story.own)
    story.goes_on()
    manifest = story.manifest("cluster")
    metadata = mapping_at(manifest, "metadata")

    assert metadata["labels"] == {
        "queue": "blue",
        "ray.io/originated-from-cr-name": "train",
        "ray.io/originated-from-crd": "RayJob",
        "ray.io/job-submission-mode": "HTTPMode",
    }
    assert metadata["annotations"] == {"team": "red"}
    assert manifest["spec"] == spec


def test_a_name_of_47_letters_is_fine_and_one_of_48_is_not() -> None:
    """RayJob checklist 4: the longest name works, one letter more is refused."""

    def problems(length: int) -> list[str]:
        name = {"name": "a" * length, "namespace": "prod"}
        job = read_rayjob({"metadata": name, "spec": job_spec()})
        assert isinstance(job, RayJob)
        return [one.message for one in validate(job, Features())]

    assert problems(47) == []
    assert problems(48) == [
        "The RayJob metadata is invalid: RayJob name should be no more than 47 characters"
    ]


def test_the_cluster_is_mirrored_while_it_comes_up() -> None:
    """RayJob checklist 5: conditions of a cluster that is not ready are told."""
    story = begun(job_spec())
    conditions = [{"type": "HeadPodReady", "status": "False", "reason": "ContainersNotReady"}]
    story.cluster_is("", conditions=conditions)
    story.goes_on()

    assert story.phase == "Initializing"
    assert story.status["rayClusterStatus"] == {"state": "", "conditions": conditions}


def test_a_ready_cluster_lets_it_run() -> None:
    """RayJob checklist 6, 7: Running, with the dashboard's address and the submitter."""
    story = running(job_spec("K8sJobMode"))

    assert story.phase == "Running"
    assert story.submitter is not None
    name = story.cluster_name
    assert story.status["dashboardURL"] == f"{name}-head-svc.prod.svc.cluster.local:8265"
    assert str(story.status["dashboardURL"]).startswith("train-")


def test_a_job_that_succeeded_waits_for_its_submitter() -> None:
    """RayJob checklist 8: Running until the submitter is Complete, too."""
    story = running(job_spec("K8sJobMode"))
    story.job_is("SUCCEEDED", "done")
    story.time_passes(3)

    assert (story.phase, story.status["jobStatus"]) == ("Running", "SUCCEEDED")
    story.submitter_ends()
    story.goes_on()
    assert story.phase == "Complete"


@pytest.mark.parametrize("mode", ["K8sJobMode", "HTTPMode"])
def test_success_is_told_with_its_times(mode: str) -> None:
    """RayJob checklist 9: SUCCEEDED, Complete, start and end of the job, one success counted."""
    story = running(job_spec(mode))
    story.job_is("RUNNING")
    story.time_passes(60)
    story.job_is("SUCCEEDED", "Job finished successfully.")
    if mode == "K8sJobMode":
        story.submitter_ends()
    story.goes_on()
    status = story.status

    assert (status["jobDeploymentStatus"], status["jobStatus"]) == ("Complete", "SUCCEEDED")
    assert status["rayJobInfo"] == {
        "startTime": "2030-01-01T12:00:00Z",
        "endTime": "2030-01-01T12:01:00Z",
    }
    assert (status["succeeded"], status["failed"]) == (1, 0)
    assert status["endTime"] == "2030-01-01T12:01:00Z"
    assert status["message"] == "Job finished successfully."
    assert "reason" not in status


@pytest.mark.parametrize("mode", ["K8sJobMode", "HTTPMode", "SidecarMode"])
def test_a_head_service_leads_to_the_running_attempt(mode: str) -> None:
    """RayJob checklist 10: `<rayjob>-head-svc` exists during the run."""
    story = running(job_spec(mode))

    assert story.service is not None
    assert story.service.meta.name == "train-head-svc"
    assert story.service.selector == {
        "ray.io/cluster": story.cluster_name,
        "ray.io/node-type": "head",
        "ray.io/identifier": f"{story.cluster_name}-head",
        "app.kubernetes.io/name": "kuberay",
        "app.kubernetes.io/created-by": "kuberay-operator",
    }


def test_a_program_that_fails_is_told_and_its_cluster_kept() -> None:
    """RayJob checklist 11, 25: FAILED, Failed, AppFailed; the submitter itself did well."""
    story = running(job_spec("K8sJobMode"))
    story.job_is("FAILED", "boom")
    story.submitter_ends("Complete")
    story.goes_on()
    story.time_passes(3600)
    status = story.status

    assert (status["jobDeploymentStatus"], status["jobStatus"]) == ("Failed", "FAILED")
    assert (status["reason"], status["message"]) == ("AppFailed", "boom")
    assert (status["failed"], status["succeeded"]) == (1, 0)
    assert list(story.clusters) == [story.cluster_name]
    assert story.submitter is not None


@pytest.mark.parametrize("mode", ["K8sJobMode", "HTTPMode"])
def test_a_job_that_was_stopped_is_complete_and_no_success(mode: str) -> None:
    """RayJob checklist 12: STOPPED gives Complete, nothing is counted."""
    story = running(job_spec(mode))
    story.job_is("STOPPED")
    if mode == "K8sJobMode":
        story.submitter_ends()
    story.goes_on()

    assert (story.phase, story.status["jobStatus"]) == ("Complete", "STOPPED")
    assert (story.status["succeeded"], story.status["failed"]) == (0, 0)


def test_news_of_the_cluster_are_copied_while_it_runs() -> None:
    """RayJob checklist 13: status changes of the cluster arrive in the RayJob."""
    story = running(job_spec())
    story.cluster_is("ready", availableWorkerReplicas=7)
    story.goes_on()

    mirrored = story.status["rayClusterStatus"]
    assert isinstance(mirrored, dict)
    assert mirrored["availableWorkerReplicas"] == 7


def test_an_end_is_final() -> None:
    """RayJob checklist 14: suspending what is Complete changes nothing."""
    story = running(job_spec(shutdownAfterJobFinishes=True, ttlSecondsAfterFinished=600))
    story.job_is("SUCCEEDED")
    story.goes_on()
    before = {**story.status, "observedGeneration": 2}
    story.wishes(suspend=True)
    story.time_passes(60)

    assert story.status == before
    assert list(story.clusters) == [story.cluster_name]


@pytest.mark.parametrize("mode", MODES)
def test_nothing_new_is_nothing_written(mode: str) -> None:
    """RayJob checklist 15: an unchanged world writes neither status nor act."""
    story = running(job_spec(mode))
    story.goes_on()
    before = len(story.records)
    story.passes(30)
    story.goes_on()

    assert len(story.records) == before
    assert written(story)[-1]["jobDeploymentStatus"] == story.phase


def test_a_lost_cluster_is_made_again_under_its_name() -> None:
    story = running(job_spec())
    name = story.cluster_name
    story.cluster_vanishes()
    story.goes_on()

    assert (story.phase, list(story.clusters)) == ("Running", [name])


def test_a_job_is_submitted_once_however_often_the_answer_is_lost() -> None:
    story = JobStory(job_spec())
    story.dashboard.loses_answers = True
    story.goes_on()
    story.cluster_is("ready")
    story.goes_on()
    story.time_passes(120)

    assert story.dashboard.submitted == [story.job_id]
    assert len(story.did(SubmitJob)) == 1
    assert story.status["jobStatus"] == "PENDING"
