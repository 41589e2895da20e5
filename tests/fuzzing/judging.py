"""Whether a resource is as its spec wishes, and if not, whether it says why. Pure.

What makes no sense must be told under the path of a field; what cannot be carried out must be told
in words: a condition, a message, a Warning. Silence is a finding.
"""

from collections.abc import Iterator, Sequence

from msgspec import Struct

from shared.kernel.features import Features
from shared.resources.problem import Problem
from shared.validation.check import check
from tests.differential.stories import Json, Objects
from tests.fuzzing.bases import NAME, PLURALS
from tests.fuzzing.changes import Change
from tests.fuzzing.fields import CLUSTER_SPECS, Path, dotted
from tests.fuzzing.wishes import WISHES

BAD_CONDITIONS = ("SpecInvalid", "Blocked", "ReplicaFailure")
STARTING = ("Initializing", "RayClusterPodsProvisioning")
WHOLES = CLUSTER_SPECS | {"jobTemplate", "headGroupSpec", "workerGroupSpecs"}
"""What holds many blocks of options."""
EVENT = "Event "
TELLING = 4
"""Shorter values may be in any text."""
SOMEBODY_ELSE = "kueue.x-k8s.io/multikueue"


class Judgement(Struct, frozen=True, kw_only=True):
    """What is not as wished, what is said about it, and what nobody may do."""

    unmet: tuple[str, ...] = ()
    said: tuple[str, ...] = ()
    findings: tuple[str, ...] = ()

    @property
    def verdict(self) -> str:
        """One word for a table."""
        if self.findings:
            return "finding"
        return "said why" if self.unmet else "reached"


def own(kind: str, objects: Objects) -> Json | None:
    """Return the resource of a trial, if it is there."""
    found = objects.get(PLURALS[kind], ())
    return next((one for one in found if one["metadata"]["name"] == NAME), None)


def somebody_elses(resource: Json) -> bool:
    """Tell whether it was handed over: then we keep away, as KubeRay does, from its end as well."""
    return bool(resource["spec"].get("managedBy") == SOMEBODY_ELSE)


def judge(
    kind: str, objects: Objects, features: Features, changes: Sequence[Change] = ()
) -> Judgement:
    """Judge a resource that had time enough."""
    resource = own(kind, objects)
    if resource is None:
        return Judgement()
    if somebody_elses(resource):
        return Judgement(unmet=("it is somebody else's",), said=("managedBy",))
    said = tuple(words_of(kind, resource, objects))
    problems = check(resource, features)
    if problems:
        wrong = [f"{one.path}: {one.message}" for one in problems]
        paths = [one.path for one in problems]
        findings = [*_told(said, problems[0]), *_named(paths, wrong, changes)]
        return Judgement(unmet=tuple(wrong), said=said, findings=tuple(findings))
    unmet = (*_behind(kind, resource), *WISHES[kind](resource, objects))
    silent = [f"silent: {one}" for one in unmet] if unmet and not said else []
    return Judgement(unmet=unmet, said=said, findings=tuple(silent))


def _behind(kind: str, resource: Json) -> Iterator[str]:
    """Yield that the newest spec was not looked at; a RayCronJob's schema cannot tell."""
    generation = resource["metadata"].get("generation")
    observed = (resource.get("status") or {}).get("observedGeneration")
    if kind != "RayCronJob" and observed != generation:
        yield f"generation {generation} is there, {observed} was observed"


def _told(said: Sequence[str], first: Problem) -> Iterator[str]:
    """Yield that a spec makes no sense and nobody says so, or a status does and not where.

    Events are in KubeRay's words, which do not always name a field.
    """
    about = [one for one in said if first.message in one]
    if not about:
        yield f"silent: nobody says {str(first)!r}; said was {list(said)}"
    elif not any(one.startswith(EVENT) or _last_name(first.path) in one.lower() for one in about):
        yield f"unnamed: {first.path} is not in {about}"


def _last_name(path: str) -> str:
    """Return the last name in a path, in small letters: KubeRay spells it as Go does."""
    return path.rpartition(".")[2].partition("[")[0].lower()


def _named(paths: Sequence[str], wrong: Sequence[str], changes: Sequence[Change]) -> Iterator[str]:
    """Yield that a refusal speaks of none of the fields that were changed."""
    if changes and not any(
        _near(path, change.path) or _mentioned(text, change)
        for path, text in zip(paths, wrong, strict=True)
        for change in changes
    ):
        yield f"unnamed: {wrong[0]!r} names no field that was changed"


def _near(told: str, path: Path) -> bool:
    """Tell whether one path is above the other, or both are in one block of options."""
    changed = dotted(path)
    below = next((part for part in path if part not in WHOLES and isinstance(part, str)), "")
    return told.startswith(changed) or (bool(told) and changed.startswith(told)) or below in told


def _mentioned(text: str, change: Change) -> bool:
    """Tell whether a text speaks of a field by its name, or of what was written there."""
    names = (part for part in change.path[-2:] if isinstance(part, str))
    return any(word in text for word in (*names, *_words_in(change.value)))


def _words_in(value: object) -> Iterator[str]:
    if isinstance(value, str) and len(value) >= TELLING:
        yield value
    elif isinstance(value, dict):
        for one in value.values():
            yield from _words_in(one)


def words_of(kind: str, resource: Json, objects: Objects) -> Iterator[str]:
    """Yield everything that is said about what is in the way of a resource."""
    status = resource.get("status") or {}
    yield from _conditions(status)
    if kind == "RayJob" and status.get("message"):
        yield f"{status.get('reason', '')}: {status['message']}"
    for one in objects.get("events", ()):
        if one.get("type") == "Warning":
            yield f"{EVENT}{one.get('reason')}: {one.get('note', '')}"
    for plural in ("rayjobs", "rayclusters"):
        for below in objects.get(plural, ()):
            if below is not resource:
                yield from _conditions(below.get("status") or {})
    for which in ("activeServiceStatus", "pendingServiceStatus"):
        applications = (status.get(which) or {}).get("applicationStatuses") or {}
        yield from (
            f"{one}: {app['message']}" for one, app in applications.items() if app.get("message")
        )


def _conditions(status: Json) -> Iterator[str]:
    for one in status.get("conditions", ()):
        bad = one["status"] == "True" and one["type"] in BAD_CONDITIONS
        unready = one["type"] == "Ready" and one["status"] == "False"
        if bad or (unready and one["reason"] not in STARTING):
            yield f"{one['type']} {one['reason']}: {one['message']}"
