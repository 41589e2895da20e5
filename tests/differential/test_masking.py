"""Masks take out what the world drew or measured, and nothing that an operator chose."""

from typing import Any

from tests.differential.masking import drawn_names, events, masked
from tests.differential.measures import metrics

UID = "0b0f0c5e-1111-4222-8333-444455556666"


def pod(name: str, **spec: Any) -> dict[str, Any]:
    """A pod that somebody owns."""
    owner = {"kind": "RayCluster", "name": "ray", "uid": UID}
    return {
        "metadata": {"name": name, "uid": f"{UID}-{name}", "ownerReferences": [owner]},
        "spec": spec,
        "status": {"phase": "Running", "podIP": "10.0.0.7"},
    }


def test_drawn_parts_of_names_do_not_count_and_chosen_ones_do() -> None:
    objects = {"pods": [pod("ray-head-bcdfg"), pod("ray-head")]}

    plain = masked(objects, drawn_names(objects))

    assert {one["metadata"]["name"] for one in plain["pods"]} == {"ray-head-<drawn>", "ray-head"}


def test_the_minute_of_a_run_does_not_count_in_its_name_nor_in_those_made_from_it() -> None:
    def made(kind: str, name: str) -> dict[str, Any]:
        one = pod(name)
        one["metadata"]["ownerReferences"][0]["kind"] = kind
        return {**one, "status": {}}

    objects = {
        "rayjobs": [made("RayCronJob", "night-29876543")],
        "rayclusters": [made("RayJob", "night-29876543-bcdfg")],
    }
    plain = masked(objects, drawn_names(objects))

    assert plain["rayjobs"][0]["metadata"]["name"] == "night-<drawn>"
    assert plain["rayclusters"][0]["metadata"]["name"] == "night-<drawn>-<drawn>"


def test_uids_addresses_and_times_do_not_count() -> None:
    spec = {"args": [f"{UID}-ray-head-bcdfg at 10.1.2.3 since 2026-01-02T03:04:05Z, 127.0.0.1"]}
    objects = {"pods": [pod("ray-head-bcdfg", **spec)]}

    [plain] = masked(objects, drawn_names(objects))["pods"]

    assert plain["spec"]["args"] == ["<uid of pods> at <address> since <time>, 127.0.0.1"]


def test_a_value_that_an_operator_chose_stays() -> None:
    objects = {"pods": [pod("ray-head", restartPolicy="Never", nodeName="here")]}

    [plain] = masked(objects, {})["pods"]

    assert plain["spec"] == {"restartPolicy": "Never"}
    assert plain["status"] == "Running"


def test_an_event_counts_once_however_often_it_was_told() -> None:
    told = {
        "metadata": {"name": "x", "uid": "u"},
        "regarding": {"kind": "RayCluster", "name": "ray"},
        "type": "Normal",
        "reason": "CreatedHeadPod",
        "note": "Created head Pod here/ray-head-bcdfg",
        "reportingController": "raycluster-controller",
    }

    assert events({"events": [told, told]}, {}) == [
        [
            "RayCluster",
            "Normal",
            "CreatedHeadPod",
            "Created head Pod here/ray-head-<drawn>",
            "raycluster-controller",
        ]
    ]


def test_measures_are_those_of_the_namespace_without_spans() -> None:
    scraped = """# HELP kuberay_cluster_info words
kuberay_cluster_info{namespace="here",name="ray"} 1
kuberay_cluster_info{namespace="there",name="ray"} 1
kuberay_job_execution_duration_seconds{namespace="here",name="ray"} 3.25
go_threads 7
"""

    assert metrics(scraped, "here", {}) == [
        'kuberay_cluster_info{name="ray",namespace="here"} 1.0',
        'kuberay_job_execution_duration_seconds{name="ray",namespace="here"} <seconds>',
    ]
