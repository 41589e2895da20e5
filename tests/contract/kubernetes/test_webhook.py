"""The webhook and an API server, real or sandbox: what is refused, how, and what must pass."""

import base64
import sys
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.support.processes import Process, ending, free_port, run, wait_until
from tests.support.realkube import RealKube, shared_real_kube
from tests.support.tls import make_certificate

HOME = Path(__file__).resolve().parents[3]
CRDS = HOME / "deploy" / "crds"
WEBHOOK = HOME / "deploy" / "manifests" / "webhook"
RESOURCE = "rayclusters.ray.io"
_NUMBERS = count(1)
CONTAINER = {"name": "ray", "image": "ray"}

pytestmark = pytest.mark.timeout(240)


class SandboxKube(RealKube, frozen=True, kw_only=True):
    """A sandbox, reached as a control plane is; its namespaces have no account to wait for."""

    def new_namespace(self) -> str:
        name = f"test-{next(_NUMBERS)}"
        self.told("create", "namespace", name)
        return name


@pytest.fixture(scope="module", params=["real", "sandbox"])
def kube(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[RealKube]:
    if request.param == "real":
        with shared_real_kube(tmp_path_factory) as shared:
            yield shared
        return
    with ending(tmp_path_factory.mktemp("sandbox")) as here:
        words = (sys.executable, "-m", "sandbox", "--kubeconfig", str(here.kubeconfig))
        here.add("sandbox", words, {})
        yield SandboxKube(version="", url=here.sandbox_url, kubeconfig=here.kubeconfig)


class Judge:
    """A webhook process, and how the API server is told of it."""

    def __init__(self, process: Process, port: int, folder: Path) -> None:
        self.process = process
        self._port = port
        self._authority = base64.b64encode((folder / "ca.crt").read_bytes()).decode()

    def start(self) -> None:
        self.process.start()
        wait_until(lambda: self.process.ready, "the webhook is ready")

    def configuration(self, namespace: str, policy: str) -> str:
        """What we deploy, but for one namespace, by address, and asked about statuses too."""
        deployed = yaml.safe_load((WEBHOOK / "configuration.yaml").read_text())
        for hook in deployed["webhooks"]:
            path = hook["clientConfig"]["service"]["path"]
            hook["clientConfig"] = {
                "url": f"https://127.0.0.1:{self._port}{path}",
                "caBundle": self._authority,
            }
            (plural,) = hook["rules"][0]["resources"]
            hook["rules"][0]["resources"] = [plural, f"{plural}/status"]
            hook["failurePolicy"] = policy
            hook["namespaceSelector"] = {"matchLabels": {"kubernetes.io/metadata.name": namespace}}
        return yaml.safe_dump({**deployed, "metadata": {"name": namespace}})


@pytest.fixture(scope="module")
def judge(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Judge]:
    folder = make_certificate(tmp_path_factory.mktemp("certificate"))
    port = free_port()
    there = {
        "HELIOGRAPH_WEBHOOK_PORT": str(port),
        "HELIOGRAPH_WEBHOOK_HOST": "127.0.0.1",
        "HELIOGRAPH_WEBHOOK_CERT": str(folder / "tls.crt"),
        "HELIOGRAPH_WEBHOOK_KEY": str(folder / "tls.key"),
    }
    with ending(tmp_path_factory.mktemp("webhook")) as here:
        yield Judge(here.start_service("webhook", "webhook", **there), port, folder)


@pytest.fixture(scope="module")
def kinds(kube: RealKube) -> None:
    """Our kinds, as we deploy them."""
    kube.told("apply", "--server-side", "--force-conflicts", "-f", str(CRDS))
    kube.wait("--for=condition=Established", "-f", str(CRDS))


@pytest.fixture
def namespace(kube: RealKube, kinds: None, judge: Judge) -> Iterator[str]:
    """A namespace whose Ray resources are judged, once `watch_over` was called."""
    judge.start()
    name = kube.new_namespace()
    yield name
    kube.told("delete", "validatingwebhookconfiguration", name, "--ignore-not-found")


def watch_over(kube: RealKube, judge: Judge, namespace: str, policy: str = "Fail") -> None:
    """Tell the API server of the webhook; it takes a moment until it asks."""
    kube.told("apply", "-f", "-", given=judge.configuration(namespace, policy))
    probe = cluster("probe", groups=("a", "a"))
    wait_until(
        lambda: (
            kube.kubectl(
                "create", "--dry-run=server", "-n", namespace, "-f", "-", given=probe
            ).returncode
            != 0
        ),
        "the API server asks the webhook",
    )


def cluster(name: str, *, groups: tuple[str, ...] = (), **metadata: Any) -> str:
    head = {"template": {"spec": {"containers": [CONTAINER]}}}
    workers = [{"groupName": group, "replicas": 0, **head} for group in groups]
    return yaml.safe_dump(
        {
            "apiVersion": "ray.io/v1",
            "kind": "RayCluster",
            "metadata": {"name": name, **metadata},
            "spec": {"headGroupSpec": head, "workerGroupSpecs": workers},
        }
    )


def test_what_is_wrong_is_refused_with_all_its_paths_and_the_rest_is_stored(
    kube: RealKube, judge: Judge, namespace: str
) -> None:
    watch_over(kube, judge, namespace)
    wrong = yaml.safe_load(cluster("n" * 54, groups=("a", "a")))
    wrong["spec"]["workerGroupSpecs"][0]["minReplicas"] = -1

    said = kube.kubectl("create", "-n", namespace, "-f", "-", given=yaml.safe_dump(wrong))
    stored = kube.told("create", "-n", namespace, "-f", "-", given=cluster("good"))

    assert said.returncode == 1
    assert f'The RayCluster "{"n" * 54}" is invalid:' in said.stderr
    lines = [line for line in said.stderr.splitlines() if line.startswith("* ")]
    assert lines[0].startswith(
        "* metadata.name: RayCluster name should be no more than 53 characters"
    )
    assert [line.split(":")[0] for line in lines[1:]] == [
        "* spec.workerGroupSpecs[0].minReplicas",
        "* spec.workerGroupSpecs[1].groupName",
    ]
    assert "created" in stored
    assert [one["metadata"]["name"] for one in kube.object(RESOURCE, "-n", namespace)["items"]] == [
        "good"
    ]


CLUSTER = yaml.safe_load(cluster("x"))["spec"]
JOB = {"entrypoint": "true", "rayClusterSpec": CLUSTER}
WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "RayJob": ({**JOB, "backoffLimit": -1}, "spec.backoffLimit"),
    "RayService": (
        {"rayClusterConfig": CLUSTER, "upgradeStrategy": {"type": "Sometime"}},
        "spec.upgradeStrategy.type",
    ),
    "RayCronJob": ({"schedule": "61 * * * *", "jobTemplate": JOB}, "spec.schedule"),
}


