"""Which kinds decisions rest on: every one must be listed before any is made.

Most kinds are in every cluster. Some are other projects' and count only where the settings ask for
them: `Surroundings` says what an installation works with, `observed` which kinds follow from it.
Our words for them; how each is reached is `shared.kube.kinds`, and a test keeps the two in step.

A kind that is asked for and not served by the cluster is listed as empty, with a warning, so that
nothing else waits for it; whoever wants an object of it is refused in words that name the kind.
"""

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from msgspec import Struct

from shared.kernel.schedulers import KUBERNETES_WAS, SCHEDULER_PLUGINS, VOLCANO

OBSERVED = (
    "raycluster",
    "rayjob",
    "rayservice",
    "pod",
    "service",
    "serviceaccount",
    "persistentvolumeclaim",
    "role",
    "rolebinding",
    "ingress",
    "networkpolicy",
    "job",
    "endpointslice",
    "gateway",
    "httproute",
)
"""What is looked at with the usual settings."""

OF_SCHEDULERS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        VOLCANO: ("volcanopodgroup",),
        SCHEDULER_PLUGINS: ("pluginpodgroup",),
        KUBERNETES_WAS: ("workload", "podgroup"),
    }
)
"""What each batch scheduler keeps of a cluster; the others read pods alone."""
OF_OPENSHIFT = ("route",)
OF_MTLS = ("issuer", "certificate")
OF_CRON_JOBS = ("raycronjob",)
OF_STEPS = ("gateway", "httproute")
"""What RayService upgrades in steps split traffic with."""

OPTIONAL: tuple[str, ...] = (
    "rayjob",
    "rayservice",
    *OF_CRON_JOBS,
    *(kind for kinds in OF_SCHEDULERS.values() for kind in kinds),
    *OF_OPENSHIFT,
    *OF_MTLS,
    *OF_STEPS,
)
"""Every kind that a cluster may do without: what some setting asks for, and RayJobs and
RayServices where their definitions are not installed."""


class Surroundings(Struct, frozen=True, kw_only=True):
    """What an installation works with, as far as it decides which kinds are looked at."""

    batch_scheduler: str = ""
    """The chosen one as `shared.kernel.schedulers` calls it; empty for none."""
    openshift_routes: bool = False
    mtls: bool = False
    cron_jobs: bool = False
    steps: bool = True
    """Whether RayServices may move traffic step by step."""


PLAIN = Surroundings()


def observed(surroundings: Surroundings = PLAIN) -> tuple[str, ...]:
    """Return the kinds that must be listed before anything is decided, in a fixed order."""
    usual = (kind for kind in OBSERVED if surroundings.steps or kind not in OF_STEPS)
    return (*usual, *_asked_for(surroundings))


def _asked_for(surroundings: Surroundings) -> Iterator[str]:
    yield from OF_SCHEDULERS.get(surroundings.batch_scheduler, ())
    if surroundings.openshift_routes:
        yield from OF_OPENSHIFT
    if surroundings.mtls:
        yield from OF_MTLS
    if surroundings.cron_jobs:
        yield from OF_CRON_JOBS
