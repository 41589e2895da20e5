"""Objects as rows: custom kinds by their paths, built-in kinds by their own rules."""

from typing import Any

from sandbox.api.tables import table
from sandbox.builtin import BUILTIN_KINDS
from sandbox.crds import kind_of
from sandbox.kinds import Kind, Registry
from sandbox.objects import Object
from tests.unit.sandbox.widgets import (
    NOON,
    cluster,
    configmap,
    pod,
    service,
    widget,
    widget_definition,
)

BORN = {"creationTimestamp": "2030-01-01T11:59:00Z"}


def shown(kind: Kind, obj: Object) -> dict[str, Any]:
    made = table(kind, kind.storage_version, [obj], NOON)
    names = [column["name"] for column in made["columnDefinitions"]]
    return dict(zip(names, made["rows"][0]["cells"], strict=True))


def builtin(resource: str, obj: Object) -> dict[str, Any]:
    return shown(Registry(BUILTIN_KINDS).find(resource), obj)


def test_shows_a_custom_object_by_its_columns() -> None:
    obj = {**widget(replicas=2, size="big"), "status": {"conditions": []}}
    obj["metadata"] |= BORN

    assert shown(kind_of(widget_definition()), obj) == {
        "Name": "one",
        "Replicas": 2,
        "Ready": None,
        "Size": "big",
        "Age": "60s",
    }


def test_marks_columns_of_the_wide_output() -> None:
    kind = kind_of(widget_definition())
    made = table(kind, kind.storage_version, [], NOON)

    assert [column["priority"] for column in made["columnDefinitions"]] == [0, 0, 0, 1, 0]


def test_rows_carry_as_much_of_the_object_as_asked() -> None:
    kind = Registry(BUILTIN_KINDS).find("configmaps")
    obj = configmap(a="1")

    rows = [
        table(kind, kind.storage_version, [obj], NOON, include)["rows"][0].get("object")
        for include in ("", "Object", "None")
    ]

    assert rows == [
        {
            "kind": "PartialObjectMetadata",
            "apiVersion": "meta.k8s.io/v1",
            "metadata": obj["metadata"],
        },
        obj,
        None,
    ]


def test_shows_a_service() -> None:
    made = cluster().create("services", service(selector={"b": "2", "a": "1"}))

    assert builtin("services", made) == {
        "Name": "web",
        "Type": "ClusterIP",
        "Cluster-IP": "10.96.0.10",
        "External-IP": "<none>",
        "Port(s)": "80/TCP",
        "Age": "0s",
        "Selector": "a=1,b=2",
    }


def test_shows_an_event_through_either_face() -> None:
    event = {
        "metadata": {"name": "e"},
        "regarding": {"kind": "Pod", "name": "p"},
        "reason": "Started",
        "type": "Normal",
        "note": "up",
        "eventTime": "2030-01-01T11:59:50.000000Z",
        "reportingController": "kubelet",
    }

    row = builtin("events", event)

    assert [row[name] for name in ("Last Seen", "Type", "Reason", "Object", "Message")] == [
        "10s",
        "Normal",
        "Started",
        "pod/p",
        "up",
    ]


def test_shows_a_newborn_pod() -> None:
    made = cluster().create("pods", pod())

    assert builtin("pods", made) == {
        "Name": "one",
        "Ready": "0/1",
        "Status": "Pending",
        "Restarts": "0",
        "Age": "0s",
        "IP": "<none>",
        "Node": "<none>",
        "Nominated Node": "<none>",
        "Readiness Gates": "<none>",
    }


def test_shows_how_far_a_job_is() -> None:
    job = {
        "metadata": {"name": "j", **BORN},
        "spec": {"completions": 2},
        "status": {"succeeded": 1, "startTime": "2030-01-01T11:59:30Z"},
    }

    assert builtin("jobs", job) == {
        "Name": "j",
        "Status": "Running",
        "Completions": "1/2",
        "Duration": "30s",
        "Age": "60s",
        "Containers": "",
        "Images": "",
        "Selector": "<none>",
    }


def test_every_builtin_kind_has_as_many_cells_as_columns() -> None:
    for kind in BUILTIN_KINDS:
        made = table(kind, kind.storage_version, [{"metadata": {"name": "x"}}], NOON)
        assert len(made["rows"][0]["cells"]) == len(made["columnDefinitions"])