def test_the_other_kinds_are_judged_too(kube: RealKube, judge: Judge, namespace: str) -> None:
    watch_over(kube, judge, namespace)
    for kind, (spec, path) in WRONG.items():
        raw = {"apiVersion": "ray.io/v1", "kind": kind, "metadata": {"name": "one"}, "spec": spec}

        said = kube.kubectl("create", "-n", namespace, "-f", "-", given=yaml.safe_dump(raw))

        assert said.returncode == 1, kind
        assert f'The {kind} "one" is invalid: ' in said.stderr
        assert path in said.stderr
    seen = judge.process.asked("/metrics")[1]
    for kind in WRONG:
        assert f'webhook_reviews_total{{kind="{kind.lower()}",verdict="refused"}}' in seen


def test_a_name_that_the_api_server_makes_is_judged_as_made(
    kube: RealKube, judge: Judge, namespace: str
) -> None:
    watch_over(kube, judge, namespace)
    asked = yaml.safe_load(cluster(""))
    asked["metadata"] = {"generateName": "made-"}

    made = kube.told("create", "-n", namespace, "-f", "-", given=yaml.safe_dump(asked))

    assert "raycluster.ray.io/made-" in made


def test_an_update_is_judged_and_a_status_is_not(
    kube: RealKube, judge: Judge, namespace: str
) -> None:
    watch_over(kube, judge, namespace)
    kube.told("create", "-n", namespace, "-f", "-", given=cluster("one", groups=("a",)))
    twice = cluster("one", groups=("a", "a"))

    said = kube.kubectl("replace", "-n", namespace, "-f", "-", given=twice)
    status = '{"status":{"state":"ready"}}'
    patch = ("patch", RESOURCE, "one", "-n", namespace, "--type=merge")
    kube.told(*patch, "--subresource=status", "-p", status)

    assert "spec.workerGroupSpecs[1].groupName" in said.stderr
    found = kube.object(RESOURCE, "one", "-n", namespace)
    assert len(found["spec"]["workerGroupSpecs"]) == 1
    assert found["status"]["state"] == "ready"


