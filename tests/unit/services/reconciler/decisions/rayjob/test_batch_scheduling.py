"""RayJobs under batch schedulers: Volcano's PodGroup, and what a scheduler cannot serve."""

import pytest
from msgspec.structs import replace

from services.executor.notices import notice_of
from services.reconciler.decisions.decision import Context
from shared.actions.objects import CreateObject, PatchObject
from shared.actions.outcomes import Refused
from shared.events.objects import ChildSeen, Meta, ObjectGone
from shared.kernel.manifests import integer_at, mapping_at
from shared.kernel.schedulers import KAI, SCHEDULER_PLUGINS, VOLCANO, YUNIKORN
from tests.support.builders import CONTEXT, SETTINGS, Raw, cluster_spec, group
from tests.support.jobstory import JobStory
from tests.support.rayjobs import KEY, OWNER, cluster, job_spec

NAME, KIND = "ray-train-pg", "volcanopodgroup"
ASKED = {"requests": {"cpu": "1", "memory": "1Gi"}}
SIZED: Raw = {
    "spec": {"containers": [{"name": "ray", "image": "ray", "resources": ASKED}]},
}
CLUSTER = cluster_spec(group("small", 2, template=SIZED), headGroupSpec={"template": SIZED})
CHOSEN: Raw = {"clusterSelector": {"ray.io/cluster": "shared"}, "rayClusterSpec": None}


def under(scheduler: str) -> Context:
    manifests = replace(SETTINGS.manifests, batch_scheduler=scheduler)
    return Context(settings=replace(SETTINGS, manifests=manifests), session=CONTEXT.session)


class Gang(JobStory):
    """A RayJob in a world in which PodGroups are seen as they are asked for."""

    def reconciler_decides(self) -> None:
        before = len(self.done)
        super().reconciler_decides()
        for action in self.done[before:]:
            if isinstance(action, CreateObject | PatchObject) and action.kind == KIND:
                self._shown(action)

    def _shown(self, action: CreateObject | PatchObject) -> None:
        whole = action.patch if isinstance(action, PatchObject) else self.manifest("pod-group")
        spec = mapping_at(whole, "spec")
        former = self.view().children.get((KIND, NAME))
        old = former.spec if isinstance(former, ChildSeen) else {}
        sizes = {
            key: value
            for key, value in {
                **mapping_at(old, "minResources"),
                **mapping_at(spec, "minResources"),
            }.items()
            if value is not None
        }
        meta = Meta(
            name=NAME,
            namespace=KEY.namespace,
            uid="uid-of-group",
            resource_version=next(self.versions),
            owners=(OWNER,),
        )
        self.sees(ChildSeen(meta=meta, kind=KIND, spec={**old, **spec, "minResources": sizes}))


def gang(mode: str = "K8sJobMode", /, **more: object) -> Gang:
    story = Gang(job_spec(mode, rayClusterSpec=CLUSTER, **more), under(VOLCANO))
    story.goes_on()
    return story


def size(story: JobStory) -> tuple[int | None, dict[str, object]]:
    seen = story.view().children[KIND, NAME]
    assert isinstance(seen, ChildSeen)
    return integer_at(seen.spec, "minMember"), dict(mapping_at(seen.spec, "minResources"))


def patches(story: JobStory) -> list[PatchObject]:
    patched = (action for action in story.done if isinstance(action, PatchObject))
    return [action for action in patched if action.kind == KIND]


def runs(story: JobStory) -> None:
    story.cluster_is("ready")
    story.goes_on()


@pytest.mark.parametrize(
    ("mode", "cpu", "memory"),
    [
        ("K8sJobMode", "3500m", "3272Mi"),
        ("SidecarMode", "3500m", "3272Mi"),
        ("HTTPMode", "3", "3Gi"),
    ],
)
def test_the_pod_group_comes_first_and_counts_the_submitters_resources(
    mode: str, cpu: str, memory: str
) -> None:
    """RayJob checklist 94: named after the RayJob; the submitter counts in resources alone."""
    story = gang(mode)
    kinds = [action.kind for action in story.done if isinstance(action, CreateObject)]

    assert kinds == [KIND, "raycluster"]
    assert size(story) == (3, {"cpu": cpu, "memory": memory})
    metadata = mapping_at(story.manifest("pod-group"), "metadata")
    assert metadata["name"] == NAME
    assert mapping_at(story.manifest("pod-group"), "status") == {"phase": "Pending"}


@pytest.mark.parametrize("shutdown", [True, None])
def test_the_pod_group_shrinks_with_what_is_left(shutdown: bool | None) -> None:
    """RayJob checklist 91, 94: at the end; zero when the cluster is gone; told; then silence."""
    story = gang(shutdownAfterJobFinishes=shutdown)
    runs(story)
    story.job_is("SUCCEEDED")
    story.submitter_ends()
    story.goes_on()
    told = [patch.notice.done for patch in patches(story) if patch.notice]

    assert story.phase == "Complete"
    assert size(story) == ((0, {}) if shutdown else (3, {"cpu": "3", "memory": "3Gi"}))
    assert {(words.reason, words.message) for words in told} == {
        (
            "BatchSchedulerCleanedUp",
            "Cleaned up batch scheduler resources for RayJob prod/train",
        )
    }
    count = len(story.records)
    story.passes(60)
    story.goes_on()
    assert len(story.records) == count, "a change that is made is not told again"


