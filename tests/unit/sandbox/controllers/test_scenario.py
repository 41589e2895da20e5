"""Scenarios: read from what people write, first fit wins."""

from datetime import UTC, datetime

import pytest
import yaml

from sandbox.controllers.scenario import (
    ContainerExit,
    PodRule,
    Scenario,
    ScenarioError,
    read_scenario,
)

WRITTEN = """
rules:
  - name: "*-head-*"
    labels: {ray.io/node-type: head}
    ready_after: 2
    exits:
      - {container: ray-head, after: 5.5, times: 3, exit_code: 137, reason: OOMKilled}
  - namespace: batch
    evicted_at: 2026-01-01T12:00:00Z
otherwise:
  ready_after: 0.1
lost_nodes: ["node-2"]
"""


def test_reads_what_people_write() -> None:
    exits = ContainerExit(
        container="ray-head", after=5.5, times=3, exit_code=137, reason="OOMKilled"
    )

    assert read_scenario(yaml.safe_load(WRITTEN)) == Scenario(
        rules=(
            PodRule(
                name="*-head-*",
                labels={"ray.io/node-type": "head"},
                ready_after=2.0,
                exits=(exits,),
            ),
            PodRule(namespace="batch", evicted_at=datetime(2026, 1, 1, 12, tzinfo=UTC)),
        ),
        otherwise=PodRule(ready_after=0.1),
        lost_nodes=("node-2",),
    )


@pytest.mark.parametrize("empty", [None, {}])
def test_nothing_written_is_the_calm_default(empty: object) -> None:
    assert read_scenario(empty) == Scenario()


@pytest.mark.parametrize(
    ("document", "told"),
    [
        ({"rules": [{"ready_after": "soon"}]}, r"Expected `float`, got `str`.*rules\[0\]"),
        ({"rules": [{"redy_after": 1}]}, "unknown field `redy_after`"),
        (["a list"], "Expected `object`, got `array`"),
    ],
)
def test_names_the_place_that_cannot_be_read(document: object, told: str) -> None:
    with pytest.raises(ScenarioError, match=told):
        read_scenario(document)


def test_a_rule_fits_by_namespace_name_and_labels_together() -> None:
    rule = PodRule(namespace="ray-*", name="a-?", labels={"role": "head"})

    def fits(namespace: str, name: str, **labels: str) -> bool:
        meta = {"namespace": namespace, "name": name, "labels": labels}
        return rule.fits({"metadata": meta})

    assert [
        fits("ray-1", "a-1", role="head", more="yes"),
        fits("other", "a-1", role="head"),
        fits("ray-1", "a-10", role="head"),
        fits("ray-1", "a-1", role="worker"),
        fits("ray-1", "a-1"),
    ] == [True, False, False, False, False]


def test_a_pod_is_lost_by_its_rule_or_with_its_node() -> None:
    scenario = Scenario(rules=(PodRule(name="gone", lost_node=True),), lost_nodes=("node-2",))

    def lost(name: str, node: str) -> bool:
        return scenario.pod_lost({"metadata": {"name": name}, "spec": {"nodeName": node}})

    assert [lost("gone", "node-1"), lost("other", "node-2"), lost("other", "node-1")] == [
        True,
        True,
        False,
    ]


def test_an_exit_has_a_reason_even_if_none_is_written() -> None:
    exits = [ContainerExit(exit_code=0), ContainerExit(), ContainerExit(reason="OOMKilled")]

    assert [item.told_reason for item in exits] == ["Completed", "Error", "OOMKilled"]
