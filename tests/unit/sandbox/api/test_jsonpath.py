"""The JSONPath of printer columns."""

from typing import Any

import pytest

from sandbox.api.jsonpath import found

OBJECT = {
    "metadata": {"labels": {"example.com/size": "big"}},
    "spec": {"ports": [{"port": 1}, {"port": 2}], "on": False, "none": None},
    "status": {
        "conditions": [{"type": "Ready", "status": "True"}, {"type": "Old", "status": "False"}]
    },
}


@pytest.mark.parametrize(
    ("path", "values"),
    [
        (".spec.on", [False]),
        ("spec.on", [False]),
        ("{.spec.on}", [False]),
        (".spec.none", []),
        (".spec.missing.deeper", []),
        (".spec.ports[1].port", [2]),
        (".spec.ports[-1].port", [2]),
        (".spec.ports[7].port", []),
        (".spec.ports[*].port", [1, 2]),
        (r".metadata.labels.example\.com/size", ["big"]),
        (".metadata.labels['example.com/size']", ["big"]),
        ('.status.conditions[?(@.type=="Ready")].status', ["True"]),
        (".status.conditions[?(@.type=='Ready')].status", ["True"]),
        ('.status.conditions[?(@.type!="Ready")].status', ["False"]),
        (".spec[", []),
    ],
)
def test_finds_values(path: str, values: list[Any]) -> None:
    assert found(path, OBJECT) == values
