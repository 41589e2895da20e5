"""kubectl against the sandbox: what a person does all day, with the real client.

The sandbox runs as a process of its own; every test has a namespace of its own.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Any, TypeAlias

import pytest
import yaml

from tests.unit.sandbox.widgets import widget_definition

Run: TypeAlias = subprocess.CompletedProcess[str]
Kubectl: TypeAlias = Callable[..., Run]

KUBECTL = shutil.which("kubectl", path=str(Path(sys.executable).parent)) or shutil.which("kubectl")
pytestmark = pytest.mark.skipif(KUBECTL is None, reason="kubectl is not installed")
NUMBERS = count()


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Start a sandbox with the Widget kind; yield where its kubeconfig is."""
    folder = tmp_path_factory.mktemp("sandbox")
    (folder / "crds").mkdir()
    (folder / "crds" / "widget.yaml").write_text(yaml.safe_dump(widget_definition()))
    config = folder / "kubeconfig"
    arguments = ["--kubeconfig", str(config), "--crds", str(folder / "crds")]
    command = [sys.executable, "-m", "sandbox", *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert json.loads(process.stdout.readline())["url"].startswith("http://127.0.0.1:")
        yield folder
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=10) == 0


@pytest.fixture
def kubectl(home: Path) -> Kubectl:
    """Return a kubectl in a fresh namespace."""
    environment = {**os.environ, "KUBECONFIG": str(home / "kubeconfig"), "HOME": str(home)}
    namespace = f"test-{next(NUMBERS)}"

    def run(*arguments: str, given: Any = None, check: bool = True) -> Run:
        text = None if given is None else yaml.safe_dump_all(given)
        command = [str(KUBECTL), "-n", namespace, *arguments]
        done = subprocess.run(
            command,
            input=text,
            env=environment,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert done.returncode == 0 or not check, done.stderr
        return done

    run("create", "namespace", namespace)
    return run


def widget(name: str = "one", **spec: Any) -> dict[str, Any]:
    return {
        "apiVersion": "example.com/v1",
        "kind": "Widget",
        "metadata": {"name": name},
        "spec": spec,
    }


def pod(name: str = "one", **metadata: Any) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "labels": {"app": name}, **metadata},
        "spec": {"containers": [{"name": "main", "image": "ray:2.9"}]},
    }


def fetched(kubectl: Kubectl, what: str, name: str) -> Any:
    return json.loads(kubectl("get", what, name, "-o", "json").stdout)


def child_of(owner: Any) -> dict[str, Any]:
    reference = {
        "apiVersion": owner["apiVersion"],
        "kind": owner["kind"],
        "name": owner["metadata"]["name"],
        "uid": owner["metadata"]["uid"],
        "blockOwnerDeletion": True,
    }
    return pod("child", ownerReferences=[reference])


def event_about(widget: Any) -> dict[str, Any]:
    regarding = {field: widget["metadata"][field] for field in ("name", "namespace", "uid")}
    return {
        "apiVersion": "events.k8s.io/v1",
        "kind": "Event",
        "metadata": {"name": "e"},
        "eventTime": "2030-01-01T00:00:00.000000Z",
        "reportingController": "tester",
        "reportingInstance": "tester-1",
        "action": "Test",
        "reason": "Tested",
        "type": "Normal",
        "note": "all is well",
        "regarding": {"apiVersion": "example.com/v1", "kind": "Widget", **regarding},
    }


def test_apply_creates_then_changes_then_rests(kubectl: Kubectl) -> None:
    said = [
        kubectl("apply", "-f", "-", given=[widget(replicas=replicas)]).stdout.strip()
        for replicas in (2, 3, 3)
    ]

    assert said == [
        "widget.example.com/one created",
        "widget.example.com/one configured",
        "widget.example.com/one unchanged",
    ]
    assert fetched(kubectl, "widget", "one")["spec"] == {"replicas": 3, "size": "small"}


