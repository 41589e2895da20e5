"""Built-in kinds and subresources: defaults, what is fixed, status, scale, eviction, binding."""

from typing import Any

from tests.contract.kubernetes.conformance.calls import (
    STRATEGIC,
    at,
    cases,
    delete,
    get,
    only,
    patch,
    post,
    put,
)
from tests.contract.kubernetes.conformance.definitions import (
    WIDGETS,
    configmap,
    of,
    pod,
    service,
    widget,
)

PODS, POD = at("pods"), at("pods", "p")
SERVICES, SERVICE = at("services"), at("services", "s")
WIDGET = at(WIDGETS, "w")
FULL: dict[str, Any] = {
    "name": "main",
    "image": "ray",
    "ports": [{"containerPort": 80}],
    "env": [{"name": "A", "value": "1"}],
    "resources": {"limits": {"cpu": "1", "memory": "1Gi"}},
    "livenessProbe": {"httpGet": {"port": 80}},
    "readinessProbe": {"exec": {"command": ["true"]}, "periodSeconds": 3},
}
TEMPLATE = {
    "spec": {"restartPolicy": "Never", "containers": [{"name": "a", "image": "i:1"}]},
}


def job(**spec: Any) -> Any:
    return of("batch/v1", "Job", "j", spec={"suspend": True, "template": TEMPLATE, **spec})


def event(api: str, **fields: Any) -> Any:
    return of(api, "Event", "e", **fields)


