"""A question as people write it: which resource, and what is to be otherwise. Pure.

Invariant: what cannot be understood is refused with the place where it stands. Everything happens
at one moment: that of the fork, or `after` it. Read next: meddling.py, which does it.
"""

from collections.abc import Iterator, Mapping
from datetime import timedelta
from typing import Literal

import msgspec
from msgspec import Struct, field

from heliograph.simulator.choices import choices, placed
from shared.kernel.keys import ResourceKey, parse_key
from shared.runtime.spans import parse_span

Plain = dict[str, object]
Fate = Literal["exit", "oom", "evict", "delete", "lose"]
KINDS: Mapping[str, tuple[str, ...]] = {
    "raycluster": ("spec",),
    "rayjob": ("spec", "rayClusterSpec"),
    "rayservice": ("spec", "rayClusterConfig"),
    "raycronjob": ("spec", "jobTemplate", "rayClusterSpec"),
}
"""Where each kind of ours keeps the spec of a cluster."""


class QuestionError(ValueError):
    """A question that makes no sense; the message begins with the place in it."""


class Befalls(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What befalls pods: one by its name, or some of a group (`headgroup` is the head's)."""

    fate: Fate
    name: str = ""
    group: str = ""
    count: int | None = None
    """How many of the group; all if not said."""


class Ray(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How dashboards, jobs and applications fare from then on."""

    jobs: Literal["", "SUCCEEDED", "FAILED", "RUNNING"] = ""
    """How jobs end, those that run included; RUNNING never do."""
    after: str = ""
    """How long after the change, or after their submission, jobs end (1s)."""
    answers: Literal["", "hang", "refuse"] = ""
    during: str = msgspec.field(default="", name="for")
    """How long dashboards do not answer; for ever if not said."""
    applications: dict[str, Literal["RUNNING", "UNHEALTHY", "DEPLOY_FAILED"]] = field(
        default_factory=dict
    )


class Operator(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How the operator itself fares."""

    away: str = ""
    """For how long none of its services runs."""


class Question(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is to be otherwise."""

    resource: str
    after: str = ""
    patch: Plain = field(default_factory=dict)
    groups: dict[str, Plain] = field(default_factory=dict)
    manifest: Plain = field(default_factory=dict)
    delete: bool = False
    pods: tuple[Befalls, ...] = ()
    nodes_lost: tuple[str, ...] = msgspec.field(default=(), name="nodesLost")
    dashboard: Ray = Ray()
    operator: Operator = Operator()
    settings: dict[str, str | int | float | bool] = field(default_factory=dict)

    @property
    def key(self) -> ResourceKey:
        """The resource that is asked about."""
        return parse_key(self.resource)


def read_question(document: object) -> Question:
    """Read a parsed document: a question, or a manifest of the resource as it is to be."""
    if not isinstance(document, dict):
        raise QuestionError("a question is a mapping that names a `resource`")
    if "apiVersion" in document and "kind" in document:
        document = _of_manifest(document)
    try:
        question = msgspec.convert(document, Question)
    except msgspec.ValidationError as problem:
        raise QuestionError(placed(str(problem), document, Question)) from problem
    _check(question)
    return question


def _of_manifest(manifest: Plain) -> Plain:
    about = manifest.get("metadata")
    if not isinstance(about, dict) or not about.get("name"):
        raise QuestionError("metadata.name: a manifest needs a name")
    kind = str(manifest["kind"]).lower()
    return {
        "resource": f"{kind}/{about.get('namespace') or 'default'}/{about['name']}",
        "manifest": manifest,
    }


def _check(question: Question) -> None:
    """Raise QuestionError for what is well formed and makes no sense."""
    try:
        key = question.key
    except ValueError as problem:
        raise QuestionError(f"resource: {problem}") from problem
    if key.kind not in KINDS:
        known = ", ".join(KINDS)
        raise QuestionError(f"resource: a {key.kind} cannot be asked about, only {known}")
    extra = set(question.patch) - {"spec", "metadata"}
    if extra:
        raise QuestionError(f"patch.{min(extra)}: only spec and metadata can be patched")
    for place, text in _spans(question):
        try:
            span_of(text)
        except ValueError as problem:
            raise QuestionError(f"{place}: {text!r} {problem}") from problem
    for index, one in enumerate(question.pods):
        _check_pods(f"pods[{index}]", one)
    _check_ray(question.dashboard)


def _check_ray(ray: Ray) -> None:
    if ray.after and ray.jobs in {"", "RUNNING"}:
        raise QuestionError("dashboard.after: goes with `jobs` that end (SUCCEEDED or FAILED)")
    if ray.during and not ray.answers:
        raise QuestionError("dashboard.for: goes with `answers` (hang or refuse)")


def _check_pods(place: str, one: Befalls) -> None:
    if bool(one.name) == bool(one.group):
        raise QuestionError(f"{place}: say either a `name` or a `group`")
    if one.count is not None and (one.count < 1 or one.name):
        raise QuestionError(f"{place}.count: a number of pods of a group, at least 1")


def _spans(question: Question) -> Iterator[tuple[str, str]]:
    yield "after", question.after
    yield "dashboard.after", question.dashboard.after
    yield "dashboard.for", question.dashboard.during
    yield "operator.away", question.operator.away


def span_of(text: str) -> timedelta:
    """Read a span; nothing said is none."""
    return parse_span(text) if text else timedelta()


def unchanged(question: Question) -> Question:
    """Return the same question with nothing otherwise: what the answer is compared with."""
    return Question(resource=question.resource)


def words_of(question: Question) -> tuple[str, ...]:
    """Say what is otherwise, without values that might be secret."""
    after = f", {question.after} after the moment" if question.after else ""
    return tuple(f"{words}{after}" for words in _words(question))


def _words(question: Question) -> Iterator[str]:
    key = question.key
    for name in ("patch", "manifest"):
        if getattr(question, name):
            yield f"the {name} is applied to {key.kind} {key.name}"
    for group, wishes in question.groups.items():
        yield f"group {group} has another {', '.join(wishes)}"
    if question.delete:
        yield f"{key.kind} {key.name} is deleted"
    for one in question.pods:
        yield _befalls(one)
    yield from (f"node {node} is lost" for node in question.nodes_lost)
    yield from _of_ray(question.dashboard)
    if question.operator.away:
        yield f"the operator is away for {question.operator.away}"
    for name, value in question.settings.items():
        yield f"the setting {name} is {value}"


def _befalls(one: Befalls) -> str:
    deed = {
        "exit": "ends by itself",
        "oom": "runs out of memory",
        "evict": "is evicted",
        "delete": "is deleted",
        "lose": "loses its node",
    }[one.fate]
    if one.name:
        return f"pod {one.name} {deed}"
    if one.count is None:
        return f"every pod of group {one.group} {deed}"
    pods = "1 pod" if one.count == 1 else f"each of {one.count} pods"
    return f"{pods} of group {one.group} {deed}"


def _of_ray(ray: Ray) -> Iterator[str]:
    if ray.jobs:
        ends = "never end" if ray.jobs == "RUNNING" else f"end {ray.jobs}"
        yield f"jobs {ends}{f' after {ray.after}' if ray.after else ''}"
    if ray.answers:
        deed = {"hang": "do not answer in time", "refuse": "cannot be reached"}[ray.answers]
        yield f"dashboards {deed}{f' for {ray.during}' if ray.during else ''}"
    for name, status in ray.applications.items():
        yield f"application {name} is {status}"


def patched(question: Question, old: Plain) -> Plain:
    """Return the resource as the question wants it; raise QuestionError for an unknown group."""
    new = _merged(old, question.patch)
    if question.manifest:
        about = question.manifest.get("metadata")
        kept = {
            name: value
            for name, value in (about.items() if isinstance(about, dict) else ())
            if name in {"labels", "annotations"}
        }
        new = {**_merged(new, {"metadata": kept}), "spec": question.manifest.get("spec", {})}
    for group, wishes in question.groups.items():
        new = _regrouped(new, KINDS[question.key.kind], group, wishes)
    return new


def _merged(old: Plain, patch: Mapping[str, object]) -> Plain:
    """Merge as RFC 7386 says: null removes, mappings merge, everything else replaces."""
    new = dict(old)
    for name, value in patch.items():
        below = new.get(name)
        if value is None:
            new.pop(name, None)
        elif isinstance(value, dict):
            new[name] = _merged(below if isinstance(below, dict) else {}, value)
        else:
            new[name] = value
    return new


def _regrouped(obj: Plain, path: tuple[str, ...], group: str, wishes: Plain) -> Plain:
    if path:
        below = obj.get(path[0])
        held = below if isinstance(below, dict) else {}
        return {**obj, path[0]: _regrouped(held, path[1:], group, wishes)}
    rows = obj.get("workerGroupSpecs")
    groups = [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []
    names = [str(row.get("groupName")) for row in groups]
    if group not in names:
        known = choices(group, names)
        raise QuestionError(f"groups.{group}: there is no such worker group ({known})")
    merged = [_merged(row, wishes) if row.get("groupName") == group else row for row in groups]
    return {**obj, "workerGroupSpecs": merged}