def test_apply_removes_what_the_file_no_longer_says(kubectl: Kubectl) -> None:
    config = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}}
    kubectl("apply", "-f", "-", given=[{**config, "data": {"a": "1", "b": "2"}}])
    kubectl("apply", "-f", "-", given=[{**config, "data": {"b": "3"}}])

    assert fetched(kubectl, "configmap", "c")["data"] == {"b": "3"}


def test_apply_on_the_server_sees_conflicts(kubectl: Kubectl) -> None:
    apply = ("apply", "--server-side", "-f", "-")
    kubectl(*apply, "--field-manager=first", given=[widget(replicas=2)])
    refused = kubectl(*apply, "--field-manager=second", given=[widget(replicas=3)], check=False)

    assert refused.returncode != 0
    assert 'conflict with "first"' in refused.stderr


def test_an_invalid_object_is_refused_with_the_path(kubectl: Kubectl) -> None:
    refused = kubectl("apply", "-f", "-", given=[widget(replicas=-1)], check=False)

    assert refused.returncode == 1
    assert "spec.replicas: Invalid value: -1" in refused.stderr


def test_a_misspelt_field_is_refused_with_the_path(kubectl: Kubectl) -> None:
    refused = kubectl("apply", "-f", "-", given=[widget(replics=1)], check=False)

    assert refused.returncode == 1
    assert 'strict decoding error: unknown field "spec.replics"' in refused.stderr


def test_an_unknown_kind_is_named(kubectl: Kubectl) -> None:
    gadget = {"apiVersion": "example.com/v1", "kind": "Gadget", "metadata": {"name": "g"}}

    refused = kubectl("apply", "-f", "-", given=[gadget], check=False)

    assert refused.returncode == 1
    assert 'no matches for kind "Gadget" in version "example.com/v1"' in refused.stderr


def test_get_shows_the_columns_of_the_kind(kubectl: Kubectl) -> None:
    kubectl("apply", "-f", "-", given=[widget(replicas=2, size="big")])

    usual = kubectl("get", "wd").stdout.splitlines()
    wide = kubectl("get", "widgets", "-o", "wide").stdout.splitlines()
    whole = yaml.safe_load(kubectl("get", "widget", "one", "-o", "yaml").stdout)

    assert usual[0].split() == ["NAME", "REPLICAS", "READY", "AGE"]
    assert wide[0].split() == ["NAME", "REPLICAS", "READY", "SIZE", "AGE"]
    assert wide[1].split()[:3] == ["one", "2", "big"]
    assert whole["spec"] == {"replicas": 2, "size": "big"}


def test_get_follows_what_happens(kubectl: Kubectl) -> None:
    kubectl("apply", "-f", "-", given=[pod()])
    kubectl("wait", "--for=condition=Ready", "pod/one", "--timeout=20s")

    seen = kubectl("get", "pods", "-w", "--request-timeout=2s", check=False).stdout

    assert seen.splitlines()[1].split()[:3] == ["one", "1/1", "Running"]


def test_describe_lists_events_of_the_new_api(kubectl: Kubectl) -> None:
    kubectl("apply", "-f", "-", given=[widget()])
    made = fetched(kubectl, "widget", "one")
    kubectl("create", "-f", "-", given=[event_about(made)])

    described = kubectl("describe", "widget", "one").stdout

    assert "Kind:         Widget" in described
    assert "Tested" in described
    assert "all is well" in described


def test_describe_shows_a_running_pod(kubectl: Kubectl) -> None:
    kubectl("apply", "-f", "-", given=[pod()])
    kubectl("wait", "--for=condition=Ready", "pod/one", "--timeout=20s")

    described = kubectl("describe", "pod", "one").stdout

    assert "Status:           Running" in described


def test_logs_are_there_for_a_container_that_runs(kubectl: Kubectl) -> None:
    kubectl("apply", "-f", "-", given=[pod()])
    kubectl("wait", "--for=condition=Ready", "pod/one", "--timeout=20s")

    told = kubectl("logs", "one")
    refused = kubectl("logs", "one", "-c", "other", check=False)
    missing = kubectl("logs", "two", check=False)

    assert told.stderr == ""
    assert "container other is not valid for pod one" in refused.stderr
    assert 'pods "two" not found' in missing.stderr


