"""Models to structural schemas.

An API server accepts less than JSON Schema: no references, no `anyOf` with null, no titles. The
models stay the only source; `structural` spells one of them out so that an API server takes it.
"""

from pydantic import BaseModel

from shared.kernel.invariants import invariant
from shared.kernel.manifests import Raw, entries_at, is_raw, mapping_at, thawed
from shared.resources.embedded import spelled_out

_FOREIGN = frozenset({"title", "$defs", "additionalProperties", "default", "const"})
_NO_DEFAULTS: tuple[object, ...] = (None, {}, [], ())
_INT_OR_STRING = "x-kubernetes-int-or-string"


def structural(model: type[BaseModel]) -> dict[str, object]:
    """Spell out the model's schema for a custom resource definition."""
    whole = model.model_json_schema(by_alias=True, mode="validation")
    return thawed(_spelled_out(whole, mapping_at(whole, "$defs")))


def _spelled_out(schema: Raw, definitions: Raw) -> dict[str, object]:
    chosen = _resolved(schema, definitions)
    spelled = {key: value for key, value in chosen.items() if key not in _FOREIGN}
    if chosen.get("default") not in _NO_DEFAULTS:
        spelled["default"] = chosen["default"]
    if "const" in chosen:
        spelled["enum"] = [chosen["const"]]
    extra = chosen.get("additionalProperties")
    if is_raw(extra):
        spelled["additionalProperties"] = _spelled_out(extra, definitions)
    if is_raw(chosen.get("items")):
        spelled["items"] = _spelled_out(mapping_at(chosen, "items"), definitions)
    if "properties" in chosen:
        spelled["properties"] = {
            key: _spelled_out(mapping_at(chosen, "properties", key), definitions)
            for key in sorted(mapping_at(chosen, "properties"))
        }
    return spelled


def _resolved(schema: Raw, definitions: Raw) -> dict[str, object]:
    """Follow references and drop the null of an optional field; the outer words win."""
    found = dict(spelled_out(schema))
    if "$ref" in found:
        name = str(found.pop("$ref")).rsplit("/", 1)[-1]
        return _resolved({**mapping_at(definitions, name), **found}, definitions)
    if "anyOf" in found and _INT_OR_STRING not in found:
        kinds = [kind for kind in entries_at(found, "anyOf") if kind != {"type": "null"}]
        invariant(len(kinds) == 1, "a field has one type, or that type and null")
        del found["anyOf"]
        return _resolved({**kinds[0], **found}, definitions)
    return found
