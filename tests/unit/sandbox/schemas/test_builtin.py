"""The fields of built-in kinds, and what of them is not written when empty."""

from sandbox.schemas.builtin import builtin_node, without_empty


def test_empty_maps_and_lists_are_not_written_and_empty_objects_are() -> None:
    pod = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"labels": {}, "name": "p"},
        "spec": {
            "nodeSelector": {},
            "securityContext": {},
            "containers": [{"name": "a", "args": [], "env": [{"name": "X", "valueFrom": {}}]}],
            "volumes": [{"name": "v", "emptyDir": {}}],
        },
    }

    assert without_empty(builtin_node(pod), pod) == {
        **pod,
        "metadata": {"name": "p"},
        "spec": {
            "securityContext": {},
            "containers": [{"name": "a", "env": [{"name": "X", "valueFrom": {}}]}],
            "volumes": [{"name": "v", "emptyDir": {}}],
        },
    }


def test_kinds_that_write_their_empty_lists_keep_them() -> None:
    role = {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role", "rules": []}

    assert without_empty(builtin_node(role), role) == role
