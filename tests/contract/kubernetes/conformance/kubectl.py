"""What a person does all day with kubectl, as a script, and its outputs made comparable.

Every step is one run of kubectl in the namespace of the play; what it said and how it ended is
compared. Read next: test_kubectl.py.
"""

import json
import re
from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any, TypeAlias

import msgspec
import yaml

from tests.contract.kubernetes.conformance.definitions import configmap, service, widget
from tests.support.processes import KUBECTL, run

Told: TypeAlias = tuple[str, int, list[str], list[str]]

MASKS = (
    (re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"), "<uid>"),
    (re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|\+00:00)"), "<time>"),
    (re.compile(r"\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d \+0000"), "<time>"),
    (re.compile(r"(?<=containerd://)[0-9a-f]{64}"), "<container>"),
    (re.compile(r"(?<=Resource Version:)\s+\d+"), " <revision>"),
    (re.compile(r'(?<=resourceVersion: ")\d+'), "<revision>"),
    (re.compile(r'(?<=resourceVersion\\":\\")\d+'), "<revision>"),
    (re.compile(r"\b10\.96\.\d+\.\d+\b"), "<ip>"),
    (re.compile(r"\b10\.1[2-9]\d\.\d+\.\d+\b"), "<ip>"),
    (re.compile(r"https?://127\.0\.0\.1:\d+"), "<server>"),
    (re.compile(r"(?<=[\s(])(\d+[smh])+(?=\s|$)"), "<age>"),
)
SPACES = re.compile(r" {2,}")
SEVERAL = frozenset(("-l", "--all-containers"))
"""Logs of several containers come in an order that kubectl draws by chance."""


class Step(msgspec.Struct, frozen=True):
    """One run of kubectl, and what it reads."""

    words: tuple[str, ...]
    given: tuple[Any, ...] = ()


def kubectl(line: str, *given: Any) -> Step:
    """Make a step of a line; `given` is what it reads instead of a file."""
    words = tuple(line.split())
    return Step((*words, "-f", "-") if given else words, given)


def patching(how: str, patch: Any, line: str) -> Step:
    """Make a step that patches."""
    return Step(("patch", *line.split(), f"--type={how}", "-p", json.dumps(patch)))


READY = {"status": {"replicas": 2, "conditions": [{"type": "Ready", "status": "True"}]}}
GROUPS = [{"name": "a", "color": "red"}]
BIGGER = [{"op": "replace", "path": "/spec/replicas", "value": 5}]
SHOWN = ("-o", "jsonpath={.spec.replicas} {.spec.groups[*].name} {.metadata.labels}")

SCRIPT: tuple[Step, ...] = (
    kubectl("get widgets"),
    kubectl("get widget w"),
    kubectl("create", widget("w", replicas=2, groups=GROUPS)),
    kubectl("create", widget("w")),
    kubectl("apply", widget("v", replicas=1)),
    kubectl("apply", widget("v", replicas=3)),
    kubectl("apply", widget("v", replicas=3)),
    kubectl("apply", widget("v", replicas=-1)),
    kubectl("apply", widget("v", replics=1)),
    kubectl("apply", {**widget("v"), "kind": "Gizmo"}),
    kubectl("apply --dry-run=server", widget("u")),
    kubectl("diff", widget("v", replicas=3)),
    kubectl("get wd"),
    kubectl("get widgets,configmaps -l a=b"),
    kubectl("get gadgets -o name"),
    kubectl("get widgets -o wide"),
    kubectl("get widgets --show-labels"),
    kubectl("get widgets --sort-by=.spec.replicas"),
    kubectl("get widgets -o custom-columns=N:.metadata.name,R:.spec.replicas"),
    kubectl("get widgets --field-selector spec.size=small -o name"),
    kubectl("get widgets --field-selector spec.low=1"),
    kubectl("get widget v -o yaml"),
    Step(("get", "widget", "w", *SHOWN)),
    kubectl("describe widget w"),
    kubectl("explain widget.spec"),
    kubectl("explain widget.spec.replicas"),
    kubectl("explain widget.nothing"),
    kubectl("apply --server-side --field-manager=one", configmap("c", a="1", b="2")),
    kubectl("apply --server-side --field-manager=two", configmap("c", a="3")),
    kubectl("apply --server-side --field-manager=two --force-conflicts", configmap("c", a="3")),
    kubectl("apply --server-side --field-manager=one", configmap("c", b="2")),
    kubectl("get configmap c -o yaml --show-managed-fields=false"),
    kubectl("get configmap c"),
    kubectl("describe configmap c"),
    patching("merge", {"spec": {"size": "big"}}, "widget w"),
    patching("merge", {"spec": {"size": "big"}}, "widget w"),
    patching("json", BIGGER, "widget w"),
    patching("strategic", {"data": {"z": "1"}}, "configmap c"),
    patching("strategic", {"spec": {}}, "widget w"),
    patching("merge", READY, "widget w --subresource=status"),
    kubectl("scale widget/w --replicas=4"),
    kubectl("scale widget/w --current-replicas=9 --replicas=5"),
    kubectl("get widget w --subresource=scale -o jsonpath={.spec.replicas}/{.status.replicas}"),
    kubectl("wait widget/w --for=condition=Ready --timeout=5s"),
    kubectl("wait widget/v --for=condition=Ready --timeout=1s"),
    kubectl("wait widget/w --for=jsonpath={.spec.replicas}=4 --timeout=5s"),
    kubectl("label widget w a=b"),
    kubectl("label widget w a=c"),
    kubectl("label widget w a=c --overwrite"),
    kubectl("annotate widget w note=x"),
    kubectl("label widget w a-"),
    kubectl("get widgets -w --request-timeout=2s"),
    kubectl("apply", service("s")),
    kubectl("get services"),
    kubectl("get service s -o wide"),
    kubectl("create secret generic k --from-literal=a=b"),
    kubectl("get secrets"),
    kubectl("describe secret k"),
    kubectl("create serviceaccount me"),
    kubectl("create role r --verb=get,list --resource=pods,widgets.conformance.example.com"),
    kubectl("create rolebinding b --role=r --serviceaccount=$ns:me"),
    kubectl("get role r -o jsonpath={.rules}"),
    kubectl("get rolebinding b -o jsonpath={.roleRef}{.subjects}"),
    kubectl("auth can-i list pods"),
    kubectl("delete role/r rolebinding/b"),
    kubectl("delete widget w --wait=true --timeout=20s"),
    kubectl("delete widget w"),
    kubectl("delete widget w --ignore-not-found"),
    kubectl("delete configmap,service,widget -l nothing=here"),
    kubectl("delete widgets --all --timeout=20s"),
    kubectl("wait widget/v --for=delete --timeout=20s"),
    kubectl("get widgets"),
    kubectl("get nothings"),
)


def play(
    environment: Mapping[str, str], namespace: str, script: Sequence[Step] = SCRIPT
) -> list[Told]:
    """Run a script; return what was said, masked."""
    return [_said(step, environment, namespace) for step in script]


def _said(step: Step, environment: Mapping[str, str], namespace: str) -> Told:
    words = [word.replace("$ns", namespace) for word in step.words]
    given = yaml.safe_dump_all(step.given) if step.given else None
    said = run(KUBECTL, "-n", namespace, *words, environment=environment, given=given)
    line, told = " ".join(step.words), _masked(said.stdout, namespace)
    if "-w" in step.words:  # in how many writes a kubelet reports is its own business
        told = [row for row, _ in groupby(told)]
    if "logs" in step.words and SEVERAL & set(step.words):
        told = sorted(told)
    return line, said.returncode, told, _masked(said.stderr, namespace)


def _masked(text: str, namespace: str) -> list[str]:
    """Mask ids and times; widths of columns follow what stands in them, hence are forgotten.

    Several causes are put in order: the real server gives them as its maps happen to lie.
    """
    for pattern, mask in MASKS:
        text = pattern.sub(mask, text)
    text = text.replace(namespace, "$ns")
    lines = [SPACES.sub("  ", line).rstrip() for line in text.splitlines()]
    return sorted(lines) if any(line.startswith("* ") for line in lines) else lines