def test_a_failed_clean_up_is_told_and_nothing_else_suffers() -> None:
    """RayJob checklist 91: a Warning; the RayJob stays what it is."""
    story = gang()
    runs(story)
    story.job_is("FAILED")
    story.submitter_ends()
    story.goes_on()
    (patch,) = patches(story)

    assert story.phase == "Failed"
    refused = Refused(code=403, reason="Forbidden", message="no")
    notice = notice_of(patch, refused)
    assert notice is not None
    assert (notice.warning, notice.action, notice.reason, notice.message) == (
        True,
        "Cleanup",
        "FailedToCleanupBatchScheduler",
        "Failed to cleanup batch scheduler resources for RayJob prod/train: no",
    )


def test_suspending_and_resuming_take_the_pod_group_along() -> None:
    """RayJob checklist 92: zero while suspended, whole again when resumed."""
    story = gang(shutdownAfterJobFinishes=True)
    runs(story)
    story.wishes(suspend=True)
    story.goes_on()
    assert (story.phase, size(story)) == ("Suspended", (0, {}))
    story.wishes(suspend=None)
    story.goes_on()

    assert (story.phase, size(story)[0]) == ("Initializing", 3)
    assert len(story.clusters) == 1


def test_another_attempt_has_the_pod_group_whole_again() -> None:
    """RayJob checklist 92: Retrying goes on, and the next attempt is a gang, too."""
    story = gang("HTTPMode", backoffLimit=1)
    runs(story)
    story.job_is("FAILED")
    story.goes_on()

    assert (story.phase, size(story)) == ("Initializing", (3, {"cpu": "3", "memory": "3Gi"}))


def test_without_its_pod_group_no_cluster_is_made_and_people_know_why() -> None:
    story = JobStory(job_spec(rayClusterSpec=CLUSTER), under(VOLCANO))
    story.refuses[KIND] = "the server could not find the requested resource"
    story.goes_on()

    assert (story.phase, story.clusters) == ("Initializing", {})
    assert story.status["message"] == (
        f"cannot create {KIND} {NAME}: the server could not find the requested resource"
    )


def test_a_pod_group_that_was_deleted_is_made_again_for_the_next_attempt() -> None:
    story = gang("HTTPMode", backoffLimit=1)
    runs(story)
    story.sees(
        ObjectGone(kind=KIND, name=NAME, uid="uid-of-group", resource_version=next(story.versions))
    )
    story.job_is("FAILED")
    story.goes_on()
    made = [one for one in story.done if isinstance(one, CreateObject) and one.kind == KIND]

    assert len(made) == 2


REFUSALS = [
    (SCHEDULER_PLUGINS, "HTTPMode", {}, "currently only RayCluster is supported, got *v1.RayJob"),
    (
        KAI,
        "K8sJobMode",
        {},
        (
            "KAI-Scheduler does not support RayJob with K8sJobMode: the submitter pod is created "
            "after RayCluster is ready, preventing proper gang scheduling"
        ),
    ),
    (
        VOLCANO,
        "HTTPMode",
        CHOSEN,
        "gang scheduling does not support RayJob prod/train referencing an existing RayCluster",
    ),
]


@pytest.mark.parametrize(("scheduler", "mode", "spec", "message"), REFUSALS)
def test_what_a_scheduler_cannot_serve_is_told_and_ends_with_its_deadline(
    scheduler: str, mode: str, spec: Raw, message: str
) -> None:
    story = JobStory(job_spec(mode, **{"activeDeadlineSeconds": 600, **spec}), under(scheduler))
    story.clusters["shared"] = cluster("shared", cluster_spec(group()), version=5, owned=False)
    story.goes_on()
    story.time_passes(300)
    assert (story.phase, story.status["message"]) == ("Initializing", message)
    assert [one for one in story.done if isinstance(one, CreateObject)] == []
    story.time_passes(301)

    assert (story.phase, story.status["reason"]) == ("Failed", "DeadlineExceeded")


@pytest.mark.parametrize(("scheduler", "mode"), [(KAI, "HTTPMode"), (YUNIKORN, "K8sJobMode")])
def test_what_a_scheduler_can_serve_runs(scheduler: str, mode: str) -> None:
    story = JobStory(job_spec(mode), under(scheduler))
    story.goes_on()
    story.cluster_is("ready")
    story.goes_on()

    assert story.phase == "Running"


def test_a_selected_cluster_has_no_pod_group_to_clean_up() -> None:
    """RayJob checklist 94: cleaning up does nothing for a selected cluster."""
    story = Gang(job_spec("HTTPMode", **CHOSEN), under(YUNIKORN))
    story.clusters["shared"] = cluster("shared", cluster_spec(group()), version=5, owned=False)
    story.goes_on()
    runs(story)
    story.job_is("SUCCEEDED")
    story.goes_on()

    assert (story.phase, patches(story)) == ("Complete", [])
