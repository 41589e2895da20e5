"""What is served, in one document; watches from too long ago; and webhooks as objects.

How far back a built-in kind can be watched hangs on how long the API server has run and is no case.
"""

from typing import Any

from tests.contract.kubernetes.conformance.calls import (
    AGGREGATED,
    apply,
    at,
    cases,
    delete,
    get,
    only,
    patch,
    post,
    watch,
)
from tests.contract.kubernetes.conformance.definitions import GROUP, WIDGETS, of

CORE = "items/0/versions/version=v1/resources"
HOOKS = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations"
API = "admissionregistration.k8s.io/v1"


def hook(name: str = "judge.example.com", **more: Any) -> dict[str, Any]:
    """Make one webhook that nobody meets: no kind is called so."""
    usual = {
        "name": name,
        "admissionReviewVersions": ["v1"],
        "sideEffects": "None",
        "clientConfig": {"url": "https://127.0.0.1:1/judge"},
        "rules": [
            {
                "apiGroups": ["nowhere.example.com"],
                "apiVersions": ["v1"],
                "operations": ["CREATE"],
                "resources": ["things"],
            }
        ],
    }
    return {**usual, **more}


def hooks(*each: dict[str, Any], name: str = "$ns") -> dict[str, Any]:
    return dict(of(API, "ValidatingWebhookConfiguration", name, webhooks=list(each)))


DISCOVERING = cases(
    "discovery",
    of_a_custom_group_aggregated=(only(f"items/name={GROUP}", get("/apis", accept=AGGREGATED)),),
    of_a_core_kind_aggregated=(
        only(f"{CORE}/resource=configmaps", get("/api", accept=AGGREGATED)),
        only(f"{CORE}/resource=secrets", get("/api", accept=AGGREGATED)),
    ),
    of_built_in_groups_aggregated=(
        only("items/name=coordination.k8s.io", get("/apis", accept=AGGREGATED)),
        only(
            "items/name=batch/versions/version=v1/resources/resource=jobs",
            get("/apis", accept=AGGREGATED),
        ),
    ),
)
EXPIRING = cases(
    "watch",
    of_custom_objects_from_too_long_ago=(watch(at(WIDGETS), resourceVersion="1"),),
)
HOOKING = cases(
    "webhooks",
    are_completed=(post(HOOKS, hooks(hook())), delete(f"{HOOKS}/$ns")),
    behind_a_service_are_completed=(
        post(HOOKS, hooks(hook(clientConfig={"service": {"namespace": "a", "name": "b"}}))),
        delete(f"{HOOKS}/$ns"),
    ),
    are_applied_and_changed=(
        apply(f"{HOOKS}/$ns", hooks(hook(), hook("other.example.com"))),
        patch(f"{HOOKS}/$ns", {"metadata": {"labels": {"a": "b"}}}),
        apply(f"{HOOKS}/$ns", hooks(hook(timeoutSeconds=5))),
        delete(f"{HOOKS}/$ns"),
    ),
    of_none_of_that_name=(get(f"{HOOKS}/$ns"), delete(f"{HOOKS}/$ns")),
)

ALL = (*DISCOVERING, *EXPIRING, *HOOKING)