KINDS = cases(
    "built-in",
    pod_is_completed=(post(PODS, pod()),),
    pod_with_everything_is_completed=(post(PODS, pod(containers=[FULL])),),
    pod_needs_containers=(post(PODS, pod(containers=[])),),
    pod_needs_images=(post(PODS, pod(containers=[{"name": "a"}])),),
    pod_needs_distinct_names=(
        post(PODS, pod(containers=[{"name": "a", "image": "i"}, {"name": "a", "image": "i"}])),
    ),
    pod_keeps_its_containers=(
        post(PODS, pod()),
        only(
            "reason",
            patch(POD, {"spec": {"containers": [{"name": "main", "command": ["x"]}]}}, STRATEGIC),
        ),
    ),
    service_gets_an_address=(post(SERVICES, service()),),
    service_without_an_address=(post(SERVICES, service(clusterIP="None")),),
    service_with_node_ports=(post(SERVICES, service(type="NodePort")),),
    service_outside=(
        post(
            SERVICES,
            of("v1", "Service", "s", spec={"type": "ExternalName", "externalName": "x.org"}),
        ),
    ),
    service_needs_ports=(post(SERVICES, of("v1", "Service", "s", spec={"selector": {"a": "b"}})),),
    service_needs_names_for_several_ports=(
        post(SERVICES, service(ports=[{"port": 80}, {"port": 81}])),
    ),
    service_refuses_a_bad_port=(post(SERVICES, service(ports=[{"port": 0}])),),
    service_keeps_its_address=(
        post(SERVICES, service()),
        only("spec", put(SERVICE, service(selector={"a": "b"}))),
    ),
    secret_encodes_texts=(post(at("secrets"), of("v1", "Secret", "x", stringData={"a": "b"})),),
    secret_keeps_its_type=(
        post(at("secrets"), of("v1", "Secret", "x")),
        put(at("secrets", "x"), of("v1", "Secret", "x", type="other")),
    ),
    account=(post(at("serviceaccounts"), of("v1", "ServiceAccount", "a")),),
    claim=(
        only(
            "spec",
            post(
                at("persistentvolumeclaims"),
                of(
                    "v1",
                    "PersistentVolumeClaim",
                    "c",
                    spec={
                        "accessModes": ["ReadWriteOnce"],
                        "resources": {"requests": {"storage": "1Gi"}},
                    },
                ),
            ),
        ),
    ),
    job_is_completed=(only("spec", post(at("jobs.batch/v1"), job())),),
    job_with_parallelism=(only("spec", post(at("jobs.batch/v1"), job(parallelism=3))),),
    job_keeps_its_template=(
        only("kind", post(at("jobs.batch/v1"), job())),
        only(
            "reason",
            patch(
                at("jobs.batch/v1", "j"),
                {"spec": {"template": {"spec": {"containers": [{"name": "b", "image": "i"}]}}}},
            ),
        ),
    ),
    lease=(
        post(
            at("leases.coordination.k8s.io/v1"),
            of("coordination.k8s.io/v1", "Lease", "l", spec={"holderIdentity": "me"}),
        ),
    ),
    ingress=(
        post(
            at("ingresses.networking.k8s.io/v1"),
            of(
                "networking.k8s.io/v1",
                "Ingress",
                "i",
                spec={
                    "rules": [
                        {
                            "host": "a.org",
                            "http": {
                                "paths": [
                                    {
                                        "path": "/",
                                        "pathType": "Prefix",
                                        "backend": {
                                            "service": {"name": "s", "port": {"number": 80}}
                                        },
                                    }
                                ]
                            },
                        }
                    ]
                },
            ),
        ),
    ),
    network_policy=(
        post(
            at("networkpolicies.networking.k8s.io/v1"),
            of(
                "networking.k8s.io/v1",
                "NetworkPolicy",
                "n",
                spec={"podSelector": {"matchLabels": {"a": "b"}}, "ingress": [{}]},
            ),
        ),
    ),
    role=(
        post(
            at("roles.rbac.authorization.k8s.io/v1"),
            of(
                "rbac.authorization.k8s.io/v1",
                "Role",
                "r",
                rules=[{"apiGroups": [""], "resources": ["pods"], "verbs": ["get"]}],
            ),
        ),
    ),
    endpoint_slice=(
        post(
            at("endpointslices.discovery.k8s.io/v1"),
            of(
                "discovery.k8s.io/v1",
                "EndpointSlice",
                "e",
                addressType="IPv4",
                endpoints=[{"addresses": ["10.1.2.3"], "conditions": {"ready": True}}],
                ports=[{"name": "http", "port": 80}],
            ),
        ),
    ),
    event_of_the_old_sort=(
        post(
            at("events"),
            event(
                "v1",
                involvedObject={"kind": "Pod", "name": "p", "namespace": "$ns"},
                reason="Tested",
                message="all is well",
                type="Normal",
            ),
        ),
        get(at("events.events.k8s.io/v1", "e")),
    ),
    event_of_the_new_sort=(
        post(
            at("events.events.k8s.io/v1"),
            event(
                "events.k8s.io/v1",
                regarding={"kind": "Pod", "name": "p", "namespace": "$ns"},
                reason="Tested",
                note="all is well",
                type="Normal",
                action="Test",
                eventTime="2030-01-01T00:00:00.000000Z",
                reportingController="tester",
                reportingInstance="tester-1",
            ),
        ),
        get(at("events", "e")),
    ),
    event_found_by_its_object=(
        only(
            "kind",
            post(
                at("events"),
                event("v1", involvedObject={"kind": "Pod", "name": "p", "namespace": "$ns"}),
            ),
        ),
        get(at("events"), fieldSelector="involvedObject.name=p,involvedObject.kind=Pod"),
        get(at("events"), fieldSelector="involvedObject.name=other"),
    ),
    namespace=(get("/api/v1/namespaces/$ns"),),
    namespace_goes_with_what_is_in_it=(
        post(at("configmaps"), configmap()),
        only("status", delete("/api/v1/namespaces/$ns")),
        only("code", get("/api/v1/namespaces/$ns", until=404)),
        get(at("configmaps", "c")),
    ),
)
SUBRESOURCES = cases(
    "subresource",
    status_of_a_custom_object=(
        post(at(WIDGETS), widget()),
        put(
            f"{WIDGET}/status",
            {
                **widget(metadata={"resourceVersion": "$0.metadata.resourceVersion"}, replicas=9),
                "status": {"replicas": 4},
            },
        ),
        get(f"{WIDGET}/status"),
    ),
    status_ignores_labels_of_a_custom_object=(
        post(at(WIDGETS), widget()),
        patch(
            f"{WIDGET}/status",
            {"metadata": {"labels": {"a": "b"}}, "status": {"replicas": 1}},
        ),
    ),
    status_of_a_pod=(
        post(PODS, pod()),
        patch(
            f"{POD}/status",
            {"status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}},
            STRATEGIC,
        ),
    ),
    status_of_a_kind_without_one=(
        post(at("configmaps"), configmap()),
        patch(f"{at('configmaps', 'c')}/status", {"status": {}}),
    ),
    status_of_nothing=(patch(f"{WIDGET}/status", {"status": {}}),),
    scale_shows_replicas=(post(at(WIDGETS), widget(replicas=3)), get(f"{WIDGET}/scale")),
    scale_changes_replicas=(
        post(at(WIDGETS), widget(replicas=3)),
        patch(f"{WIDGET}/scale", {"spec": {"replicas": 5}}),
        get(WIDGET),
    ),
    scale_refuses_less_than_none=(
        post(at(WIDGETS), widget(replicas=3)),
        only("reason", patch(f"{WIDGET}/scale", {"spec": {"replicas": -1}})),
    ),
    scale_of_a_kind_without_one=(
        post(at("configmaps"), configmap()),
        get(f"{at('configmaps', 'c')}/scale"),
    ),
    eviction_deletes=(
        post(PODS, pod()),
        post(f"{POD}/eviction", of("policy/v1", "Eviction", "p")),
        get(POD),
    ),
    eviction_of_nothing=(post(f"{POD}/eviction", of("policy/v1", "Eviction", "p")),),
    binding_places_a_pod=(
        post(PODS, pod()),
        post(f"{POD}/binding", of("v1", "Binding", "p", target={"kind": "Node", "name": "n1"})),
        only("spec", get(POD)),
    ),
    binding_is_done_once=(
        post(PODS, pod(nodeName="n0")),
        only(
            "code",
            post(f"{POD}/binding", of("v1", "Binding", "p", target={"kind": "Node", "name": "n1"})),
        ),
    ),
)
DRY: dict[str, str] = {"dryRun": "All"}
DRY_RUNS = cases(
    "dry run",
    of_a_creation=(post(at("configmaps"), configmap(a="1"), **DRY), get(at("configmaps", "c"))),
    of_a_custom_creation=(post(at(WIDGETS), widget(), **DRY), get(WIDGET)),
    of_an_update=(
        post(at("configmaps"), configmap(a="1")),
        only("data", put(at("configmaps", "c"), configmap(a="2"), **DRY)),
        get(at("configmaps", "c")),
    ),
    of_a_patch=(
        post(at(WIDGETS), widget()),
        only("spec", patch(WIDGET, {"spec": {"replicas": 7}}, **DRY)),
        get(WIDGET),
    ),
    of_a_refusal_is_a_refusal=(post(at(WIDGETS), widget(replicas=-1), **DRY),),
    of_an_unknown_sort=(only("reason", post(at("configmaps"), configmap(), dryRun="Some")),),
)

ALL = (*KINDS, *SUBRESOURCES, *DRY_RUNS)
