"""Questions that nothing could answer, refused with their place and with what there is.

A change that Kubernetes would drop, that hits nobody, or that comes after the end looks like an
answer: "the same outcome". Invariant: what passes here befalls somebody before both forks end.
"""

import re
from collections.abc import Iterator, Mapping
from datetime import timedelta
from fnmatch import fnmatchcase

from heliograph.simulator.choices import choices
from heliograph.simulator.questions import KINDS, Question, QuestionError, span_of
from heliograph.simulator.remembering import applications_in
from heliograph.simulator.world import World
from sandbox.objects import dig, metadata
from sandbox.schemas.nodes import Node, reach
from sandbox.schemas.pruning import pruned
from shared.kernel.manifests import text_at
from shared.runtime.spans import print_span

GROUPS = "workerGroupSpecs"
_INDEX = re.compile(r"\[\d+\]")


def check_times(question: Question, lasts: timedelta) -> None:
    """Refuse what would come after the forks have ended."""
    begins = span_of(question.after)
    ray, away = question.dashboard, question.operator.away
    for place, later, deed in (
        ("after", "", "the change comes"),
        ("operator.away", away, "the operator comes back"),
        ("dashboard.after", ray.after, "jobs end"),
        ("dashboard.for", ray.during, "dashboards answer again"),
    ):
        at = begins + span_of(later)
        if at >= lasts:
            raise QuestionError(
                f"{place}: {deed} {print_span(at)} after the moment, and both forks end after "
                f"{print_span(lasts)}, so nobody would see it: let --for be longer"
            )


def check_fields(world: World, question: Question) -> None:
    """Refuse fields that Kubernetes drops because the definition of the kind has none such."""
    state = world.cluster.state
    kind = state.registry.find(f"{question.key.kind}s.ray.io")
    schema = state.schema(kind, kind.version(""))
    if schema is None:
        return
    for prefix, root, part in _parts(question, schema.root):
        _, dropped = pruned(root, part)
        for path in dropped:
            around, _, name = path.rpartition(".")
            names = tuple(filter(None, _INDEX.sub("", around).split(".")))
            node = reach(root, names)
            while node is not None and node.items is not None:
                node = node.items
            known = choices(name, node.properties if node is not None else ())
            raise QuestionError(f"{prefix}{path}: a {kind.kind} has no such field ({known})")


def _parts(question: Question, root: Node) -> Iterator[tuple[str, Node, Mapping[str, object]]]:
    """Yield what is written by place, with the schema that it must fit."""
    yield "patch.", root, question.patch
    yield "", root, {"spec": question.manifest.get("spec", {})}
    group = reach(root, (*KINDS[question.key.kind], GROUPS))
    if group is not None and group.items is not None:
        for name, wishes in question.groups.items():
            yield f"groups.{name}.", group.items, wishes


def check_nodes(world: World, question: Question) -> None:
    """Refuse nodes on which there is no pod: nobody would miss them."""
    pods = world.cluster.list("pods").items
    known = {
        str(dig(pod, "spec.nodeName") or "")
        for pod in pods
        if not metadata(pod).get("deletionTimestamp")
    }
    known.discard("")
    for index, name in enumerate(question.nodes_lost):
        if not any(fnmatchcase(one, name) for one in known):
            told = choices(name, sorted(known))
            raise QuestionError(f"nodesLost[{index}]: no pod is on node {name} then ({told})")


def check_applications(world: World, question: Question) -> None:
    """Refuse applications that no RayService asks for."""
    known = {
        name
        for service in world.cluster.list("rayservices.ray.io").items
        for name in applications_in(text_at(service, "spec", "serveConfigV2"))
    }
    for name in question.dashboard.applications:
        if name not in known:
            told = choices(name, sorted(known))
            raise QuestionError(
                f"dashboard.applications.{name}: no RayService has such an application ({told})"
            )
