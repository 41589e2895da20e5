"""All checks in the order in which people should read them: the cause before what follows. Pure."""

from collections.abc import Iterator

from heliograph.views.doctor.access import neighbour_checks, permission_checks
from heliograph.views.doctor.checks import Area, Check, Diagnosis, diagnosis
from heliograph.views.doctor.cluster import cluster_checks, definition_checks
from heliograph.views.doctor.facts import Bus, Cluster, Facts, Stream, Unknown
from heliograph.views.doctor.nats import server_checks, stream_checks
from heliograph.views.doctor.resources import resource_checks, version_checks
from heliograph.views.doctor.work import service_checks, session_checks


def judged(facts: Facts) -> Diagnosis:
    """Say what is wrong and what to do."""
    checks = (*_bus(facts), *_cluster(facts))
    return diagnosis(checks, looked=_answers(facts.bus) or _answers(facts.cluster))


def _answers(part: Bus | Cluster | str) -> bool:
    match part:
        case Bus():
            return not isinstance(part.server, Unknown)
        case Cluster():
            return not isinstance(part.version, Unknown)
        case _:
            return False


def _bus(facts: Facts) -> Iterator[Check]:
    bus = facts.bus
    if isinstance(bus, str):
        yield Area("NATS").skipped("everything", bus)
        return
    yield from server_checks(bus)
    yield from stream_checks(bus)
    if bus.streams and not any(map(_is_missing, bus.streams.values())):
        yield from service_checks(bus, facts.here, facts.now)
        yield from session_checks(bus, facts.here, facts.now)
        yield from resource_checks(bus, facts.now)
        yield from version_checks(bus, facts.here, facts.now)


def _is_missing(stream: Stream | Unknown) -> bool:
    """Whether a stream is certainly not there: then nobody works, and that says it all."""
    return isinstance(stream, Stream) and not stream.there


def _cluster(facts: Facts) -> Iterator[Check]:
    cluster = facts.cluster
    if isinstance(cluster, str):
        yield Area("Kubernetes").skipped("everything", cluster)
        return
    yield from cluster_checks(cluster)
    if _answers(cluster):
        yield from definition_checks(cluster)
        yield from permission_checks(cluster)
        shadow = facts.bus.shadow if isinstance(facts.bus, Bus) else None
        yield from neighbour_checks(cluster, shadow=shadow if isinstance(shadow, bool) else None)
