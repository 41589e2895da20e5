"""What resources wait for, and which versions decided: what is said of the last acts. Pure."""

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta

from heliograph.views.doctor.checks import Area, Check
from heliograph.views.doctor.facts import Acts, Bus, Here, Unknown, Waiting
from heliograph.views.waits import span_words
from shared.kernel.counting import counted

AREA = Area("resources")
VERSIONS = Area("versions")
OPEN_MOST = timedelta(seconds=60)
"""An act is replaced by its timer after 20 s: one that is open for longer nobody looks after."""
TOGETHER = timedelta(hours=1)
"""Versions whose acts are this close in time run side by side."""


def resource_checks(bus: Bus, now: datetime) -> Iterator[Check]:
    """Judge what waits: answers, timers, approvals, refusals, records that cannot be read."""
    acts = bus.acts
    if isinstance(acts, Unknown):
        yield AREA.unknown("acts", acts.why)
        return
    found = [*_open(acts, now), *_overdue(acts, now), *_held(acts, now), *_refused(acts, now)]
    found += _parked(acts, now)
    if acts.unreadable:
        found.append(
            AREA.wrong(
                "records",
                f"{_some(acts.unreadable)} cannot be read by this version",
                "whoever cannot read a resource's records leaves it alone",
                "run the newest version of every service",
                f"see where it began: heliograph timeline {acts.unreadable[0]}",
            )
        )
    yield from found
    if not found:
        resources = counted(acts.count, "resource")
        yield AREA.well("acts", f"{resources}; every act is answered, no timer is late")


def _open(acts: Acts, now: datetime) -> Iterator[Check]:
    late = [each for each in acts.unanswered if now - each.since > OPEN_MOST]
    if late:
        yield AREA.wrong(
            "open acts",
            f"{counted(len(late), 'act')} without an answer: {_worst(late, now)}",
            "a resource is left alone while its act is open",
            "see that an executor and a reconciler work (services, above)",
            f"heliograph get {_oldest(late).resource} shows what it waits for",
        )


def _overdue(acts: Acts, now: datetime) -> Iterator[Check]:
    if acts.overdue:
        yield AREA.wrong(
            "timers",
            f"{counted(len(acts.overdue), 'timer')} did not go off: {_worst(acts.overdue, now)}",
            "deadlines, retries and schedules come late or not at all",
            "heliograph run scheduler: at its start it arms what is missing",
        )


def _held(acts: Acts, now: datetime) -> Iterator[Check]:
    if acts.held:
        yield AREA.warning(
            "budget",
            f"{counted(len(acts.held), 'resource')} held back: {_worst(acts.held, now)}",
            "deletions beyond the budget wait for people",
            f"heliograph why {_oldest(acts.held).resource}",
            "if it is meant: heliograph approve SCOPE --for 1h --because '...'",
        )


def _refused(acts: Acts, now: datetime) -> Iterator[Check]:
    if acts.refused:
        yield AREA.warning(
            "refusals",
            f"{counted(len(acts.refused), 'resource')} with something refused: "
            f"{_worst(acts.refused, now)}",
            "it is tried again with growing pauses; the rest of the resource goes on",
            f"heliograph why {_oldest(acts.refused).resource}",
        )


def _parked(acts: Acts, now: datetime) -> Iterator[Check]:
    if acts.parked:
        yield AREA.wrong(
            "rules",
            f"{counted(len(acts.parked), 'resource')} parked: {_worst(acts.parked, now)}",
            "the rules of this version break over such a resource: nothing is decided about it",
            "run the newest version of every reconciler, or change its spec",
            f"report it, with: heliograph capsule save {_oldest(acts.parked).resource}",
        )


def _oldest(found: Sequence[Waiting]) -> Waiting:
    return min(found, key=lambda each: each.since)


def _worst(found: Sequence[Waiting], now: datetime) -> str:
    oldest = _oldest(found)
    return f"{oldest.resource} for {span_words(now - oldest.since)} ({oldest.words})"


def _some(names: Sequence[str], most: int = 3) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return f"{', '.join(names[:most])}{more}"


def version_checks(bus: Bus, here: Here, now: datetime) -> Iterator[Check]:
    """Judge which versions decide, and whether this one is as new; and whose log it is."""
    if isinstance(bus.shadow, Unknown):
        yield VERSIONS.unknown("mode", bus.shadow.why)
    elif bus.shadow:
        yield VERSIONS.well("mode", "shadow: it looks on and changes nothing")
    elif bus.shadow is not None:
        yield VERSIONS.well("mode", "it acts")
    acts = bus.acts
    if isinstance(acts, Unknown):
        return
    yield _rules(acts, here)
    yield _codes(acts, here, now)


def _rules(acts: Acts, here: Here) -> Check:
    if acts.rules > here.rules:
        return VERSIONS.warning(
            "rules",
            f"acts are of rules {acts.rules}, and this is of rules {here.rules}",
            "a service of this version leaves such resources alone; replay here would differ",
            "install the version that the services run",
        )
    return VERSIONS.well("rules", f"{here.rules} here, {acts.rules or 'none'} in the log")


def _codes(acts: Acts, here: Here, now: datetime) -> Check:
    ours = f"heliograph/{here.version}"
    lately = [each for each in acts.codes if now - each.last_at <= TOGETHER]
    told = ", ".join(f"{each.code} ({counted(each.acts, 'act')})" for each in lately)
    if len(lately) > 1:
        return VERSIONS.warning(
            "code",
            f"several versions decided within the hour: {told}",
            "that is an upgrade under way, or one that was not finished",
            "bring every reconciler to one version",
        )
    if lately and lately[0].code != ours:
        return VERSIONS.warning(
            "code",
            f"{lately[0].code} decides, and this is {ours}",
            "what this command says of the log is said by another version",
            "install the version that the services run",
        )
    return VERSIONS.well("code", f"{told} decided lately" if told else f"{ours} here; no acts")
