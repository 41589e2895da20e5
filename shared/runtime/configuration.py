"""KubeRay's configuration file: `apiVersion: config.ray.io/v1alpha1`, `kind: Configuration`.

Read whole, once, at the start. A field of the wrong type stops it and is told by its path. A field
that nobody knows does not, as in KubeRay, but is told of in the log: most are slips.
"""

from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from pathlib import Path
from types import MappingProxyType

import yaml
from msgspec import Struct, field

from shared.kernel.manifests import Raw, is_raw
from shared.runtime.failures import SettingsError
from shared.runtime.kuberay import PODS, THEIRS, Form, Notice, Theirs
from shared.runtime.parts import MisshapenError, read_parts, read_texts

API_VERSION = "config.ray.io/v1alpha1"
KIND = "Configuration"
_TYPE = ("apiVersion", "kind", "metadata")
_FIELDS: Mapping[str, Theirs] = MappingProxyType(
    {theirs.field: theirs for theirs in THEIRS if theirs.field}
)
_TYPES: Mapping[Form, tuple[type, ...]] = MappingProxyType(
    {Form.TEXT: (str,), Form.TRUTH: (bool,), Form.WHOLE: (int,), Form.NUMBER: (int, float)}
)


class Configuration(Struct, frozen=True, kw_only=True):
    """What a file says of our options: a text as in a flag, or parts of pods.

    `sources` tells for each where it stands, for whoever finds it wrong.
    """

    texts: Mapping[str, str] = field(default_factory=dict)
    parts: Mapping[str, object] = field(default_factory=dict)
    sources: Mapping[str, str] = field(default_factory=dict)
    notices: tuple[Notice, ...] = ()


NOTHING = Configuration()


def read_configuration(path: str) -> Configuration:
    """Read a file; raise SettingsError if it cannot be used."""
    try:
        return parse_configuration(Path(path).read_text(encoding="utf-8"), path)
    except (OSError, UnicodeDecodeError) as problem:
        why = getattr(problem, "strerror", None) or problem
        raise SettingsError(f"--config: {path} cannot be read: {why}") from problem


def parse_configuration(text: str, name: str) -> Configuration:
    """Read the text of a file of that name."""
    raw = _checked(text, name)
    texts: dict[str, str] = {}
    sources: dict[str, str] = {}
    parts: dict[str, object] = {}
    for key, value in raw.items():
        source = f"{name}: {key}"
        if value is None:
            continue
        if key in PODS:
            parts[PODS[key]] = _parts(key, value, source)
        elif key in _FIELDS:
            said = _texts(_FIELDS[key], value, source)
            texts |= said
            sources |= dict.fromkeys(said, source)
    return Configuration(
        texts=texts, parts=parts, sources=sources, notices=tuple(_notices(raw, name))
    )


def _checked(text: str, name: str) -> Raw:
    try:
        raw: object = yaml.safe_load(text)
    except yaml.YAMLError as problem:
        raise SettingsError(f"{name} is not YAML: {' '.join(str(problem).split())}") from problem
    if not is_raw(raw):
        raise SettingsError(f"{name} must hold one object of kind {KIND}")
    for key, wanted in (("apiVersion", API_VERSION), ("kind", KIND)):
        if raw.get(key) != wanted:
            raise SettingsError(f"{name}: {key}: must be {wanted}, not {raw.get(key)!r}")
    return {str(key): value for key, value in raw.items()}


def _texts(theirs: Theirs, value: object, source: str) -> Mapping[str, str]:
    types = _TYPES[theirs.form]
    if not isinstance(value, types) or (isinstance(value, bool) and bool not in types):
        raise SettingsError(f"{source}: must be {theirs.form.value}, not {value!r}")
    text = str(value).lower() if isinstance(value, bool) else str(value)
    if theirs.translate is None or not text:
        return {}
    try:
        return theirs.translate(text)
    except ValueError as error:
        raise SettingsError(f"{source}: {error}") from None


def _parts(key: str, value: object, source: str) -> object:
    try:
        return read_texts(value) if key.startswith("defaultPod") else read_parts(value)
    except MisshapenError as error:
        raise SettingsError(f"{source}{error.path}: {error.sentence}") from None


def _notices(raw: Raw, name: str) -> Iterator[Notice]:
    known = (*_FIELDS, *PODS)
    for key, value in raw.items():
        if key in _FIELDS and value is not None and _FIELDS[key].because:
            yield Notice(setting=f"{name}: {key}", because=_FIELDS[key].because)
        elif key not in known and key not in _TYPE:
            close = get_close_matches(key, known, n=1)
            hint = f": did you mean {close[0]}?" if close else ""
            yield Notice(setting=f"{name}: {key}", because=f"no such field is known{hint}")
