"""Which worlds are rich, and how their operators are set up: most with every gate open, and more.

One world in eight is rich. What it draws comes from chance of its own, so that other worlds, and
everything else about this one, stay as they are.
"""

from datetime import timedelta
from random import Random

from msgspec.structs import replace

from shared.kernel.features import (
    CRON_JOB,
    GATES,
    JOB_DELETION_POLICY,
    STATUS_CONDITIONS,
    WORKLOAD_AWARE_SCHEDULING,
    Features,
    parse_features,
)
from shared.kernel.schedulers import KAI, SCHEDULER_PLUGINS, VOLCANO, YUNIKORN
from shared.runtime.settings import BudgetSettings, BusSettings, EventsMode, RuleSettings, Settings
from tests.simulation import kinds

ONE_IN, WHICH = 8, 5
BY_KUBERNETES = "kubernetes"
SCHEDULERS = ("", VOLCANO, YUNIKORN, "", KAI, SCHEDULER_PLUGINS, BY_KUBERNETES)
"""Who schedules batches, in turn; Kubernetes itself is chosen by its gate."""


FEWER_GATES, LOOSE, SILENT = 5, 3, 4
"""In one of so many rich worlds gates are shut, definitions check nothing, Redis never answers."""


UNTOLD, WHICH_UNTOLD = 7, 3
"""Likewise: the status of a RayCluster has no conditions."""
UNSCHEDULED, WHICH_UNSCHEDULED = 20, 5
"""Likewise: nobody looks after RayCronJobs."""
LOOKED_UPON, WHICH_LOOKED_UPON = 12, 8
"""Beside one of so many rich worlds' operators another one only looks on."""
LITTLE, IN_HEADERS = 3, 5
"""Likewise: few deletions are allowed, and lifecycle events are told in the other form."""


def rich(seed: int) -> bool:
    """Whether users of this world write what most never need."""
    return seed % ONE_IN == WHICH


def looked_upon(seed: int) -> bool:
    """Whether somebody only looks on in this world."""
    return rich(seed) and turn_of(seed) % LOOKED_UPON == WHICH_LOOKED_UPON


def turn_of(seed: int) -> int:
    """Return the how manieth rich world this is: some things are drawn in turn, not by chance."""
    return seed // ONE_IN


def rules_of(seed: int) -> RuleSettings:
    """Return what decisions depend on in this world, rich or not."""
    usual = kinds.rules_of(seed)
    if not rich(seed):
        return usual
    chance = Random(f"settings {seed}")
    scheduler = SCHEDULERS[turn_of(seed) % len(SCHEDULERS)]
    beside = {"name": "of-the-site", "image": "busybox"}
    return replace(
        usual,
        feature_gates=parse_features(_said(_gates(seed, scheduler))),
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


def _gates(seed: int, scheduler: str) -> frozenset[str]:
    """Return which gates are open in a rich world: most of them."""
    turn, gates = turn_of(seed), frozenset(GATES) - {WORKLOAD_AWARE_SCHEDULING}
    if turn % FEWER_GATES == 1:
        gates = Features().enabled - {JOB_DELETION_POLICY} | {CRON_JOB}
    if turn % UNSCHEDULED == WHICH_UNSCHEDULED and kinds.CRON not in kinds.kinds_of(seed):
        gates -= {CRON_JOB}
    if turn % UNTOLD == WHICH_UNTOLD:
        gates -= {STATUS_CONDITIONS}
    return gates | {WORKLOAD_AWARE_SCHEDULING} if scheduler == BY_KUBERNETES else gates


def _said(enabled: frozenset[str]) -> str:
    """Say which gates are open, as whoever starts the operator does."""
    return ",".join(f"{name}={str(name in enabled).lower()}" for name in sorted(GATES))


def settings_of(seed: int) -> Settings:
    """Return what processes are told beside the rules.

    In some rich worlds little may be deleted, for a short while; in some, attributes of lifecycle
    events stand in headers.
    """
    settings, turn = Settings(), turn_of(seed)
    if rich(seed) and turn % LITTLE == 0:
        budgets = BudgetSettings(
            budget_window=timedelta(seconds=20), budget_resource=1, budget_namespace=3
        )
        settings = replace(settings, budgets=budgets)
    if rich(seed) and turn % IN_HEADERS == 0:
        settings = replace(settings, bus=BusSettings(lifecycle_events=EventsMode.BINARY))
    return settings
