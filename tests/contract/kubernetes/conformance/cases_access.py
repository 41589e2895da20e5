"""Who may do what: tokens, roles, refusals, and questions about them."""

from typing import Any

from tests.contract.kubernetes.conformance.calls import (
    NOBODY,
    at,
    by,
    cases,
    delete,
    get,
    only,
    patch,
    post,
    soon,
    watch,
)
from tests.contract.kubernetes.conformance.definitions import WIDGETS, configmap, of, widget

RBAC = "rbac.authorization.k8s.io/v1"
ROLES, BINDINGS = at(f"roles.{RBAC}"), at(f"rolebindings.{RBAC}")
ACCOUNT = post(at("serviceaccounts"), of("v1", "ServiceAccount", "robot"))
TOKEN = only(
    "kind",
    post(
        at("serviceaccounts", "robot", "token"),
        {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}},
    ),
)
ME = "$1.status.token"
MAPS, MAP = at("configmaps"), at("configmaps", "c")
SUBJECT = {"kind": "ServiceAccount", "name": "robot", "namespace": "$ns"}


def role(*rules: dict[str, Any]) -> Any:
    return post(ROLES, of(RBAC, "Role", "r", rules=list(rules)))


def rule(verbs: str, resources: str, group: str = "", **more: Any) -> dict[str, Any]:
    return {
        "verbs": verbs.split(),
        "resources": resources.split(),
        "apiGroups": [group],
        **more,
    }


BOUND = post(
    BINDINGS,
    of(
        RBAC,
        "RoleBinding",
        "b",
        roleRef={"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "r"},
        subjects=[SUBJECT],
    ),
)


def may(**wanted: str) -> Any:
    return {
        "apiVersion": "authorization.k8s.io/v1",
        "kind": "SelfSubjectAccessReview",
        "spec": {"resourceAttributes": {"namespace": "$ns", **wanted}},
    }


ASK = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"

GUARDING = cases(
    "access",
    without_a_token_is_nobodys=(by(NOBODY, get(MAPS)), by(NOBODY, get(MAP))),
    with_a_wrong_token_is_refused=(by("wrong", get(MAPS)),),
    without_a_role_is_refused=(ACCOUNT, TOKEN, by(ME, get(MAPS)), by(ME, get(MAP))),
    without_a_role_cannot_write=(
        ACCOUNT,
        TOKEN,
        by(ME, post(MAPS, configmap())),
        by(ME, patch(MAP, {})),
        by(ME, delete(MAP)),
        by(ME, delete(MAPS)),
        by(ME, watch(MAPS)),
    ),
    without_a_role_cannot_see_custom_objects=(ACCOUNT, TOKEN, by(ME, get(at(WIDGETS, "w")))),
    without_a_role_cannot_see_the_cluster=(
        ACCOUNT,
        TOKEN,
        by(ME, get("/api/v1/nodes")),
        by(ME, get("/api/v1/namespaces")),
        by(ME, get("/api/v1/namespaces/$ns")),
        by(ME, get("/api/v1/pods")),
    ),
    by_a_role_allows_what_it_names=(
        ACCOUNT,
        TOKEN,
        role(rule("get list", "configmaps")),
        BOUND,
        post(MAPS, configmap()),
        soon(200, by(ME, only("kind", get(MAP)))),
        by(ME, only("kind", get(MAPS))),
        by(ME, delete(MAP)),
        by(ME, get(at("secrets", "s"))),
    ),
    by_a_role_ends_at_its_namespace=(
        ACCOUNT,
        TOKEN,
        role(rule("get list", "configmaps")),
        BOUND,
        by(ME, get("/api/v1/namespaces/default/configmaps")),
        by(ME, get("/api/v1/configmaps")),
    ),
    by_a_role_may_name_objects=(
        ACCOUNT,
        TOKEN,
        role(rule("get", "configmaps", resourceNames=["c"])),
        BOUND,
        post(MAPS, configmap()),
        soon(200, by(ME, only("kind", get(MAP)))),
        by(ME, get(at("configmaps", "d"))),
        by(ME, get(MAPS)),
    ),
    by_a_role_tells_a_subresource_apart=(
        ACCOUNT,
        TOKEN,
        role(rule("patch", "widgets/status", "conformance.example.com")),
        BOUND,
        post(at(WIDGETS), widget()),
        soon(
            200,
            by(ME, only("kind", patch(at(WIDGETS, "w", "status"), {"status": {"replicas": 1}}))),
        ),
        by(ME, patch(at(WIDGETS, "w"), {"spec": {"replicas": 2}})),
    ),
    by_a_role_may_be_for_everything=(
        ACCOUNT,
        TOKEN,
        role(rule("*", "*", "*")),
        BOUND,
        soon(201, by(ME, only("kind", post(MAPS, configmap())))),
        by(ME, only("kind", delete(MAP))),
    ),
    by_a_role_that_is_missing_allows_nothing=(
        ACCOUNT,
        TOKEN,
        BOUND,
        by(ME, only("reason", get(MAPS))),
    ),
    by_a_group_of_accounts=(
        ACCOUNT,
        TOKEN,
        role(rule("list", "configmaps")),
        post(
            BINDINGS,
            of(
                RBAC,
                "RoleBinding",
                "b",
                roleRef={"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "r"},
                subjects=[
                    {
                        "kind": "Group",
                        "name": "system:serviceaccounts:$ns",
                        "apiGroup": "rbac.authorization.k8s.io",
                    }
                ],
            ),
        ),
        soon(200, by(ME, only("kind", get(MAPS)))),
    ),
    by_a_cluster_role_in_one_namespace=(
        ACCOUNT,
        TOKEN,
        post(
            BINDINGS,
            of(
                RBAC,
                "RoleBinding",
                "b",
                roleRef={
                    "apiGroup": "rbac.authorization.k8s.io",
                    "kind": "ClusterRole",
                    "name": "cluster-admin",
                },
                subjects=[SUBJECT],
            ),
        ),
        soon(201, by(ME, only("kind", post(MAPS, configmap())))),
        by(ME, get("/api/v1/configmaps")),
    ),
    lets_everybody_known_look_at_what_is_served=(
        ACCOUNT,
        TOKEN,
        by(ME, only("kind", get("/apis"))),
        by(ME, only("kind", get("/api/v1"))),
        by(NOBODY, get("/apis")),
        by(NOBODY, get("/readyz")),
        by(ME, get("/metrics")),
    ),
)
ASKING = cases(
    "access review",
    of_oneself_says_no=(
        ACCOUNT,
        TOKEN,
        by(ME, only("status", post(ASK, may(verb="list", resource="pods")))),
    ),
    of_oneself_says_yes=(
        ACCOUNT,
        TOKEN,
        role(rule("list", "pods")),
        BOUND,
        by(ME, only("kind", post(ASK, may(verb="list", resource="pods")))),
    ),
    of_who_one_is=(
        ACCOUNT,
        TOKEN,
        by(
            ME,
            only(
                "kind",
                post(
                    "/apis/authentication.k8s.io/v1/selfsubjectreviews",
                    {"apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview"},
                ),
            ),
        ),
    ),
    of_a_missing_account_is_not_found=(
        post(at("serviceaccounts", "absent", "token"), {"spec": {}}),
    ),
)

ALL = (*GUARDING, *ASKING)
