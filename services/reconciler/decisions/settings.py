"""What deciders may know of how the operator was set up.

Read once at the door, recorded in the log, named by digest in every act: a replay decides with the
settings of that day.
"""

from datetime import timedelta
from functools import cached_property

from msgspec import UNSET, Struct, UnsetType

from services.reconciler.manifests.settings import ManifestSettings
from shared.events.codec import encode
from shared.kernel.features import CRON_JOB, INCREMENTAL_UPGRADE, MTLS, Features
from shared.kernel.ids import content_id
from shared.resources.observed import Surroundings


class JobSettings(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How RayJobs and RayCronJobs are looked after."""

    transition_grace: timedelta = timedelta(seconds=300)
    """How long a submitter may take to end once its job has."""
    status_check_timeout: timedelta = timedelta(seconds=300)
    """How long nobody may be able to tell how a job is."""
    delete_after_finish: bool = False
    """Whether a RayJob that shuts its cluster down is deleted itself instead."""
    poll_every: timedelta = timedelta(seconds=3)
    """How often a dashboard is asked."""
    cron_catch_up: bool = False
    """Whether every missed run is made up for, as KubeRay does, instead of the latest alone."""


class DecisionSettings(Struct, frozen=True, kw_only=True, dict=True):
    """Everything beside the log that a decision may depend on.

    Fields that came later are UNSET by default, and then not in the digest: settings of earlier
    days keep their names.
    """

    manifests: ManifestSettings
    features: Features = Features()
    refresh_after: timedelta = timedelta(days=7) / 3
    """When the last act of a quiet resource is written again, so that it does not age out."""
    random_pod_delete: bool = False
    """Whether surplus workers go although an autoscaler is in charge."""
    redis_cleanup: bool = True
    """Whether a deleted cluster stays until its data in Redis is removed."""
    jobs: JobSettings | UnsetType = UNSET
    one_cluster: bool | UnsetType = UNSET
    """Whether a RayService without a strategy keeps its cluster, whatever its spec says."""
    openshift_routes: bool | UnsetType = UNSET
    """Whether clusters that ask for an ingress get a route of OpenShift's instead."""

    @cached_property
    def digest(self) -> str:
        """The name under which they are recorded; every act asks for it."""
        return content_id(encode(self))

    @property
    def surroundings(self) -> Surroundings:
        """What decisions work with, which says what must be listed before any is made."""
        return Surroundings(
            batch_scheduler=self.manifests.scheduler,
            openshift_routes=self.openshift_routes is True,
            mtls=self.features.on(MTLS),
            cron_jobs=self.features.on(CRON_JOB),
            steps=self.features.on(INCREMENTAL_UPGRADE),
        )

    @property
    def zero_downtime(self) -> bool:
        """Whether a RayService without a strategy gets a new cluster for a new spec."""
        return self.one_cluster is not True

    @property
    def of_jobs(self) -> JobSettings:
        """How RayJobs are looked after; the usual way if nothing was said."""
        return self.jobs if isinstance(self.jobs, JobSettings) else JobSettings()


def digest_of(settings: DecisionSettings) -> str:
    """Return the name under which settings are recorded."""
    return settings.digest
