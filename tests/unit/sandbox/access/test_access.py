"""Access: who a token speaks for, what roles allow, and how refusals are worded."""

from typing import Any

import pytest

from sandbox.access.attributes import attributes
from sandbox.access.door import Door
from sandbox.access.users import ADMIN, ANONYMOUS, User, account
from sandbox.cluster import Cluster
from sandbox.errors import ApiError
from tests.unit.sandbox.widgets import HandClock, cluster

RBAC = "rbac.authorization.k8s.io"
ROBOT = account("default", "robot")


def granted(ours: Cluster, *rules: dict[str, Any], everywhere: bool = False) -> None:
    """Bind the robot to a role with these rules."""
    sort = "ClusterRole" if everywhere else "Role"
    plural = sort.lower()
    ours.create(f"{plural}s.{RBAC}", {"metadata": {"name": "r"}, "rules": list(rules)})
    subject = {"kind": "ServiceAccount", "name": "robot", "namespace": "default"}
    reference = {"apiGroup": RBAC, "kind": sort, "name": "r"}
    binding = {"metadata": {"name": "b"}, "roleRef": reference, "subjects": [subject]}
    ours.create(f"{plural}bindings.{RBAC}", binding)


def refusal(ours: Cluster, method: str, path: str, user: User = ROBOT) -> str:
    """Return why a user may not do something; nothing if they may."""
    try:
        Door(ours.state, "t").check(user, method, path, {})
    except ApiError as error:
        return str(error)
    return ""


PODS = "/api/v1/namespaces/default/pods"
READ = {"apiGroups": [""], "resources": ["pods"], "verbs": ["get", "list"]}


def test_nobody_may_anything_without_a_role() -> None:
    assert refusal(cluster(), "GET", f"{PODS}/p") == (
        'pods "p" is forbidden: User "system:serviceaccount:default:robot" cannot get resource '
        '"pods" in API group "" in the namespace "default"'
    )
    assert refusal(cluster(), "GET", "/metrics", ANONYMOUS) == (
        'forbidden: User "system:anonymous" cannot get path "/metrics"'
    )


def test_the_administrator_needs_no_role() -> None:
    assert refusal(cluster(), "DELETE", PODS, ADMIN) == ""


def test_a_role_allows_what_it_names_where_it_is_bound() -> None:
    ours = cluster()
    granted(ours, READ)

    assert refusal(ours, "GET", PODS) == ""
    assert "cannot create" in refusal(ours, "POST", PODS)
    assert 'cannot get resource "pods/log"' in refusal(ours, "GET", f"{PODS}/p/log")
    assert "in the namespace" in refusal(ours, "GET", "/api/v1/namespaces/kube-system/pods")
    assert "at the cluster scope" in refusal(ours, "GET", "/api/v1/pods")


def test_a_cluster_role_allows_everywhere() -> None:
    ours = cluster()
    granted(ours, READ, {"nonResourceURLs": ["/metrics"], "verbs": ["get"]}, everywhere=True)

    assert refusal(ours, "GET", "/api/v1/pods") == ""
    assert refusal(ours, "GET", "/metrics") == ""


def test_a_rule_may_name_objects_and_any_subresource() -> None:
    ours = cluster()
    named = {**READ, "resourceNames": ["p"]}
    granted(ours, named, {"apiGroups": ["*"], "resources": ["*/status"], "verbs": ["patch"]})

    assert refusal(ours, "GET", f"{PODS}/p") == ""
    assert refusal(ours, "GET", f"{PODS}/q") != ""
    assert refusal(ours, "PATCH", "/apis/example.com/v1/namespaces/default/widgets/w/status") == ""


def test_a_token_speaks_for_its_account_until_its_time_is_over_or_the_account_is_gone() -> None:
    clock = HandClock()
    ours = cluster(clock)
    ours.create("serviceaccounts", {"metadata": {"name": "robot"}})
    door = Door(ours.state, "t")
    token = door.asker.token({"spec": {}}, "default", "robot")["status"]["token"]

    assert door.user(f"Bearer {token}").name == ROBOT.name
    assert door.user("Bearer t") == ADMIN
    assert door.user("") == ANONYMOUS
    for wrong in ("other", f"{token}x", token.replace(".", "", 1)):
        with pytest.raises(ApiError, match="Unauthorized"):
            door.user(f"Bearer {wrong}")
    clock.pass_seconds(3601)
    with pytest.raises(ApiError, match="Unauthorized"):
        door.user(f"Bearer {token}")


def test_a_token_ends_with_its_account() -> None:
    ours = cluster()
    ours.create("serviceaccounts", {"metadata": {"name": "robot"}})
    door = Door(ours.state, "t")
    token = door.asker.token({"spec": {}}, "default", "robot")["status"]["token"]
    ours.delete("serviceaccounts", "default", "robot")
    ours.create("serviceaccounts", {"metadata": {"name": "robot"}})

    with pytest.raises(ApiError, match="Unauthorized"):
        door.user(f"Bearer {token}")


def test_without_a_token_of_its_own_a_server_trusts_who_shows_none() -> None:
    assert Door(cluster().state, "").user("") == ADMIN


@pytest.mark.parametrize(
    ("method", "path", "verb", "kind", "namespace", "name"),
    [
        ("GET", "/api/v1/pods", "list", "pods", "", ""),
        ("GET", "/api/v1/namespaces/a", "get", "namespaces", "a", "a"),
        ("PUT", "/api/v1/namespaces/a/finalize", "update", "namespaces/finalize", "a", "a"),
        ("DELETE", "/api/v1/namespaces/a/pods", "deletecollection", "pods", "a", ""),
        ("POST", "/apis/batch/v1/namespaces/a/jobs", "create", "jobs", "a", ""),
        ("GET", "/api/v1/namespaces/a/pods/p/proxy/x/y", "get", "pods/proxy", "a", "p"),
    ],
)
def test_reads_from_the_url_what_is_wanted(
    method: str, path: str, verb: str, kind: str, namespace: str, name: str
) -> None:
    wanted = attributes(method, path, {})

    assert (wanted.verb, wanted.kind, wanted.namespace, wanted.name) == (
        verb,
        kind,
        namespace,
        name,
    )


def test_reviews_answer_without_storing() -> None:
    ours = cluster()
    granted(ours, READ)
    asker = Door(ours.state, "t").asker
    wanted = {"namespace": "default", "verb": "list", "resource": "pods"}

    assert asker.may_i({"spec": {"resourceAttributes": wanted}}, ROBOT)["status"]["allowed"]
    rules = asker.my_rules({"spec": {"namespace": "default"}}, ROBOT)["status"]["resourceRules"]
    assert {"verbs": ["get", "list"], "apiGroups": [""], "resources": ["pods"]} in rules
    assert "error" in asker.who_is({"spec": {"token": "x"}}, ADMIN)["status"]
