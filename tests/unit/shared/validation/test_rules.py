"""The rules as a whole: well formed, and their texts are those that KubeRay's users know.

The texts are read from the tables of the specification beside the project, where it is at hand.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from string import Formatter

import pytest

from shared.kernel.features import Features
from shared.validation.check import check
from shared.validation.rules import RULES, rules_of

SPEC = Path(__file__).resolve().parents[5] / "shared" / "spec"
needs_spec = pytest.mark.skipif(not SPEC.is_dir(), reason="needs ../shared/spec")

KINDS = ("RayCluster", "RayJob", "RayService", "RayCronJob")
SECTIONS = (
    ("raycluster.md", "### 1.2", "### 1.4"),
    ("raycluster.md", "### 1.5", "### 1.7"),
    ("rayjob.md", "### 7.1", "## 8"),
    ("rayservice.md", "### 2.1", "### 2.3"),
    ("raycronjob.md", "## 3.", "## 4."),
    ("crds.md", "## 8.", "## 9."),
)
SPAN = re.compile(r"(?<!`)(`{1,2})(?!`)(.+?)(?<!`)\1(?!`)")
GAP = re.compile(r"<[^<>]*?[^<> ][^<>]*?>|\.\.\.")
WEBHOOK = ("worker group names must be unique",)  # in the text about it, not in a table
NO_RULES = (
    "tlsOptions requires cert-manager",  # asks the cluster, not what a user wrote
    "The RayJob spec is invalid: <text>",  # any rule of a cluster, tried in test_rayjob_sense
    "invalid RayJob template: <RayJob text>",  # any rule of a job, tried in test_raycronjob
    '... variable in worker group "<group>" when ...',  # these three the tables abbreviate
    'networkPolicy.workerGroups["<group>"].<...> cannot be set',
    "and AZURE_STORAGE_AUTH_MODE is <mode>",
    'in worker group "<n>"',
)


def told_by_kuberay() -> Iterator[str]:
    """Yield the texts in the last cells of the tables."""
    for name, start, end in SECTIONS:
        text = (SPEC / name).read_text(encoding="utf-8")
        section = text[text.index(f"\n{start}") : text.index(f"\n{end}")]
        for line in section.splitlines():
            cells = re.split(r"(?<!\\)\|", line.strip().strip("|"))
            if line.startswith("|") and not set(line) <= set("|- "):
                yield from (span[1].strip() for span in SPAN.findall(cells[-1]))


def sentences() -> set[str]:
    """Return what KubeRay says; single words and what is no rule are left out."""
    said = {text for text in told_by_kuberay() if len(GAP.sub("", text).split()) > 2}
    return {text for text in said if not any(each in text for each in NO_RULES)}


def spoken(text: str) -> str:
    """Return the text of a rule with its gaps written as in the tables."""
    return "".join(
        before + ("<word>" if name is not None else "")
        for before, name, _, _ in Formatter().parse(text)
    )


def fits(text: str, other: str) -> bool:
    """Whether the gaps of one text can be filled so that it is the other, or ends with it."""
    parts = [re.escape(part) for part in GAP.split(text)]
    return re.fullmatch(f"(.*[:,] )?{'.+'.join(parts)}", other) is not None


def same(ours: str, theirs: str) -> bool:
    return fits(theirs, ours) or fits(ours, theirs)


@needs_spec
def test_whatever_kuberay_says_we_say() -> None:
    texts, ours = sentences(), [spoken(rule.text) for rule in RULES.values()]

    assert len(texts) > 150
    assert [text for text in texts if not any(same(each, text) for each in ours)] == []


@needs_spec
def test_whatever_we_say_kuberay_says_or_it_is_marked_as_our_own() -> None:
    texts = sentences() | set(WEBHOOK)
    alone = {
        rule.id
        for rule in RULES.values()
        if not rule.own and not any(same(spoken(rule.text), text) for text in texts)
    }

    assert alone == set()


def test_rules_are_of_our_kinds_and_have_hints() -> None:
    assert {rule.kind for rule in RULES.values()} == set(KINDS)
    assert sum(len(rules_of(kind)) for kind in KINDS) == len(RULES)
    assert [rule.id for rule in RULES.values() if not rule.hint or not rule.text] == []


def test_layers_are_asked_in_order() -> None:
    for kind in KINDS:
        layers = [rule.layer for rule in rules_of(kind)]
        assert layers == sorted(layers, key=["metadata", "spec", "upgrade", "status"].index)


def test_reasons_are_those_of_kuberays_events() -> None:
    assert {rule.reason for rule in RULES.values()} == {
        *("InvalidRayClusterMetadata", "InvalidRayClusterSpec", "InvalidRayClusterStatus"),
        *("InvalidRayJobMetadata", "InvalidRayJobSpec", "InvalidRayJobStatus"),
        *("InvalidRayServiceMetadata", "InvalidRayServiceSpec", "InvalidRayCronJobSpec"),
    }


def test_words_of_users_are_not_taken_for_words_of_a_rule() -> None:
    raw = {"apiVersion": "ray.io/v1", "kind": "RayCronJob", "metadata": {"name": "a"}}
    spec = {
        "schedule": "{error} {0} {",
        "jobTemplate": {"clusterSelector": {"ray.io/cluster": "x"}},
    }

    (problem,) = check({**raw, "spec": spec}, Features())
    assert problem.message.endswith("expected exactly 5 fields, found 3: [{error} {0} {]")
