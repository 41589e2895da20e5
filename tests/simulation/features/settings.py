"""Which worlds are rich, and how their operators are set up: every gate open, and more.

One world in six is rich. What it draws comes from chance of its own, so that the other worlds, and
everything else about this one, stay as they are.
"""

from random import Random

from msgspec.structs import replace

from shared.kernel.features import GATES, WORKLOAD_AWARE_SCHEDULING, Features
from shared.kernel.schedulers import KAI, SCHEDULER_PLUGINS, VOLCANO, YUNIKORN
from shared.runtime.settings import RuleSettings
from tests.simulation.kinds import rules_of

ONE_IN, WHICH = 6, 5
BY_KUBERNETES = "kubernetes"
SCHEDULERS = ("", VOLCANO, YUNIKORN, "", KAI, SCHEDULER_PLUGINS, BY_KUBERNETES)
"""Who schedules batches, in turn; Kubernetes itself is chosen by its gate."""


def rich(seed: int) -> bool:
    """Whether users of this world write what most never need."""
    return seed % ONE_IN == WHICH


def turn_of(seed: int) -> int:
    """Return the how manieth rich world this is: some things are drawn in turn, not by chance."""
    return seed // ONE_IN


def settings_of(seed: int) -> RuleSettings:
    """Return what decisions depend on in this world, rich or not."""
    usual = rules_of(seed)
    if not rich(seed):
        return usual
    chance = Random(f"settings {seed}")
    scheduler = SCHEDULERS[turn_of(seed) % len(SCHEDULERS)]
    gates = frozenset(GATES) - {WORKLOAD_AWARE_SCHEDULING}
    if scheduler == BY_KUBERNETES:
        gates |= {WORKLOAD_AWARE_SCHEDULING}
    beside = {"name": "beside", "image": "busybox"}
    return replace(
        usual,
        feature_gates=Features(enabled=gates),
        batch_scheduler="" if scheduler == BY_KUBERNETES else scheduler,
        enable_deterministic_head_pod_name=chance.random() < 0.3,
        enable_random_pod_delete=chance.random() < 0.5,
        enable_ray_head_cluster_ip_service=chance.random() < 0.3,
        openshift=chance.random() < 0.3,
        cron_catch_up=chance.random() < 0.5,
        delete_rayjob_after_finish=chance.random() < 0.3,
        head_sidecar_containers=(beside,) if chance.random() < 0.3 else (),
        worker_sidecar_containers=(beside,) if chance.random() < 0.3 else (),
        default_container_envs=({"name": "SITE", "value": "lab"},) if chance.random() < 0.3 else (),
        default_pod_labels={"site": "lab"} if chance.random() < 0.3 else {},
        default_pod_annotations={"site": "lab"} if chance.random() < 0.3 else {},
    )
