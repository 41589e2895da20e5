"""Do to a world what a question asks for: at the API server, at nodes, at dashboards.

Users, kubelets and Ray are imitated; whatever the operator does about it, it does by itself.
"""

from datetime import timedelta

import msgspec
from msgspec.structs import replace

from heliograph.simulator.choices import choices
from heliograph.simulator.learning import without_groups
from heliograph.simulator.questions import (
    KINDS,
    Befalls,
    Question,
    QuestionError,
    Ray,
    patched,
    span_of,
)
from heliograph.simulator.refusing import check_applications, check_fields, check_nodes
from heliograph.simulator.settings import changed
from heliograph.simulator.world import World
from sandbox.controllers.rayrules import AnswerRule, AppRule, AppStep, JobRule, RayScript
from sandbox.controllers.scenario import ContainerExit
from sandbox.controllers.told import EXITS
from sandbox.errors import ApiError
from sandbox.objects import Object, dig, metadata, name_of
from shared.kernel.keys import ResourceKey
from shared.kernel.manifests import entries_at, text_at, value_at
from shared.resources.labels import CLUSTER, GROUP, ORIGINATED_FROM_NAME
from shared.runtime.failures import SettingsError
from shared.runtime.settings import Settings

SOON = timedelta(milliseconds=10)
NEVER = 10.0**6
"""Seconds that are longer than any fork."""
OUT_OF_MEMORY = 137


def put(world: World, question: Question) -> None:
    """Change what the question wants changed in the world around the operator."""
    check_fields(world, question)
    check_nodes(world, question)
    try:
        _of_users(world, question)
    except ApiError as refused:
        raise QuestionError(f"Kubernetes refuses the change: {refused}") from refused
    for index, one in enumerate(question.pods):
        for pod in _chosen(world, question.key, one, index):
            _befall(world, pod, one.fate)
    scenario = world.cluster.scenario
    lost = (*scenario.lost_nodes, *question.nodes_lost)
    world.cluster.scenario = replace(scenario, lost_nodes=lost)
    check_applications(world, question)
    _of_ray(world, question.dashboard)
    world.wake()


def settings_wanted(question: Question, settings: Settings) -> Settings:
    """Return the settings that the operator has after the change."""
    wishes = {name: _text(value) for name, value in question.settings.items()}
    try:
        return changed(settings, wishes)
    except SettingsError as problem:
        told = str(problem).removeprefix("--")
        raise QuestionError(f"settings.{told}") from problem


def _of_users(world: World, question: Question) -> None:
    key = question.key
    plural = f"{key.kind}s.ray.io"
    if question.patch or question.manifest or question.groups:
        old = world.cluster.get(plural, key.namespace, key.name)
        new = patched(question, old)
        groups = _changed_groups(key.kind, old, new)
        world.cluster.scenario = without_groups(world.cluster.scenario, groups)
        world.cluster.update(plural, new)
    if question.delete:
        world.cluster.delete(plural, key.namespace, key.name, propagation="Background")


def _changed_groups(kind: str, old: Object, new: Object) -> set[str]:
    """Return the groups whose pods are to be made otherwise."""
    before, after = (_templates(kind, each) for each in (old, new))
    return {name for name in {*before, *after} if before.get(name) != after.get(name)}


def _templates(kind: str, resource: Object) -> dict[str, object]:
    spec = value_at(resource, *KINDS[kind])
    rows = {
        text_at(row, "groupName"): row.get("template")
        for row in entries_at(spec, "workerGroupSpecs")
    }
    return {**rows, "headgroup": value_at(spec, "headGroupSpec", "template")}


def _chosen(world: World, key: ResourceKey, one: Befalls, index: int) -> list[Object]:
    pods = [
        pod
        for pod in world.cluster.list("pods", key.namespace).items
        if _belongs(world, pod, key) and not metadata(pod).get("deletionTimestamp")
    ]
    fitting = [
        pod
        for pod in sorted(pods, key=name_of)
        if (one.name and name_of(pod) == one.name)
        or (one.group and (metadata(pod).get("labels") or {}).get(GROUP) == one.group)
    ]
    if not fitting:
        raise QuestionError(f"pods[{index}]: {_nobody(pods, one)}")
    if one.count is not None and one.count > len(fitting):
        raise QuestionError(
            f"pods[{index}].count: group {one.group} has no {one.count} pods then "
            f"({choices('', map(name_of, fitting))})"
        )
    return fitting[: one.count]


