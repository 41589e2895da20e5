"""All invariants that are looked at without pause."""

from tests.simulation.invariants.absences import Absences
from tests.simulation.invariants.acts_stand import ActsStand
from tests.simulation.invariants.budgets_hold import BudgetsHold
from tests.simulation.invariants.cron_laws import CronLaws
from tests.simulation.invariants.in_no_haste import InNoHaste
from tests.simulation.invariants.invariant import Invariant, Scene
from tests.simulation.invariants.job_laws import JobLaws
from tests.simulation.invariants.life_in_order import LifeInOrder
from tests.simulation.invariants.no_creation_after_deletion import NoCreationAfterDeletion
from tests.simulation.invariants.no_secrets import NoSecrets
from tests.simulation.invariants.observed_generation import ObservedGeneration
from tests.simulation.invariants.one_decision import OneDecision
from tests.simulation.invariants.one_head import OneHead
from tests.simulation.invariants.owned_only import OwnedOnly
from tests.simulation.invariants.pods_in_order import PodsInOrder
from tests.simulation.invariants.ray_calls import RayCalls
from tests.simulation.invariants.removals_have_reasons import RemovalsHaveReasons
from tests.simulation.invariants.replays import Replays
from tests.simulation.invariants.service_laws import ServiceLaws
from tests.simulation.invariants.status_is_fold import StatusIsFold
from tests.simulation.invariants.status_moves_on import StatusMovesOn
from tests.simulation.invariants.step_laws import StepLaws
from tests.simulation.invariants.suspended_means_empty import SuspendedMeansEmpty
from tests.simulation.invariants.timers_hold import TimersHold
from tests.simulation.invariants.verdicts import Verdicts
from tests.simulation.invariants.versions_rise import VersionsRise
from tests.simulation.invariants.workers_within_desired import WorkersWithinDesired

ALWAYS: tuple[type[Invariant], ...] = (
    OneHead,
    WorkersWithinDesired,
    OwnedOnly,
    RemovalsHaveReasons,
    PodsInOrder,
    NoCreationAfterDeletion,
    SuspendedMeansEmpty,
    ObservedGeneration,
    StatusIsFold,
    StatusMovesOn,
    ActsStand,
    OneDecision,
    Replays,
    VersionsRise,
    TimersHold,
    JobLaws,
    Verdicts,
    Absences,
    BudgetsHold,
    LifeInOrder,
    InNoHaste,
    NoSecrets,
    RayCalls,
    ServiceLaws,
    StepLaws,
    CronLaws,
)


def watch_over(scene: Scene) -> tuple[Invariant, ...]:
    """Begin to look on."""
    return tuple(each(scene) for each in ALWAYS)
