"""What depends on the surroundings, from end to end: OpenShift, cert-manager, gates, the log."""

from collections.abc import Mapping
from copy import deepcopy

from sandbox.objects import Object
from shared.kernel.features import MTLS, STATUS_CONDITIONS, Features
from shared.kernel.manifests import entries_at, mapping_at
from shared.runtime.settings import RuleSettings
from tests.support.builders import Raw, cluster_spec, group, template
from tests.support.whole import Whole, whole

OPENSHIFT = RuleSettings(openshift=True)
SECURED = RuleSettings(feature_gates=Features(enabled=Features().enabled | {MTLS}))
UNTOLD = RuleSettings(feature_gates=Features(enabled=Features().enabled - {STATUS_CONDITIONS}))
ROUTES = "routes.route.openshift.io"
CERTIFICATES = "certificates.cert-manager.io"
ISSUERS = "issuers.cert-manager.io"


def serve(here: Whole, api: str, *kinds: str) -> None:
    """Serve kinds of another project, whose shape we do not know."""
    shape = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    version = {"name": "v1", "served": True, "storage": True, "subresources": {"status": {}}}
    for kind in kinds:
        plural = f"{kind.lower()}s"
        spec = {
            "group": api,
            "names": {"kind": kind, "plural": plural},
            "scope": "Namespaced",
            "versions": [{**version, "schema": {"openAPIV3Schema": shape}}],
        }
        definition: Object = {"metadata": {"name": f"{plural}.{api}"}, "spec": spec}
        here.cluster.create("customresourcedefinitions", definition)


def make(here: Whole, spec: Raw) -> None:
    raw: Object = {"metadata": {"name": "demo", "namespace": "default"}, "spec": spec}
    here.cluster.create("rayclusters", raw)


def change(here: Whole, spec: Raw) -> None:
    seen = deepcopy(here.cluster.get("rayclusters", "default", "demo"))
    here.cluster.update("rayclusters", {**seen, "spec": spec})


def condition(here: Whole, word: str) -> Mapping[str, object]:
    seen = here.cluster.get("rayclusters", "default", "demo")
    found = entries_at(seen, "status", "conditions")
    return next((one for one in found if one["type"] == word), {})


def ready(here: Whole, pods: int) -> bool:
    return here.state("demo") == "ready" and len(here.left("pods")) == pods


def issues(here: Whole) -> None:
    """cert-manager issues every certificate as it stands."""
    for seen in here.left(CERTIFICATES):
        meta = seen["metadata"]
        done = {"type": "Ready", "status": "True", "observedGeneration": meta["generation"]}
        if mapping_at(seen, "status").get("conditions") != [done]:
            status = {"status": {"conditions": [done]}}
            here.cluster.patch(CERTIFICATES, "default", meta["name"], status, subresource="status")


def addresses(here: Whole, node_type: str) -> set[str]:
    pods = [
        pod
        for pod in here.left("pods")
        if pod["metadata"]["labels"]["ray.io/node-type"] == node_type
    ]
    return {pod["status"]["podIP"] for pod in pods} | {"127.0.0.1"}


def told_of(here: Whole, words: str) -> bool:
    """Whether an Event says this; the sandbox shows Events of both groups under one name."""
    events = here.left("events")
    return any(words in str(one.get("note") or one.get("message")) for one in events)


async def test_on_openshift_there_is_a_route_and_no_ingress() -> None:
    async with whole(rules=OPENSHIFT) as here:
        serve(here, "route.openshift.io", "Route")
        make(here, cluster_spec(headGroupSpec={"template": template(), "enableIngress": True}))
        await here.until(lambda: ready(here, 1))
        await here.until(lambda: bool(here.left(ROUTES)))

        [made] = here.left(ROUTES)
        assert here.left("ingresses") == ()

    assert made["spec"]["to"]["name"] == "demo-head-svc"
    assert here.asked[f"create {ROUTES}"] == 1


async def test_with_mutual_tls_pods_wait_for_certificates_that_come_to_name_them() -> None:
    async with whole(rules=SECURED) as here:
        serve(here, "cert-manager.io", "Issuer", "Certificate")
        make(here, cluster_spec(group("small", 2), tlsOptions={"enabled": True}))
        await here.until(lambda: condition(here, "Blocked").get("reason") == "Certificates")
        assert (len(here.left("secrets")), here.left("pods")) == (3, ())

        def settled() -> bool:
            issues(here)
            named = {
                one["metadata"]["name"]: set(one["spec"].get("ipAddresses", ()))
                for one in here.left(CERTIFICATES)
            }
            return (
                ready(here, 3)
                and named["ray-head-cert-demo"] == addresses(here, "head")
                and named["ray-worker-cert-demo"] == addresses(here, "worker")
            )

        await here.until(settled)
        await here.until(lambda: not condition(here, "Blocked"))
        assert not condition(here, "ReplicaFailure")
        here.cluster.delete("rayclusters", "default", "demo")
        await here.until(lambda: not here.left("secrets") and not here.left(CERTIFICATES))

    assert (here.asked["create secrets"], here.asked[f"create {ISSUERS}"]) == (3, 2)
    assert here.asked[f"create {CERTIFICATES}"] == 3


async def test_without_cert_manager_it_says_so_and_goes_on_once_it_is_there() -> None:
    async with whole(rules=SECURED) as here:
        make(here, cluster_spec(tlsOptions={"enabled": True}))
        await here.until(lambda: bool(condition(here, "Blocked")))
        await here.until(lambda: told_of(here, "cert-manager is not installed"))
        assert here.left("pods") == ()

        serve(here, "cert-manager.io", "Issuer", "Certificate")

        def settled() -> bool:
            issues(here)
            return ready(here, 1)

        await here.until(settled, within=3600)


async def test_a_resource_that_is_too_large_for_the_log_says_so_itself() -> None:
    async with whole() as here:
        ballast = {"name": "BALLAST", "value": "x" * 950_000}
        heavy = {"spec": {"containers": [{"name": "ray", "image": "ray:2", "env": [ballast]}]}}
        make(here, cluster_spec(headGroupSpec={"template": heavy}))
        await here.until(lambda: bool(condition(here, "SpecInvalid")))
        told = condition(here, "SpecInvalid")
        assert here.left("pods") == ()

        change(here, cluster_spec())
        await here.until(lambda: ready(here, 1))
        await here.until(lambda: not condition(here, "SpecInvalid"))

    assert told["reason"] == "InvalidRayClusterSpec"
    assert str(told["message"]).startswith("spec: the resource is too large: its record has 95")


async def test_without_conditions_it_lives_sleeps_and_wakes() -> None:
    async with whole(rules=UNTOLD) as here:
        make(here, cluster_spec(group("small", 1)))
        await here.until(lambda: ready(here, 2))
        change(here, cluster_spec(group("small", 1), suspend=True))
        await here.until(lambda: here.state("demo") == "suspended" and not here.left("pods"))
        change(here, cluster_spec(group("small", 1), suspend=False))
        await here.until(lambda: ready(here, 2))

        seen = here.cluster.get("rayclusters", "default", "demo")
        assert "conditions" not in seen["status"]
