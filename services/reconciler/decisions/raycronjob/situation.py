"""Everything a concern may look at: the schedule as wished, where it stands, the settings."""

from datetime import datetime

from msgspec import Struct

from services.reconciler.decisions.decision import Context
from services.reconciler.decisions.oversize import too_large
from services.reconciler.decisions.raw import raw_resource
from services.reconciler.decisions.settings import DecisionSettings
from shared.aggregates.raycronjob import RayCronJobState, raycronjob_state
from shared.aggregates.view import View
from shared.cron.parsing import parse_schedule
from shared.cron.schedule import UTC_ZONE, Schedule
from shared.resources.problem import Problem
from shared.resources.raycronjob import KIND, RayCronJob
from shared.resources.reading import read_raycronjob
from shared.validation.raycronjob import validate

INVALID = "InvalidRayCronJobSpec"


class Situation(Struct, frozen=True, kw_only=True):
    """One RayCronJob, now."""

    view: View
    cron: RayCronJob
    schedule: Schedule
    state: RayCronJobState
    settings: DecisionSettings

    @property
    def base(self) -> datetime:
        """The moment from which on the schedule counts: the last one handled, or its creation."""
        created = self.view.own.meta.created_at if self.view.own else None
        return self.state.handled or created or self.view.now


def situation_of(view: View, context: Context) -> Situation | tuple[Problem, ...]:
    """Read the resource; what is wrong with it if that fails or if it makes no sense."""
    if problems := too_large(view, INVALID):
        return problems
    cron = read_raycronjob(raw_resource(view, KIND))
    if not isinstance(cron, RayCronJob):
        return cron
    if problems := validate(cron, context.settings.features):
        return problems
    return Situation(
        view=view,
        cron=cron,
        schedule=parse_schedule(cron.spec.schedule, cron.spec.time_zone or UTC_ZONE),
        state=raycronjob_state(view),
        settings=context.settings,
    )
