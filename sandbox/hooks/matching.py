"""Which webhooks are asked about a change.

Pure. All of these must fit: a rule (operation, group, version, resource, scope), the labels of the
namespace, the labels of the object before or after, and the conditions. With `matchPolicy:
Equivalent` a rule for one version of a kind fits the others too, and the webhook sees the version
that it named. Read next: gate.py, which asks them.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

from sandbox.errors import ApiError
from sandbox.hooks.questions import Question, request
from sandbox.objects import Object, metadata
from sandbox.schemas.expressions import Failed, program
from sandbox.state import State

RESOURCE = "validatingwebhookconfigurations.admissionregistration.k8s.io"
EXEMPT = "admissionregistration.k8s.io"
ANY = "*"
CONDITION = (
    "cel.bind(object, self.object, cel.bind(oldObject, self.oldObject, "
    "cel.bind(request, self.request, ({}))))"
)
TRIES: Mapping[str, Callable[[str | None, Sequence[str]], bool]] = {
    "In": lambda value, values: value in values,
    "NotIn": lambda value, values: value is None or value not in values,
    "Exists": lambda value, _: value is not None,
    "DoesNotExist": lambda value, _: value is None,
}


class Hook(Struct, frozen=True, kw_only=True):
    """A webhook that is to be asked, and the version in which it wants to see objects."""

    name: str
    version: str
    told: Mapping[str, Any]

    @property
    def ignorable(self) -> bool:
        """Whether things go on if it cannot be asked."""
        return self.told.get("failurePolicy") == "Ignore"

    @property
    def harmless(self) -> bool:
        """Whether it does nothing but answer, at least for a dry run."""
        return self.told.get("sideEffects") in {"None", "NoneOnDryRun"}


def hooks_for(state: State, question: Question) -> Iterator[Hook]:
    """Find who is asked, in the order of names; raises `ApiError` if a condition cannot be told."""
    if question.kind.group == EXEMPT:
        return
    for held in sorted(state.store.objects(RESOURCE), key=lambda each: each["metadata"]["name"]):
        for told in held.get("webhooks") or ():
            version = _version(told, question)
            if version is None or not _selected(state, told, question):
                continue
            hook = Hook(name=str(told["name"]), version=version, told=told)
            if _conditions_hold(hook, question):
                yield hook


def selects(selector: Mapping[str, Any] | None, labels: Mapping[str, str]) -> bool:
    """Tell whether a label selector, as objects spell it, takes these labels."""
    wanted = selector or {}
    if any(labels.get(key) != value for key, value in (wanted.get("matchLabels") or {}).items()):
        return False
    return all(
        TRIES[each["operator"]](labels.get(each["key"]), each.get("values") or ())
        for each in wanted.get("matchExpressions") or ()
    )


def _version(told: Mapping[str, Any], question: Question) -> str | None:
    asked = question.version or question.kind.storage_version.name
    versions = [asked]
    if told.get("matchPolicy", "Equivalent") == "Equivalent":
        versions += [each.name for each in question.kind.versions if each.served]
    rules = [rule for rule in told.get("rules") or () if _fits(rule, question)]
    for version in versions:
        if any(_among(version, rule.get("apiVersions")) for rule in rules):
            return version
    return None


def _fits(rule: Mapping[str, Any], question: Question) -> bool:
    kind = question.kind
    scope = "Namespaced" if kind.namespaced else "Cluster"
    return (
        _among(question.operation, rule.get("operations"))
        and _among(kind.group, rule.get("apiGroups"))
        and rule.get("scope", ANY) in {ANY, scope}
        and any(_names(each, question) for each in rule.get("resources") or ())
    )


def _names(resource: str, question: Question) -> bool:
    plural, slash, sub = resource.partition("/")
    if resource == ANY:
        return not question.subresource
    wanted = sub if slash else ""
    return plural in {ANY, question.kind.plural} and (
        (wanted == ANY and bool(slash)) or wanted == question.subresource
    )


def _among(value: str, values: Sequence[str] | None) -> bool:
    return any(each in {ANY, value} for each in values or ())


def _selected(state: State, told: Mapping[str, Any], question: Question) -> bool:
    place = _namespace(state, question)
    if place is not None and not selects(told.get("namespaceSelector"), _labels(place)):
        return False
    sides = [side for side in (question.new, question.old) if side is not None]
    return any(selects(told.get("objectSelector"), _labels(side)) for side in sides)


def _labels(obj: Object) -> Mapping[str, str]:
    return metadata(obj).get("labels") or {}


def _namespace(state: State, question: Question) -> Object | None:
    if question.kind.resource == "namespaces":
        return question.new or question.old
    return state.store.get("namespaces", "", question.namespace) if question.namespace else None


def _conditions_hold(hook: Hook, question: Question) -> bool:
    conditions = hook.told.get("matchConditions") or ()
    if not conditions:
        return True
    asked = request(question, hook.version)
    known = {"object": asked["object"], "oldObject": asked["oldObject"], "request": asked}
    for condition in conditions:
        holds = program(CONDITION.format(condition["expression"])).ask(known)
        if isinstance(holds, Failed):
            return _unknown(hook, question, holds.because)
        if not holds:
            return False
    return True


def _unknown(hook: Hook, question: Question, because: str) -> bool:
    if hook.ignorable:
        return False
    kind = question.kind
    raise ApiError.forbidden(kind.plural, question.name, because, group=kind.group)
