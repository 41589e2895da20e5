"""Everything that can be wrong with a RayCronJob, in the order in which users are told.

As for a RayCluster (`shared.validation.raycluster`): all problems at once, the first failure first.
The template is judged as the spec of a RayJob without name and annotations. A RayCronJob has no
rules about its status, and one reason for all problems.
"""

from datetime import UTC, datetime
from itertools import chain

from shared.cron.parsing import parse_schedule
from shared.cron.schedule import UTC_ZONE, ScheduleError
from shared.cron.ticks import tick_after
from shared.cron.zones import UnknownZoneError, zone_named
from shared.kernel.features import Features
from shared.resources.problem import Problem
from shared.resources.raycronjob import RayCronJob
from shared.validation import rayjob
from shared.validation.findings import Problems
from shared.validation.held_cluster import moved
from shared.validation.metadata import name_problems, name_rules
from shared.validation.rule import Rule

NAME_LIMIT = 36
_SCHEDULE = "spec.schedule"
_ZONE = "spec.timeZone"
_SOME_MOMENT = datetime(2000, 1, 1, tzinfo=UTC)
"""Any will do to ask whether a schedule ever comes round: calendars repeat."""

NAME_LENGTH, NAME_LETTERS = name_rules("RayCronJob", NAME_LIMIT, own=True)
ZONE_IN_SCHEDULE = Rule(
    id="RayCronJob.schedule-zone",
    path=_SCHEDULE,
    text="cannot use TZ or CRON_TZ in schedule, use timeZone field instead",
    hint="move the zone to spec.timeZone",
)
UNREADABLE = Rule(
    id="RayCronJob.schedule",
    path=_SCHEDULE,
    text="invalid cron schedule: {error}",
    hint="write minute, hour, day, month and weekday, such as 30 2 * * 1-5, or a word as @daily",
)
NEVER = Rule(
    id="RayCronJob.schedule-never",
    path=_SCHEDULE,
    text="invalid cron schedule: no day matches: {schedule}",
    hint="no month has such a day: choose another",
    own=True,
)
ZONE_EMPTY = Rule(
    id="RayCronJob.zone-empty",
    path=_ZONE,
    text=(
        "timeZone must not be empty string, omit the field to use the local time zone of the "
        "KubeRay operator"
    ),
    hint="remove it for UTC, or write a name such as Europe/Zurich",
)
ZONE_UNKNOWN = Rule(
    id="RayCronJob.zone",
    path=_ZONE,
    text="invalid time zone: {error}",
    hint="write a name of the IANA database, such as Europe/Zurich",
)


def validate(cron: RayCronJob, features: Features) -> tuple[Problem, ...]:
    """Return every problem of what the user wrote; none means that jobs can be made."""
    template = moved(
        rayjob.spec_problems(cron.spec.job_template, {}, features),
        to="spec.jobTemplate",
        prefix="invalid RayJob template: ",
        reason=UNREADABLE.reason,
    )
    return tuple(
        chain(
            name_problems(cron.name, NAME_LIMIT, NAME_LENGTH, NAME_LETTERS),
            _schedule_rules(cron.spec.schedule),
            _zone_rules(cron.spec.time_zone),
            template,
        )
    )


def told(problem: Problem, namespace: str, name: str) -> str:
    """Return the text of the Warning event that tells a user of the problem."""
    return f"{namespace}/{name}: {problem.message if problem.rule else problem}"


def _schedule_rules(text: str) -> Problems:
    if "TZ" in text:
        yield ZONE_IN_SCHEDULE.found()
        return
    try:
        schedule = parse_schedule(text, UTC_ZONE)
    except ScheduleError as problem:
        yield UNREADABLE.found(error=problem)
        return
    if tick_after(schedule, _SOME_MOMENT) is None:
        yield NEVER.found(schedule=text)


def _zone_rules(name: str | None) -> Problems:
    if name is None:
        return
    if not name:
        yield ZONE_EMPTY.found()
        return
    try:
        zone_named(name)
    except UnknownZoneError as problem:
        yield ZONE_UNKNOWN.found(error=problem)
