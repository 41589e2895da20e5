"""Draws random sequences of API calls: few names, few values, so that calls meet each other.

Config maps are listed by labels that they have: the real server puts one without any everywhere.

Three kinds: one with a schema and rules of its own, one plain, one whose lists have keys and whose
address the server gives. Read next: sequences.py, which plays them.
"""

from collections.abc import Callable
from typing import Any

import msgspec
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as some

from tests.contract.kubernetes.conformance.calls import (
    APPLY,
    MERGE,
    OPERATIONS,
    STRATEGIC,
    Call,
    at,
    delete,
    get,
    patch,
    post,
    put,
)
from tests.contract.kubernetes.conformance.definitions import (
    WIDGETS,
    configmap,
    service,
    widget,
)

LENGTH_MAX = 12
MAPS, SERVICES = "configmaps", "services"
Strategy = some.SearchStrategy
Draw = Callable[[Strategy[Any]], Any]

names = some.sampled_from(["a", "b"])
numbers = some.integers(min_value=-1, max_value=3)
keys = some.sampled_from(["x", "y"])
managers = some.sampled_from(["one", "two"])
words = some.sampled_from(["", "1", "2"])
data = some.dictionaries(keys, words, max_size=2)
labels = some.dictionaries(some.sampled_from(["l", "m"]), words, max_size=2)
groups = some.lists(
    some.fixed_dictionaries({"name": keys}, optional={"size": numbers, "color": words}),
    max_size=2,
    unique_by=lambda group: group["name"],
)
finalizers = some.sampled_from([[], ["x.io/one"], ["x.io/one", "x.io/two"]])
metadata = some.fixed_dictionaries({}, optional={"labels": labels, "finalizers": finalizers})
specs = some.fixed_dictionaries(
    {},
    optional={
        "replicas": numbers,
        "size": some.sampled_from(["small", "big", "huge"]),
        "low": numbers,
        "high": numbers,
        "fixed": words,
        "groups": groups,
        "tags": some.lists(keys, max_size=2),
        "limits": some.dictionaries(keys, numbers, max_size=2),
        "whole": data,
        "maybe": some.none() | words,
    },
)
conditions = some.lists(
    some.fixed_dictionaries({"type": keys, "status": words}), max_size=2, unique_by=str
)
statuses = some.fixed_dictionaries(
    {},
    optional={
        "replicas": numbers,
        "phase": some.sampled_from(["New", "Old", "Odd"]),
        "conditions": conditions,
    },
)
ports = some.lists(
    some.fixed_dictionaries(
        {"port": some.sampled_from([80, 443]), "name": keys},
        optional={"protocol": some.sampled_from(["TCP", "UDP"]), "appProtocol": words},
    ),
    min_size=1,
    max_size=2,
    unique_by=(lambda port: port["name"], lambda port: port["port"]),
)
exposures = some.fixed_dictionaries(
    {"ports": ports},
    optional={"selector": data, "sessionAffinity": some.sampled_from(["None", "ClientIP"])},
)
operations = some.one_of(
    some.builds(lambda value: ("add", "/metadata/labels", value), labels),
    some.builds(lambda key, value: ("add", f"/metadata/labels/{key}", value), keys, words),
    some.builds(lambda key: ("remove", f"/metadata/labels/{key}", None), keys),
    some.builds(lambda key, value: ("replace", f"/data/{key}", value), keys, words),
    some.builds(lambda value: ("replace", "/spec/size", value), words),
    some.builds(lambda value: ("test", "/spec/replicas", value), numbers),
)
SELECTORS = ("!m", "l", "l=1", "l,m!=2")
VERBS = ("create", "update", "merge", "other", "apply", "apply", "delete", "get", "list", "more")


@some.composite
def objects(draw: Draw, name: str, kind: str) -> Any:
    """Draw a whole object."""
    meta = draw(metadata)
    if kind == MAPS:
        return configmap(name, metadata=meta, **draw(data))
    if kind == SERVICES:
        made = service(name, **draw(exposures))
        return {**made, "metadata": {**meta, "name": name}}
    return widget(name, metadata=meta, **draw(specs))


@some.composite
def changes(draw: Draw, kind: str) -> Any:
    """Draw a merge patch."""
    made: dict[str, Any] = {"metadata": draw(metadata)} if draw(some.booleans()) else {}
    if kind == MAPS:
        made["data"] = draw(some.dictionaries(keys, some.none() | words, max_size=2))
    else:
        made["spec"] = draw(exposures if kind == SERVICES else specs)
    return made


@some.composite
def calls(draw: Draw) -> Call:
    """Draw one call; one write in eight is a dry run."""
    kind, name = draw(some.sampled_from([MAPS, WIDGETS, SERVICES, WIDGETS])), draw(names)
    verb = draw(some.sampled_from(VERBS))
    if verb == "get":
        return get(at(kind, name))
    if verb == "list":
        return get(at(kind), labelSelector=draw(some.sampled_from(SELECTORS[kind == MAPS :])))
    call: Call = draw(writes(verb, kind, name))
    if draw(some.integers(min_value=0, max_value=7)):
        return call
    return msgspec.structs.replace(call, query={**call.query, "dryRun": "All"})


@some.composite
def writes(draw: Draw, verb: str, kind: str, name: str) -> Call:
    """Draw a call that changes something."""
    here, manager = at(kind, name), {"fieldManager": draw(managers)}
    if verb == "create":
        return post(at(kind), draw(objects(name, kind)), **manager)
    if verb == "update":
        return put(here, draw(objects(name, kind)), **manager)
    if verb == "merge":
        return patch(here, draw(changes(kind)), MERGE, **manager)
    if verb == "apply":
        force = {"force": "true"} if draw(some.booleans()) else {}
        return patch(here, draw(objects(name, kind)), APPLY, **manager, **force)
    if verb == "delete":
        return delete(here, propagationPolicy="Background")
    more: Call = draw(other_patches(kind, here) if verb == "other" else others(kind, name))
    return more


@some.composite
def other_patches(draw: Draw, kind: str, here: str) -> Call:
    """Draw a patch by operations, or a strategic one."""
    if kind != WIDGETS and draw(some.booleans()):
        return patch(here, draw(changes(kind)), STRATEGIC)
    listed = draw(some.lists(operations, min_size=1, max_size=2))
    steps = [{"op": op, "path": path, "value": value} for op, path, value in listed]
    return patch(here, steps, OPERATIONS)


@some.composite
def others(draw: Draw, kind: str, name: str) -> Call:
    """Draw a write through another door: the status, the scale, or the whole collection."""
    door = draw(some.sampled_from(["status", "applied", "scale", "collection"]))
    if door == "collection" or kind != WIDGETS:
        return delete(at(kind), labelSelector=draw(some.sampled_from(["l=1", "m", "m=2"])))
    if door == "scale":
        return patch(at(kind, name, "scale"), {"spec": {"replicas": draw(numbers)}})
    status = {"status": draw(statuses)}
    if door == "status":
        return patch(at(kind, name, "status"), status, MERGE, fieldManager=draw(managers))
    whole = {**widget(name), **status}
    return patch(at(kind, name, "status"), whole, APPLY, fieldManager=draw(managers))


def drawn(count: int, number: int) -> list[list[Call]]:
    """Draw so many sequences, always the same for a number."""
    found: list[list[Call]] = []

    @seed(number)
    @settings(
        max_examples=count,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
        phases=(Phase.generate,),
    )
    @given(some.lists(calls(), min_size=2, max_size=LENGTH_MAX))
    def draw(sequence: list[Call]) -> None:
        found.append(sequence)

    draw()
    return found[:count]
