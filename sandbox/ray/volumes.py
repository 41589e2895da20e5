"""The volumes of a pod: which files each holds, and where a container wants to see them.

Pure: files are values here, podworker.py writes them. A volume is a folder that lives as long as
the pod, whatever a real cluster would have behind it; shared memory is each container's own.
"""

from collections.abc import Iterator, Mapping
from posixpath import normpath
from typing import TypeAlias

from sandbox.objects import Object, dig, rows
from sandbox.ray.environment import ConfigError, Lookup, content, field_value, keys
from sandbox.ray.rootfs import Mount

Files: TypeAlias = Mapping[str, bytes]
SHARED_MEMORY = "/dev/shm"  # noqa: S108 - where containers have it
KEYED = (("configMap", "configmaps", "name"), ("secret", "secrets", "secretName"))


def volumes(pod: Object, lookup: Lookup, address: str) -> dict[str, Files]:
    """Return every volume of a pod by name, with the files it begins with."""
    return {
        str(each.get("name")): dict(_files(each, pod, lookup, address))
        for each in rows(pod, "spec.volumes")
    }


def mounts(container: Object, folder: str, held: Mapping[str, Files]) -> list[Mount]:
    """Say where a container sees the volumes, each of which is a folder under `folder`."""
    found = [
        _mount(each, f"{folder}/{each.get('name')}", held[str(each.get("name"))])
        for each in rows(container, "volumeMounts")
        if str(each.get("name")) in held
    ]
    shared = Mount(target=SHARED_MEMORY, kind="memory")
    return [*(each for each in found if each.target != SHARED_MEMORY), shared]


def _mount(wanted: Object, folder: str, files: Files) -> Mount:
    target = normpath(f"/{wanted.get('mountPath')}").replace("//", "/")
    read_only = bool(wanted.get("readOnly"))
    part = str(wanted.get("subPath") or "")
    if part in files:
        return Mount(target=target, source=f"{folder}/{part}", kind="file", read_only=read_only)
    source = f"{folder}/{part}" if part else folder
    return Mount(target=target, source=source, read_only=read_only)


def _files(
    volume: Object, pod: Object, lookup: Lookup, address: str
) -> Iterator[tuple[str, bytes]]:
    for field, plural, naming in KEYED:
        source = volume.get(field)
        if source:
            name = str(source.get(naming) or source.get("name"))
            yield from _keyed(source, plural, name, lookup)
    for item in rows(volume, "downwardAPI.items"):
        value = field_value(pod, str(dig(item, "fieldRef.fieldPath")), address)
        yield str(item.get("path")), value.encode()
    for source in rows(volume, "projected.sources"):
        yield from _files(source, pod, lookup, address)


def _keyed(source: Object, plural: str, name: str, lookup: Lookup) -> Iterator[tuple[str, bytes]]:
    held = lookup(plural, name)
    if held is None and not source.get("optional"):
        raise ConfigError(f"volume: {plural} {name} not found")
    chosen = {str(item.get("key")): str(item.get("path")) for item in rows(source, "items")}
    for key, path in (chosen or {key: key for key in keys(held)}).items():
        found = content(held, key)
        if found is not None:
            yield path, found
