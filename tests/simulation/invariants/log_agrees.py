"""In the end the log tells of every object what Kubernetes has, and every act has its answer."""

from collections.abc import Iterator

from services.watcher.translate.facts import Unusable, facts_of
from shared.events.objects import ChildSeen, PodSeen, ResourceSeen, ServiceSeen, version_of
from shared.events.subjects import place_of
from shared.kernel.features import CRON_JOB
from shared.kube.kinds import KINDS
from shared.ports.cluster import Kind
from tests.simulation.invariants.invariant import Scene
from tests.simulation.kinds import RAYCRONJOBS

HAS = "Kubernetes "


def is_of_ghost(sentence: str) -> bool:
    """Say whether the sentence is about something that only the log has."""
    return sentence.endswith(f"{HAS}{None}")


def apart(scene: Scene) -> Iterator[str]:
    """Yield a sentence for everything in which the two differ."""
    for key in scene.archive.resources():
        if scene.archive.view(key).open:
            yield f"the last act of {key.name} has no answer"
    told, there = _told(scene), _present(scene)
    for subject in sorted({*told, *there}):
        if told.get(subject) != there.get(subject):
            yield f"the log has version {told.get(subject)} of {subject}, {HAS}{there.get(subject)}"


def _told(scene: Scene) -> dict[str, int]:
    """Return the versions that the log tells of, by subject."""
    compared = {kind.name for kind in _kinds(scene).values()}
    found = {}
    for key in scene.archive.resources():
        for subject, record in scene.archive.latest(key).items():
            place, body = place_of(subject), record.envelope.body
            if place is None or place.facet != "obs" or place.rest[0] not in compared:
                continue
            if isinstance(body, PodSeen | ServiceSeen | ChildSeen | ResourceSeen):
                found[subject] = version_of(body)
    return found


def _present(scene: Scene) -> dict[str, int]:
    """Return the versions that Kubernetes has of everything that concerns us."""
    found = {}
    for resource, kind in _kinds(scene).items():
        for raw in scene.nature.cluster.list(resource, labels=kind.selector).items:
            facts = facts_of(kind, raw)
            if not isinstance(facts, Unusable):
                found.update({fact.subject: fact.version for fact in facts})
    return found


def _kinds(scene: Scene) -> dict[str, Kind]:
    """Return what is compared, by the names of the sandbox: what is watched at all."""
    by_plural = {kind.plural: kind for kind in KINDS.values()}
    looked_at = [one for one in scene.nature.told if one != RAYCRONJOBS or _scheduled(scene)]
    return {resource: by_plural[resource.partition(".")[0]] for resource in looked_at}


def _scheduled(scene: Scene) -> bool:
    return scene.features.on(CRON_JOB)
