"""What volumes hold and where containers see them."""

from base64 import b64encode

import pytest

from sandbox.objects import Object
from sandbox.ray.environment import ConfigError
from sandbox.ray.rootfs import Mount
from sandbox.ray.volumes import SHARED_MEMORY, mounts, volumes

HELD: dict[tuple[str, str], Object] = {
    ("configmaps", "code"): {"kind": "ConfigMap", "data": {"a.py": "1", "b.py": "2"}},
    ("secrets", "key"): {"kind": "Secret", "data": {"token": b64encode(b"\xff\x00").decode()}},
}


def held(*wanted: Object) -> dict[str, dict[str, bytes]]:
    pod = {"metadata": {"name": "one"}, "spec": {"volumes": list(wanted)}}
    found = volumes(pod, lambda *key: HELD.get(key), "10.128.0.7")
    return {name: dict(files) for name, files in found.items()}


def test_configmaps_and_secrets_are_files() -> None:
    found = held(
        {"name": "code", "configMap": {"name": "code"}},
        {"name": "key", "secret": {"secretName": "key"}},
        {"name": "scratch", "emptyDir": {}},
    )

    assert found == {
        "code": {"a.py": b"1", "b.py": b"2"},
        "key": {"token": b"\xff\x00"},
        "scratch": {},
    }


def test_items_choose_and_rename() -> None:
    item = {"key": "a.py", "path": "lib/main.py"}

    assert held({"name": "code", "configMap": {"name": "code", "items": [item]}}) == {
        "code": {"lib/main.py": b"1"}
    }


def test_projected_volumes_hold_what_their_sources_hold() -> None:
    sources = [
        {"configMap": {"name": "code", "items": [{"key": "b.py", "path": "b.py"}]}},
        {"secret": {"name": "key"}},
        {"downwardAPI": {"items": [{"path": "name", "fieldRef": {"fieldPath": "metadata.name"}}]}},
    ]

    assert held({"name": "all", "projected": {"sources": sources}}) == {
        "all": {"b.py": b"2", "token": b"\xff\x00", "name": b"one"}
    }


def test_what_is_lacking_is_named() -> None:
    with pytest.raises(ConfigError, match="configmaps other not found"):
        held({"name": "code", "configMap": {"name": "other"}})
    assert held({"name": "o", "configMap": {"name": "other", "optional": True}}) == {"o": {}}


def test_a_single_file_can_be_mounted() -> None:
    wanted = {"name": "code", "mountPath": "/main.py", "subPath": "a.py", "readOnly": True}
    found = mounts({"volumeMounts": [wanted]}, "/v", {"code": {"a.py": b"1"}})

    file = Mount(target="/main.py", source="/v/code/a.py", kind="file", read_only=True)
    assert file in found


def test_shared_memory_is_always_the_containers_own() -> None:
    wanted = {"name": "memory", "mountPath": SHARED_MEMORY}

    for container in ({"volumeMounts": [wanted]}, {}):
        found = mounts(container, "/v", {"memory": {}})
        assert found == [Mount(target=SHARED_MEMORY, kind="memory")]


def test_a_path_cannot_climb_out_of_the_root() -> None:
    wanted = {"name": "v", "mountPath": "/../../etc"}

    assert mounts({"volumeMounts": [wanted]}, "/v", {"v": {}})[0].target == "/etc"
