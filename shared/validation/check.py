"""What is wrong with an object of any of our kinds, whoever asks: a person, or an API server.

First its shape; only what has the right shape is asked further, in the order metadata, spec,
upgrade, status. Defaults and a made-up name count, as if the API server had stored the object.
Never raises, whatever it is given.
"""

from collections.abc import Mapping

from msgspec.structs import replace

from shared.kernel.features import Features
from shared.kernel.manifests import Raw, is_raw, mapping_at, text_at
from shared.resources.crd import spec_schema
from shared.resources.defaulting import stored
from shared.resources.problem import Problem
from shared.resources.raycluster import RayCluster
from shared.resources.raycronjob import KIND as RAYCRONJOB
from shared.resources.rayjob import RayJob
from shared.resources.rayservice import RayService
from shared.resources.reading import KINDS, AnyResource, read
from shared.resources.resource import GROUP, OLD_VERSION, VERSION
from shared.validation import raycluster, raycronjob, rayjob, rayservice
from shared.validation.schema import schema_problems

DEPTH_MAX = 100
"""No manifest is deeper; what is cannot be walked through safely."""

Problems = tuple[Problem, ...]

_ROOT = ("apiVersion", "kind", "metadata", "status")
_ANYTHING: Raw = {}
_NAME_PATH, _PREFIX_PATH = "metadata.name", "metadata.generateName"
_PREFIX_MAX, _ENDING = 58, "00000"
"""How the API server makes a name from a prefix: so much of it, and five letters."""


def ours(raw: Raw) -> bool:
    """Whether the object is for us to judge: of our group, or of our kinds and no group at all."""
    version = text_at(raw, "apiVersion")
    return version.partition("/")[0] == GROUP if version else text_at(raw, "kind") in KINDS


def check(raw: object, features: Features) -> Problems:
    """Return every problem of the object, the first failure first; none if all is well."""
    if not is_raw(raw):
        return (Problem(path="", message="should be an object with fields"),)
    if _too_deep(raw):
        return (Problem(path="", message=f"is nested deeper than {DEPTH_MAX} levels"),)
    return _unknown(raw) or _judged(raw, features)


def check_file(raw: object, features: Features) -> Problems:
    """Judge an object that nobody has stored yet: what its schema says comes first.

    Not for objects from an API server: its definitions may be newer than ours, and know more.
    """
    found = check(raw, features)
    if not is_raw(raw) or _too_deep(raw) or _unknown(raw):
        return found
    kind, told = text_at(raw, "kind"), {problem.path for problem in found}
    whole = {"properties": {**dict.fromkeys(_ROOT, _ANYTHING), "spec": spec_schema(kind)}}
    shape = schema_problems(whole, stored(raw), (), f"Invalid{kind}Spec")
    return (*(problem for problem in shape if problem.path not in told), *found)


def _unknown(raw: Raw) -> Problems:
    kind, version = text_at(raw, "kind"), text_at(raw, "apiVersion")
    if kind not in KINDS:
        told = f"{kind or 'no kind'} is not known to this version: there are {', '.join(KINDS)}"
        return (Problem(path="kind", message=told),)
    versions = (VERSION,) if kind == RAYCRONJOB else (VERSION, OLD_VERSION)
    served = [f"{GROUP}/{each}" for each in versions]
    if version not in served:
        told = f"{version or 'no version'} is not served for {kind}: write {served[0]}"
        return (Problem(path="apiVersion", message=told),)
    return ()


def _judged(raw: Raw, features: Features) -> Problems:
    metadata, prefix = mapping_at(raw, "metadata"), text_at(raw, "metadata", "generateName")
    if not prefix or "name" in metadata:
        return _seen(raw, features)
    made_up = {**metadata, "name": f"{prefix[:_PREFIX_MAX]}{_ENDING}"}
    return tuple(
        replace(problem, path=_PREFIX_PATH) if problem.path == _NAME_PATH else problem
        for problem in _seen({**raw, "metadata": made_up}, features)
    )


def _seen(raw: Raw, features: Features) -> Problems:
    found = read(text_at(raw, "kind").lower(), stored(raw))
    return found if isinstance(found, tuple) else _sense(found, features)


def _sense(resource: AnyResource, features: Features) -> Problems:
    match resource:
        case RayCluster():
            problems = raycluster.validate(resource, features)
            return (*problems, *raycluster.status_problems(resource.status))
        case RayJob():
            return (*rayjob.validate(resource, features), *rayjob.status_problems(resource))
        case RayService():
            return rayservice.validate(resource, features)
        case _:
            return raycronjob.validate(resource, features)


def _too_deep(raw: Raw) -> bool:
    level: list[object] = [raw]
    for _ in range(DEPTH_MAX):
        level = [inner for outer in level for inner in _inside(outer)]
        if not level:
            return False
    return True


def _inside(value: object) -> list[object]:
    if isinstance(value, Mapping):
        return list(value.values())
    return list(value) if isinstance(value, list | tuple) else []
