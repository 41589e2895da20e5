"""What deciders may know of how the operator was set up.

Read once at the door, recorded in the log, named by digest in every act: a replay decides with the
settings of that day.
"""

from datetime import timedelta

from msgspec import Struct

from services.reconciler.manifests.settings import ManifestSettings
from shared.events.codec import encode
from shared.kernel.features import Features
from shared.kernel.ids import content_id


class DecisionSettings(Struct, frozen=True, kw_only=True):
    """Everything beside the log that a decision may depend on."""

    manifests: ManifestSettings
    features: Features = Features()
    refresh_after: timedelta = timedelta(days=7) / 3
    """When the last act of a quiet resource is written again, so that it does not age out."""
    random_pod_delete: bool = False
    """Whether surplus workers go although an autoscaler is in charge."""
    redis_cleanup: bool = True
    """Whether a deleted cluster stays until its data in Redis is removed."""


def digest_of(settings: DecisionSettings) -> str:
    """Return the name under which settings are recorded."""
    return content_id(encode(settings))