def _nobody(pods: list[Object], one: Befalls) -> str:
    """Say that a pod or a group is not there, and which are."""
    if one.name:
        return f"there is no pod {one.name} then ({choices(one.name, map(name_of, pods))})"
    groups = {str((metadata(pod).get("labels") or {}).get(GROUP, "")) for pod in pods} - {""}
    told = choices(one.group, sorted(groups))
    return f"there is no pod of group {one.group} then ({told})"


def _belongs(world: World, pod: Object, key: ResourceKey) -> bool:
    cluster = str((metadata(pod).get("labels") or {}).get(CLUSTER, ""))
    if key.kind == "raycluster":
        return cluster == key.name
    try:
        found = world.cluster.get("rayclusters.ray.io", key.namespace, cluster)
    except ApiError:
        return False
    labels = metadata(found).get("labels") or {}
    owners = {str(owner.get("name")) for owner in metadata(found).get("ownerReferences") or ()}
    return key.name in {labels.get(ORIGINATED_FROM_NAME), *owners}


def _befall(world: World, pod: Object, fate: str) -> None:
    namespace, name = str(metadata(pod)["namespace"]), name_of(pod)
    at = world.server.clock.now() + SOON
    scenario = world.cluster.scenario
    rule = replace(scenario.rule_for(pod), namespace=namespace, name=name, labels={})
    match fate:
        case "delete":
            world.cluster.delete("pods", namespace, name)
            return
        case "lose":
            rule = replace(rule, lost_node=True)
        case "evict":
            rule = replace(rule, evicted_at=at)
        case _:
            _end_process(world, pod, out_of_memory=fate == "oom")
            return
    world.cluster.scenario = replace(scenario, rules=(rule, *scenario.rules))


def _end_process(world: World, pod: Object, *, out_of_memory: bool) -> None:
    container = str(dig(pod, "spec.containers")[0]["name"])
    end = ContainerExit(
        container=container,
        at=world.server.clock.now() + SOON,
        exit_code=OUT_OF_MEMORY if out_of_memory else 1,
        reason="OOMKilled" if out_of_memory else "",
    )
    note = {EXITS: msgspec.json.encode((end,)).decode()}
    patch = {"metadata": {"annotations": note}}
    world.cluster.patch("pods", str(metadata(pod)["namespace"]), name_of(pod), patch)


def _of_ray(world: World, ray: Ray) -> None:
    scenario, script = world.cluster.scenario, world.cluster.scenario.ray
    if ray.jobs:
        script = replace(script, jobs=(*_known_jobs(world, ray), _job(ray, "*")))
    if ray.answers:
        script = replace(script, answers=tuple(_answers(world, ray)))
    if ray.applications:
        rules = tuple(
            AppRule(app=name, steps=(AppStep(status=status),))
            for name, status in ray.applications.items()
        )
        script = replace(script, apps=(*rules, *script.apps))
    world.cluster.scenario = replace(scenario, ray=script)


def _job(ray: Ray, name: str, before: float = 0.0) -> JobRule:
    """Return how a job fares that has run for so many seconds before the change."""
    wait = span_of(ray.after).total_seconds() if ray.after else 1.0
    runs = None if ray.jobs == "RUNNING" else before + wait
    failed = ray.jobs == "FAILED"
    return JobRule(job=name, pending_for=0.0, runs_for=runs, exit_code=1 if failed else 0)


def _known_jobs(world: World, ray: Ray) -> list[JobRule]:
    """Return rules for the jobs that heads know: those that have ended stay as they are.

    What history tells of jobs that are submitted later counts no more: the question does.
    """
    fleet, now, script = world.cluster.controllers.fleet, world.server.clock.now(), _script(world)
    rules = []
    for head in fleet.heads(script):
        for name, job in fleet.jobs_of(head).items():
            moment = fleet.job(head.key, name, now, script)
            if moment is not None and moment.ended_at is None:
                ran = (now - job.submitted_at).total_seconds()
                rules.append(_job(ray, name, ran))
            else:
                known = script.job_rule(*head.key, name, job.entrypoint)
                rules.append(replace(known, job=name))
    return rules


def _answers(world: World, ray: Ray) -> list[AnswerRule]:
    """Return rules for the answers of every head: those of now, and those to come."""
    now, wait = world.server.clock.now(), span_of(ray.during).total_seconds()
    silent = AnswerRule(refuse=True) if ray.answers == "refuse" else AnswerRule(delay=NEVER)
    if not ray.during:
        return [silent]
    return [
        replace(
            silent,
            namespace=head.key[0],
            cluster=head.key[1],
            until=(now - head.node.started_at).total_seconds() + wait,
        )
        for head in world.cluster.controllers.fleet.heads(_script(world))
    ]


def _script(world: World) -> RayScript:
    return world.cluster.scenario.ray


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
