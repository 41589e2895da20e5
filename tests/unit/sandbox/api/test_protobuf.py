"""The few protobuf bodies that kubectl insists on."""

import pytest

from sandbox.api.protobuf import read_object
from sandbox.errors import ApiError


def field(number: int, value: bytes | str | int) -> bytes:
    """Write one field; short values only, so that every size fits one byte."""
    if isinstance(value, int):
        return bytes([number << 3, value])
    raw = value.encode() if isinstance(value, str) else value
    return bytes([number << 3 | 2, len(raw)]) + raw


def body(kind: str, raw: bytes, api: str = "v1") -> bytes:
    named = field(1, field(1, api) + field(2, kind))
    return b"k8s\0" + named + field(2, raw) + field(3, "") + field(4, "")


def entry(key: str, value: str) -> bytes:
    return field(1, key) + field(2, value)


def test_reads_a_namespace_and_what_its_client_leaves_empty() -> None:
    meta = field(1, "demo") + field(2, "") + field(8, b"")

    read = read_object(body("Namespace", field(1, meta) + field(2, b"") + field(3, field(1, ""))))

    assert read == {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "demo"}}


def test_reads_maps_of_text_and_of_bytes() -> None:
    meta = field(1, field(1, "c") + field(11, entry("app", "ray")))
    data = field(2, entry("a", "1")) + field(2, entry("b", "2"))

    config = read_object(body("ConfigMap", meta + data + field(4, 1)))
    secret = read_object(body("Secret", meta + data + field(3, "Opaque")))

    assert (config["data"], config["immutable"]) == ({"a": "1", "b": "2"}, True)
    assert (secret["data"], secret["type"]) == ({"a": "MQ==", "b": "Mg=="}, "Opaque")
    assert config["metadata"] == {"name": "c", "labels": {"app": "ray"}}


def test_reads_lists_of_words_and_of_messages() -> None:
    api = "rbac.authorization.k8s.io/v1"
    rule = field(1, "get") + field(1, "list") + field(2, "") + field(3, "pods")
    meta = field(1, field(1, "r"))

    read = read_object(body("Role", meta + field(2, rule) + field(2, field(1, "*")), api))

    assert read["rules"] == [
        {"verbs": ["get", "list"], "apiGroups": [""], "resources": ["pods"]},
        {"verbs": ["*"]},
    ]


@pytest.mark.parametrize(
    "data",
    [
        b"{}",
        body("Pod", b""),
        body("Namespace", field(9, 1)),
        body("Namespace", field(1, "x")[:-1]),
        b"k8s\0\x0a",
    ],
)
def test_refuses_what_it_does_not_fully_know(data: bytes) -> None:
    with pytest.raises(ApiError) as error:
        read_object(data)

    assert error.value.code == 415
