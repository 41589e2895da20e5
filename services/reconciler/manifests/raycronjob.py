"""The RayJob of one run of a RayCronJob: the template, under a name that its moment gives it."""

from datetime import datetime

from shared.aggregates.raycronjob import run_name
from shared.kernel.instants import print_instant
from shared.kernel.manifests import Raw, thawed
from shared.resources.raycronjob import KIND, RayCronJob
from shared.resources.rayjob import KIND as RAYJOB_KIND
from shared.resources.resource import GROUP, VERSION

CRON_NAME = "ray.io/cronjob-name"
SCHEDULED_AT = "ray.io/cronjob-scheduled-timestamp"


def run_manifest(cron: RayCronJob, template: Raw, tick: datetime) -> dict[str, object]:
    """Return the RayJob of a moment. Nothing of the RayCronJob's own metadata is passed on."""
    return {
        "apiVersion": f"{GROUP}/{VERSION}",
        "kind": RAYJOB_KIND,
        "metadata": {
            "name": run_name(cron.name, tick),
            "namespace": cron.namespace,
            "labels": {CRON_NAME: cron.name},
            "annotations": {SCHEDULED_AT: print_instant(tick)},
            "ownerReferences": [
                {
                    "apiVersion": f"{GROUP}/{VERSION}",
                    "kind": KIND,
                    "name": cron.name,
                    "uid": cron.uid,
                    "controller": True,
                    "blockOwnerDeletion": True,
                }
            ],
        },
        "spec": thawed(template),
    }
