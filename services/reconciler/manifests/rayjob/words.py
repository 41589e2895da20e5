"""Labels of what a RayJob makes, and how the operator's own objects name it."""

from shared.kernel.manifests import Raw
from shared.resources import labels as words
from shared.resources.rayjob import KIND, RayJob
from shared.resources.resource import GROUP, VERSION

LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"
SUBMITTER_RESOURCES: Raw = {
    "limits": {"cpu": "1", "memory": "1Gi"},
    "requests": {"cpu": "500m", "memory": "200Mi"},
}
"""What a submitter gets whose pod the user did not write."""


def users_annotations(job: RayJob) -> dict[str, str]:
    """Return a RayJob's annotations for what it makes: all but kubectl's copy of the RayJob."""
    return {key: text for key, text in job.annotations.items() if key != LAST_APPLIED}


def origin(job: RayJob) -> dict[str, str]:
    """Return the labels that say which RayJob an object is from."""
    return {words.ORIGINATED_FROM_NAME: job.name, words.ORIGINATED_FROM_CRD: KIND}


def owner_reference(job: RayJob) -> dict[str, object]:
    """Return the reference that makes the RayJob the controller of an object."""
    return {
        "apiVersion": f"{GROUP}/{VERSION}",
        "kind": KIND,
        "name": job.name,
        "uid": job.uid,
        "controller": True,
        "blockOwnerDeletion": True,
    }
