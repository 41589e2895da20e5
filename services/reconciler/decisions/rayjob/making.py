"""What a RayJob's attempt needs: cluster, submitter, service, and over HTTP the submission itself.

The cluster comes first, under the name that the status has told. A submitter is made once the
cluster is ready. A Ray job is submitted only when the dashboard, asked since the last time, does
not know its id: an answer that was lost is not a reason to submit twice.
"""

from collections.abc import Iterator

from services.reconciler.decisions.rayjob.situation import CLUSTER, SERVICE, SUBMITTER, Situation
from services.reconciler.manifests.rayjob.request import submit_request
from shared.actions.jobs import SubmitJob
from shared.actions.objects import CreateObject, Notice, PatchObject, PostNotice, Words
from shared.aggregates.rayjob import RUNNING, head_service_name
from shared.aggregates.troubles import troubles
from shared.events import told
from shared.events.decisions import Trouble
from shared.kernel.manifests import mapping_at, thawed
from shared.resources import labels as words
from shared.resources.job_options import HTTP_MODE, K8S_JOB_MODE


def ensure_cluster(found: Situation) -> Iterator[CreateObject]:
    """Ask for the attempt's own cluster if it is not there."""
    name = found.state.cluster_name
    if found.selects or not name or found.state.cluster is not None:
        return
    if found.unsettled("raycluster", name) or found.cluster is None:
        return
    place = f"{found.job.namespace}/{name}"
    yield CreateObject(
        kind="raycluster",
        name=name,
        manifest=CLUSTER,
        rule="cluster",
        because="the job has no cluster",
        notice=Notice(
            done=Words(reason="CreatedRayCluster", message=f"Created RayCluster {place}"),
            refused=Words(
                reason="FailedToCreateRayCluster", message=f"Failed to create RayCluster {place}: "
            ),
        ),
    )


def warn_of_missing(found: Situation) -> Iterator[PostNotice]:
    """Tell people that the cluster they selected is not there, once for each generation."""
    mark = missing_mark(found)
    if not mark or (found.view.act is not None and mark in found.view.act.noted):
        return
    place = f"{found.job.namespace}/{found.state.cluster_name}"
    yield PostNotice(
        warning=True,
        reason="RayClusterNotFound",
        action="Validate",
        message=(
            f"RayCluster {place} set in the clusterSelector is not found. "
            "It must be created manually"
        ),
        rule="cluster",
        because=f"the selected RayCluster {place} is not there",
    )


def missing_mark(found: Situation) -> str:
    """Return the mark of a selected cluster that is not there; empty if there is no such thing."""
    if found.state.selected is not False:
        return ""
    generation = found.view.own.meta.generation if found.view.own else 0
    return f"no-cluster/{generation}"


def ensure_submitter(found: Situation) -> Iterator[CreateObject]:
    """Ask for the Kubernetes Job that submits, once the cluster is ready.

    One that was deleted while the job runs is made again: its command finds the job by its id and
    follows it. Without it nobody would ever tell that the job may be called complete.
    """
    name, runs = found.job.name, found.state.phase == RUNNING
    if found.job.spec.submission_mode != K8S_JOB_MODE or not (found.ready or runs):
        return
    if found.cluster is None:
        return
    if found.state.submitter_job is not None or found.unsettled("job", name):
        return
    place = f"{found.job.namespace}/{name}"
    yield CreateObject(
        kind="job",
        name=name,
        manifest=SUBMITTER,
        rule="submitter",
        because="nobody submits the job yet",
        notice=Notice(
            done=Words(reason="CreatedRayJobSubmitter", message=f"Created Kubernetes Job {place}"),
            refused=Words(
                reason="FailedToCreateRayJobSubmitter",
                message=f"Failed to create new Kubernetes Job {place}: ",
            ),
        ),
    )


def ensure_service(found: Situation) -> Iterator[CreateObject | PatchObject]:
    """Keep the service that leads to the head pointed at this attempt's cluster."""
    name = head_service_name(found.job.name)
    if found.selects or found.cluster is None or found.unsettled("service", name):
        return
    service, place = found.state.service, f"{found.job.namespace}/{name}"
    if service is None:
        yield CreateObject(
            kind="service",
            name=name,
            manifest=SERVICE,
            rule="head_service",
            because="the job has no head service",
            notice=_service_notice("Create", place),
        )
    elif service.selector.get(words.CLUSTER) != found.state.cluster_name:
        wished = found.manifest(SERVICE)
        spec = {
            key: value
            for key, value in thawed(mapping_at(wished, "spec")).items()
            if key not in ("clusterIP", "clusterIPs")
        }
        yield PatchObject(
            kind="service",
            name=name,
            uid=service.meta.uid,
            patch={"spec": spec},
            rule="head_service",
            because=f"the head service leads to {service.selector.get(words.CLUSTER)}",
            notice=_service_notice("Update", place),
        )


def _service_notice(verb: str, place: str) -> Notice:
    done = f"{verb}d"
    return Notice(
        done=Words(reason=f"{done}Service", message=f"{done} the service {place}"),
        refused=Words(
            reason=f"FailedTo{verb}Service",
            message=f"Failed to {verb.lower()} the service {place}, ",
        ),
    )


def submit(found: Situation) -> Iterator[SubmitJob]:
    """Submit over HTTP what the dashboard does not know.

    What was refused, or stayed without an answer, stays wished for until Ray is known to have it:
    so it waits its growing time.
    """
    answer = found.state.job.answer if found.state.job else ""
    if found.job.spec.submission_mode != HTTP_MODE:
        return
    refused = answer != told.FOUND and any(one.verb == "submit" for one in troubles(found.view))
    request = submit_request(found.job)
    if not (answer == told.MISSING or refused) or isinstance(request, str):
        return
    yield SubmitJob(
        job_id=found.job_id,
        address=found.address,
        service=found.service,
        secret=found.secret,
        request=request,
        rule="submit",
        because=f"Ray does not know job {found.job_id}",
    )


def unsubmittable(found: Situation) -> Iterator[Trouble]:
    """Say what keeps a job from being submitted over HTTP at all."""
    request = submit_request(found.job)
    if found.job.spec.submission_mode == HTTP_MODE and isinstance(request, str):
        yield Trouble(verb="submit", rule="submit", kind="job", name=found.job_id, message=request)