def test_delete_waits_until_the_pod_is_gone(kubectl: Kubectl) -> None:
    kubectl("apply", "-f", "-", given=[pod()])
    kubectl("wait", "--for=condition=Ready", "pod/one", "--timeout=20s")

    kubectl("delete", "pod", "one", "--timeout=20s")

    assert kubectl("get", "pods", "-o", "name").stdout == ""


@pytest.mark.parametrize("cascade", ["background", "foreground"])
def test_delete_takes_dependents_along(kubectl: Kubectl, cascade: str) -> None:
    kubectl("apply", "-f", "-", given=[widget()])
    kubectl("create", "-f", "-", given=[child_of(fetched(kubectl, "widget", "one"))])

    kubectl("delete", "widget", "one", f"--cascade={cascade}", "--timeout=20s")
    kubectl("wait", "--for=delete", "pod/child", "--timeout=20s")

    assert kubectl("get", "pods,widgets", "-o", "name").stdout == ""


def test_delete_can_orphan_dependents(kubectl: Kubectl) -> None:
    kubectl("apply", "-f", "-", given=[widget()])
    kubectl("create", "-f", "-", given=[child_of(fetched(kubectl, "widget", "one"))])

    kubectl("delete", "widget", "one", "--cascade=orphan", "--timeout=20s")

    assert "ownerReferences" not in fetched(kubectl, "pod", "child")["metadata"]


def test_scale_changes_the_replicas(kubectl: Kubectl) -> None:
    kubectl("apply", "-f", "-", given=[widget(replicas=1)])

    kubectl("scale", "widget/one", "--replicas=4")

    assert fetched(kubectl, "widget", "one")["spec"]["replicas"] == 4


def test_wait_sees_a_condition_come_true(kubectl: Kubectl) -> None:
    kubectl("apply", "-f", "-", given=[widget()])
    early = kubectl("wait", "--for=condition=Ready", "widget/one", "--timeout=1s", check=False)
    status = {"status": {"conditions": [{"type": "Ready", "status": "True"}]}}

    kubectl(
        "patch", "widget", "one", "--subresource=status", "--type=merge", "-p", json.dumps(status)
    )
    late = kubectl("wait", "--for=condition=Ready", "widget/one", "--timeout=20s")

    assert early.returncode != 0
    assert late.stdout.strip() == "widget.example.com/one condition met"


def test_patches_in_both_forms(kubectl: Kubectl) -> None:
    kubectl("apply", "-f", "-", given=[widget()])
    operations = [{"op": "replace", "path": "/spec/replicas", "value": 7}]

    kubectl("patch", "widget", "one", "--type=merge", "-p", '{"spec":{"size":"big"}}')
    kubectl("patch", "widget", "one", "--type=json", "-p", json.dumps(operations))

    assert fetched(kubectl, "widget", "one")["spec"] == {"replicas": 7, "size": "big"}


def test_replacing_an_old_version_is_a_conflict(kubectl: Kubectl) -> None:
    kubectl("apply", "-f", "-", given=[widget()])
    old = fetched(kubectl, "widget", "one")
    kubectl("scale", "widget/one", "--replicas=4")

    refused = kubectl("replace", "-f", "-", given=[{**old, "spec": {"replicas": 9}}], check=False)

    assert refused.returncode == 1
    assert "the object has been modified" in refused.stderr


def test_explain_reads_the_schema(kubectl: Kubectl) -> None:
    explained = kubectl("explain", "widget.spec.replicas").stdout

    assert "FIELD: replicas <integer>" in explained
    assert "how many" in explained


def test_delete_namespace_empties_it(kubectl: Kubectl) -> None:
    kubectl("create", "namespace", "doomed")
    kubectl("create", "configmap", "c", "-n", "doomed", "--from-literal=a=b")

    kubectl("delete", "namespace", "doomed", "--timeout=20s")

    gone = kubectl("get", "namespace", "doomed", check=False)
    assert gone.stderr.strip() == 'Error from server (NotFound): namespaces "doomed" not found'