def test_what_was_wrong_before_can_be_labelled_and_deleted_but_not_made_worse(
    kube: RealKube, judge: Judge, namespace: str
) -> None:
    old = cluster("old", groups=("a", "a"), finalizers=["example.com/held"])
    kube.told("create", "-n", namespace, "-f", "-", given=old)
    watch_over(kube, judge, namespace)
    here = ("old", "-n", namespace)

    labelled = kube.kubectl("label", RESOURCE, *here, "a=b")
    worse = '[{"op":"add","path":"/spec/workerGroupSpecs/1/minReplicas","value":-1}]'
    refused = kube.kubectl("patch", RESOURCE, *here, "--type=json", "-p", worse)
    kube.told("delete", RESOURCE, *here, "--wait=false")
    freed = '{"metadata":{"finalizers":null}}'
    kube.told("patch", RESOURCE, *here, "--type=merge", "-p", freed)

    assert labelled.returncode == 0
    assert "Warning: was already wrong: spec.workerGroupSpecs[1].groupName" in labelled.stderr
    assert refused.returncode == 1
    assert "spec.workerGroupSpecs[1].minReplicas" in refused.stderr
    wait_until(lambda: not kube.object(RESOURCE, "-n", namespace)["items"], "it is gone")


def test_without_the_webhook_the_failure_policy_decides(
    kube: RealKube, judge: Judge, namespace: str
) -> None:
    watch_over(kube, judge, namespace)
    judge.process.kill()
    create = ("create", "-n", namespace, "-f", "-")

    refused = kube.kubectl(*create, given=cluster("one"))
    ignoring = judge.configuration(namespace, "Ignore")
    kube.told("apply", "-f", "-", given=ignoring)
    wait_until(
        lambda: kube.kubectl(*create, given=cluster("two")).returncode == 0,
        "the API server goes on without it",
    )

    assert refused.returncode == 1
    assert "failed calling webhook" in refused.stderr


def test_what_we_deploy_is_taken_as_it_is(kube: RealKube, tmp_path: Path) -> None:
    if isinstance(kube, SandboxKube):
        pytest.skip("the sandbox has no deployments")
    folder = tmp_path / "manifests"
    run("cp", "-r", str(WEBHOOK.parent), str(folder))
    make_certificate(folder / "webhook" / "certificate")
    whole = folder / "kustomization.yaml"
    whole.write_text(whole.read_text() + "\ncomponents: [webhook]\n")
    rendered = kube.told("kustomize", str(folder))
    ours = [
        one
        for one in yaml.safe_load_all(rendered)
        if one["metadata"]["name"].startswith("heliograph-webhook")
    ]

    for one in ours:
        one["metadata"].pop("namespace", None)
        kube.told("create", "--dry-run=server", "-f", "-", given=yaml.safe_dump(one))

    assert {one["kind"] for one in ours} == {
        "Deployment",
        "PodDisruptionBudget",
        "Secret",
        "Service",
        "ServiceAccount",
        "ValidatingWebhookConfiguration",
    }
