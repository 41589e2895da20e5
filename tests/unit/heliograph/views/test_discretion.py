"""What specs keep to themselves is kept in every text, and what people call things by is not."""

from heliograph.views.discretion import names_in, redactor_for
from heliograph.views.timeline import timeline
from tests.support import rayjobs
from tests.support.builders import cluster_spec, group
from tests.support.history import History
from tests.support.rayjobs import cluster, job_spec, rayjob

NAME, TOKEN = "train-x2b7c", "hunter-22-hunter"


def sidecar() -> History:
    """A RayJob whose submitter knows its id, and a token, by variables."""
    variables = [{"name": "RAY_JOB_SUBMISSION_ID", "value": NAME}, {"name": "A", "value": TOKEN}]
    container = {"name": "ray-job-submitter", "image": "ray", "env": variables}
    head = {"template": {"spec": {"containers": [container]}}}
    spec = {**cluster_spec(group("small", 1)), "headGroupSpec": head}
    history = History(rayjobs.KEY, rayjobs.UID)
    history.sees(rayjob(job_spec("SidecarMode")), cluster(NAME, spec, version=7))
    return history


def test_a_name_is_told_although_a_variable_repeats_it() -> None:
    redactor = redactor_for(sidecar().records)

    told = redactor.text(f"raycluster {NAME} says {TOKEN}")

    assert told == f"raycluster {NAME} says redacted-2"
    assert [moment.text for moment in timeline(sidecar().records)][-1] == f"{NAME} appeared"


def test_a_job_is_called_by_the_id_that_its_user_chose() -> None:
    chosen = rayjob(job_spec("SidecarMode", jobId="my-own-id"))

    assert [one for one in names_in(chosen) if one] == [rayjobs.KEY.name, "my-own-id"]
