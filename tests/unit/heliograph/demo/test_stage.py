"""Small things of the demo: its manifest, and when a pod counts as ready."""

import pytest

from heliograph.cli.app import main
from heliograph.demo.script import example
from heliograph.demo.stage import is_ready
from tests.support.builders import Raw

READY: Raw = {"conditions": [{"type": "Ready", "status": "True"}]}


def test_the_manifest_it_applies_is_there_and_makes_sense() -> None:
    assert main(["validate", "-f", str(example())]) == 0


@pytest.mark.parametrize(
    ("pod", "ready"),
    [
        ({"status": READY}, True),
        ({"status": {"conditions": [{"type": "Ready", "status": "False"}]}}, False),
        ({"status": {}}, False),
        ({}, False),
        ({"metadata": {"deletionTimestamp": "2030-01-01T12:00:00Z"}, "status": READY}, False),
    ],
)
def test_a_pod_is_ready_unless_it_is_on_its_way_out(pod: Raw, ready: bool) -> None:
    assert is_ready(pod) == ready
