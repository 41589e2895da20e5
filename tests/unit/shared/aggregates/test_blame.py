"""What a resource waits for: the worst first, and what is below it as its own."""

from datetime import timedelta

from msgspec.structs import replace

from shared.actions.outcomes import Unknown
from shared.aggregates.blame import waits, waits_of_pod
from shared.aggregates.view import View
from shared.events.objects import Condition, Container, PodSeen, ResourceSeen
from tests.support.builders import (
    NOON,
    QUOTA,
    act,
    being_deleted,
    cluster_spec,
    creation,
    deleting,
    expectation,
    group,
    head,
    resource,
    worker,
)
from tests.support.history import History
from tests.support.jobstory import JobStory, running
from tests.support.rayjobs import job_spec


def pulling(pod: PodSeen) -> PodSeen:
    waiting = Container(name="ray", state="waiting", reason="ErrImagePull", message="no such tag")
    return replace(pod, containers=(waiting,))


def causes(view: View) -> list[tuple[str, str]]:
    return [(one.cause, one.what) for one in waits(view)]


def seen(*observations: PodSeen | ResourceSeen) -> History:
    history = History()
    history.sees(resource(cluster_spec(group(replicas=2))), *observations)
    return history


def test_a_cluster_with_everything_ready_waits_for_nothing() -> None:
    assert causes(seen(head(), worker("w1")).view()) == []


def test_the_head_comes_first_and_what_only_takes_time_last() -> None:
    ill, slow = pulling(worker("w1", ready=False)), worker("w2", ready=False)
    view = seen(slow, ill, pulling(head("h1", ready=False))).view()

    assert causes(view) == [
        ("ImagePull", "pod h1"),
        ("ImagePull", "pod w1"),
        ("Starting", "pod w2"),
    ]


def test_what_was_refused_is_waited_for() -> None:
    history = seen(head())
    asked = act(creation("w1"))
    history.acts(asked)
    history.answers(asked, QUOTA)

    assert causes(history.view()) == [("Quota", "group small")]


def test_what_the_api_server_could_not_answer_is_waited_for() -> None:
    history = seen(head())
    asked = act(creation("w1"))
    history.acts(asked)
    history.answers(asked, Unknown(error="the API server answered 500 : etcd is full"))
    (found,) = waits(history.view())

    assert (found.cause, found.what) == ("Unavailable", "pod w1")
    assert found.words == (
        "whether it was made is not known: the API server answered 500 : etcd is full"
    )


def test_what_was_made_and_cannot_be_read_is_not_said_to_be_unknown() -> None:
    made = replace(expectation("w1", uid="uid-of-w1", resource_version=20), asked=1, error="down")
    history = seen(head())
    history.acts(replace(act(), expectations=(made,)))
    (found,) = waits(history.view())

    assert found.words == "it cannot be read: down"


def test_what_is_there_and_never_seen_is_told_when_it_was_read_twice() -> None:
    def read(times: int) -> list[tuple[str, str]]:
        history = seen(head())
        there = replace(expectation("w1", uid="uid-of-w1", resource_version=20), asked=times)
        history.acts(replace(act(), expectations=(there,)))
        return causes(history.view())

    assert (read(1), read(2)) == ([], [("OutOfSight", "pod w1")])


def test_an_open_act_is_waited_for() -> None:
    history = seen(head())
    history.acts(act(creation("w1")))
    (found,) = waits(history.view())

    assert (found.cause, found.since) == ("Answer", NOON)


def test_a_finalizer_of_somebody_else_is_named_and_ours_is_not() -> None:
    def held(*finalizers: str) -> list[tuple[str, str]]:
        own = being_deleted(resource())
        history = History()
        history.sees(replace(own, meta=replace(own.meta, finalizers=finalizers)))
        return causes(history.view())

    assert held("ray.io/gcs-ft-redis-cleanup-finalizer", "foregroundDeletion") == []
    assert held("corp.example/audit") == [("Finalizer", "finalizer corp.example/audit")]


def test_a_pod_on_its_way_out_is_waited_for() -> None:
    (found,) = waits_of_pod(deleting(worker("w1")))
    held = deleting(worker("w2"))
    (kept,) = waits_of_pod(replace(held, meta=replace(held.meta, finalizers=("corp.example/x",))))

    assert (found.cause, found.since) == ("Terminating", NOON)
    assert (kept.cause, kept.words) == ("Finalizer", "held by corp.example/x")


def test_a_pod_whose_containers_are_well_may_have_lost_its_node() -> None:
    conditions = (
        Condition(type="Ready", status="False"),
        Condition(type="ContainersReady", status="True"),
    )
    pod = replace(worker("w1"), node="node-1", conditions=conditions)
    (found,) = waits_of_pod(pod)

    assert found.cause == "NotReady"
    assert "its node node-1 may be lost" in found.words


