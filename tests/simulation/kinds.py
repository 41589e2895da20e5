"""Which kinds of resource a seed's world has, and the rules that its operator goes by.

RayClusters are in every world. A RayService is costly (two clusters at an upgrade, asked every few
seconds), so fewer worlds have one. Spans that people would set to minutes are seconds here.
"""

from random import Random

from shared.kernel.features import CRON_JOB, INCREMENTAL_UPGRADE, Features
from shared.runtime.settings import RuleSettings

CLUSTER, JOB, SERVICE, CRON = "raycluster", "rayjob", "rayservice", "raycronjob"
RAYCLUSTERS = "rayclusters.ray.io"
RAYJOBS = "rayjobs.ray.io"
RAYSERVICES = "rayservices.ray.io"
RAYCRONJOBS = "raycronjobs.ray.io"
PLURALS = {CLUSTER: RAYCLUSTERS, JOB: RAYJOBS, SERVICE: RAYSERVICES, CRON: RAYCRONJOBS}
ODDS = {JOB: 0.25, SERVICE: 0.06, CRON: 0.08}
IN_STEPS = 0.5
"""How many worlds with a RayService have one that moves its traffic in steps."""
GRACE_SECONDS = 20


def kinds_of(seed: int) -> tuple[str, ...]:
    """Return the kinds that users of this world write."""
    chance = Random(f"kinds {seed}")
    drawn = [kind for kind, odds in ODDS.items() if chance.random() < odds]
    return (CLUSTER, *drawn) if not drawn or chance.random() < 0.5 else tuple(drawn)


def in_steps(seed: int) -> bool:
    """Say whether the RayServices of this world move their traffic in steps."""
    return SERVICE in kinds_of(seed) and Random(f"{seed} steps").random() < IN_STEPS


def rules_of(seed: int) -> RuleSettings:
    """Return what decisions depend on in this world."""
    gates = Features()
    if CRON in kinds_of(seed):
        gates = Features(enabled=gates.enabled | {CRON_JOB})
    if in_steps(seed):
        gates = Features(enabled=gates.enabled | {INCREMENTAL_UPGRADE})
    return RuleSettings(
        feature_gates=gates,
        rayjob_transition_grace_seconds=GRACE_SECONDS,
        rayjob_status_check_timeout_seconds=GRACE_SECONDS,
    )
