"""What the API server fills in."""

from base64 import b64encode

import pytest

from sandbox.defaults import TOLERATIONS, completed, quality_of_service
from sandbox.objects import Object
from tests.unit.sandbox.widgets import cluster, pod, service


def container(**fields: object) -> Object:
    return {"name": "main", "image": "ray:2.9", **fields}


def test_completes_a_pod() -> None:
    made = cluster().create("pods", pod())

    assert made["status"] == {"phase": "Pending", "qosClass": "BestEffort"}
    assert made["spec"] == {
        "restartPolicy": "Always",
        "terminationGracePeriodSeconds": 30,
        "dnsPolicy": "ClusterFirst",
        "securityContext": {},
        "schedulerName": "default-scheduler",
        "enableServiceLinks": True,
        "serviceAccountName": "default",
        "serviceAccount": "default",
        "priority": 0,
        "preemptionPolicy": "PreemptLowerPriority",
        "tolerations": list(TOLERATIONS),
        "containers": [
            {
                "name": "main",
                "image": "ray:2.9",
                "imagePullPolicy": "IfNotPresent",
                "terminationMessagePath": "/dev/termination-log",
                "terminationMessagePolicy": "File",
                "resources": {},
            }
        ],
    }


@pytest.mark.parametrize(
    ("image", "policy"),
    [
        ("ray", "Always"),
        ("ray:latest", "Always"),
        ("host:5000/ray", "Always"),
        ("host:5000/ray:1", "IfNotPresent"),
        ("ray@sha256:0", "IfNotPresent"),
    ],
)
def test_pulls_moving_tags_always(image: str, policy: str) -> None:
    made = completed("pods", {"spec": {"containers": [container(image=image)]}})

    assert made["spec"]["containers"][0]["imagePullPolicy"] == policy


def test_completes_ports_probes_and_requests_of_a_container() -> None:
    given = container(
        ports=[{"containerPort": 80}],
        readinessProbe={"httpGet": {"port": 80}},
        resources={"limits": {"cpu": "1"}},
    )

    made = completed("pods", {"spec": {"containers": [given]}})["spec"]["containers"][0]

    assert made["ports"] == [{"containerPort": 80, "protocol": "TCP"}]
    assert made["resources"] == {"limits": {"cpu": "1"}, "requests": {"cpu": "1"}}
    assert made["readinessProbe"] == {
        "timeoutSeconds": 1,
        "periodSeconds": 10,
        "successThreshold": 1,
        "failureThreshold": 3,
        "httpGet": {"path": "/", "scheme": "HTTP", "port": 80},
    }


@pytest.mark.parametrize(
    ("resources", "quality"),
    [
        ({}, "BestEffort"),
        ({"requests": {"cpu": "1"}}, "Burstable"),
        ({"limits": {"cpu": "1", "memory": "1Gi"}}, "Guaranteed"),
        ({"limits": {"cpu": "2", "memory": "1Gi"}, "requests": {"cpu": "1"}}, "Burstable"),
    ],
)
def test_classes_a_pod_by_its_resources(resources: Object, quality: str) -> None:
    assert quality_of_service({"spec": {"containers": [container(resources=resources)]}}) == quality


def test_completes_a_service() -> None:
    made = cluster().create("services", service(selector={"app": "ray"}))

    assert made["spec"] == {
        "type": "ClusterIP",
        "sessionAffinity": "None",
        "ipFamilies": ["IPv4"],
        "ipFamilyPolicy": "SingleStack",
        "internalTrafficPolicy": "Cluster",
        "clusterIP": "10.96.0.10",
        "clusterIPs": ["10.96.0.10"],
        "ports": [{"port": 80, "protocol": "TCP", "targetPort": 80}],
        "selector": {"app": "ray"},
    }


def test_a_headless_service_stays_headless() -> None:
    made = cluster().create("services", service(clusterIP="None"))

    assert (made["spec"]["clusterIP"], made["spec"]["clusterIPs"]) == ("None", ["None"])


def test_encodes_what_a_secret_says_in_plain_text() -> None:
    made = completed("secrets", {"stringData": {"a": "b"}})

    assert made == {"type": "Opaque", "data": {"a": b64encode(b"b").decode()}}


def test_gives_a_job_the_selector_of_its_pods() -> None:
    job = {
        "metadata": {"name": "j"},
        "spec": {"template": {"spec": {"containers": [container()], "restartPolicy": "Never"}}},
    }

    made = cluster().create("jobs", job)
    uid = made["metadata"]["uid"]

    assert made["spec"]["selector"] == {"matchLabels": {"batch.kubernetes.io/controller-uid": uid}}
    assert made["spec"]["template"]["metadata"]["labels"]["job-name"] == "j"
    assert (made["spec"]["backoffLimit"], made["spec"]["completions"]) == (6, 1)


def test_completing_twice_changes_nothing() -> None:
    once = completed("pods", pod())

    assert completed("pods", once) == once