def test_a_pod_starts_since_it_was_made() -> None:
    (found,) = waits_of_pod(worker("w1", ready=False, age=3))

    assert (found.cause, found.since) == ("Starting", NOON - timedelta(minutes=3))


def begun() -> JobStory:
    story = JobStory(job_spec())
    story.goes_on()
    return story


def test_a_job_waits_for_what_its_cluster_waits_for() -> None:
    story = begun()
    blocked = {
        "type": "Blocked",
        "status": "True",
        "reason": "Unschedulable",
        "message": "pod x-head: 0/3 nodes are available",
        "lastTransitionTime": "2030-01-01T11:58:00Z",
    }
    story.cluster_is("", conditions=[blocked])
    (found,) = waits(story.view())

    assert (found.cause, found.what) == ("Unschedulable", "pod x-head")
    assert found.words == "0/3 nodes are available"
    assert found.through == f"raycluster {story.cluster_name}"
    assert found.since == NOON - timedelta(minutes=2)


def going(story: JobStory, *finalizers: str) -> None:
    """The attempt's cluster is being deleted, and these hold it."""
    seen = story.clusters[story.cluster_name]
    version = next(story.versions)
    meta = replace(seen.meta, deleted_at=NOON, finalizers=finalizers, resource_version=version)
    story.clusters[story.cluster_name] = replace(seen, meta=meta)
    story.sees_cluster(story.cluster_name)


def test_a_job_waits_for_whoever_holds_its_deleted_cluster() -> None:
    story = begun()
    going(story, "corp.example/audit")
    held = waits(story.view())
    going(story)

    name = f"raycluster {story.cluster_name}"
    assert [(one.cause, one.what, one.through) for one in held] == [
        ("Finalizer", "finalizer corp.example/audit", name)
    ]
    assert causes(story.view()) == [("Terminating", name)]


def test_the_clusters_own_records_tell_more_than_its_status() -> None:
    story = begun()
    below = seen(pulling(head("h1", ready=False))).view()
    (found,) = waits(story.view(), {story.cluster_name: below})

    assert (found.cause, found.what, found.words) == (
        "ImagePull",
        "pod h1",
        "container ray, ErrImagePull, no such tag",
    )
    assert found.through == f"raycluster {story.cluster_name}"


def test_a_suspended_cluster_waits_first_of_all_for_who_resumes_it() -> None:
    story = begun()
    cluster = story.clusters[story.cluster_name]
    meta = replace(cluster.meta, resource_version=next(story.versions))
    suspended = replace(cluster, meta=meta, spec={**cluster.spec, "suspend": True})
    story.clusters[story.cluster_name] = suspended
    story.sees_cluster(story.cluster_name)
    below = seen(pulling(head("h1", ready=False))).view()

    name = f"raycluster {story.cluster_name}"
    told = [(one.cause, one.what) for one in waits(story.view(), {cluster.meta.name: below})]
    assert causes(story.view()) == [("Suspended", name), ("Starting", name)]
    assert told == [("Suspended", name), ("ImagePull", "pod h1")]


def test_a_cluster_that_was_handed_to_another_operator_is_told_of_until_that_one_tells() -> None:
    story = begun()
    name = story.cluster_name
    cluster, version = story.clusters[name], next(story.versions)
    meta, spec = replace(cluster.meta, resource_version=version), {**cluster.spec, "managedBy": "x"}
    story.clusters[name] = replace(cluster, meta=meta, spec=spec, status={})
    story.sees_cluster(name)
    silent = causes(story.view())
    later = replace(meta, resource_version=next(story.versions))
    story.clusters[name] = replace(cluster, meta=later, spec=spec, status={"state": "ready"})
    story.sees_cluster(name)

    assert silent == [("HandedOver", f"raycluster {name}"), ("Starting", f"raycluster {name}")]
    assert causes(story.view()) == []


def test_a_job_whose_cluster_comes_up_waits_for_it() -> None:
    story = begun()

    assert causes(story.view()) == [("Starting", f"raycluster {story.cluster_name}")]


def test_a_dashboard_that_does_not_answer_is_told_with_its_class() -> None:
    story = running(job_spec())
    story.dashboard.answers = False
    story.goes_on()
    (found,) = waits(story.view())

    assert (found.cause, found.words) == ("Dashboard", "it cannot be asked: unreachable")
    assert found.what.startswith("dashboard ")


def test_a_job_that_is_over_waits_for_nothing() -> None:
    story = running(job_spec())
    story.job_is("SUCCEEDED")
    story.goes_on()
    story.cluster_vanishes()

    assert causes(story.view()) == []


def test_a_resource_that_is_gone_waits_for_nothing() -> None:
    assert waits(History().view()) == ()
