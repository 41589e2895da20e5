"""What an API server does to an object of ours when it stores it: defaults are filled in.

For whoever judges what nobody has stored yet. What services see was stored, and has them.
"""

from shared.kernel.manifests import Raw, is_raw, mapping_at, text_at, thawed
from shared.resources.crd import spec_schema
from shared.resources.raycluster import KIND as RAYCLUSTER
from shared.resources.reading import KINDS


def stored(raw: Raw) -> dict[str, object]:
    """Return an object of ours as the API server would keep it: defaults filled in."""
    name = text_at(raw, "kind") or RAYCLUSTER
    if name not in KINDS:
        return thawed(raw)
    return thawed({**raw, "spec": with_defaults(spec_schema(name), raw.get("spec"))})


def with_defaults(schema: Raw, value: object) -> object:
    """Fill in the schema's defaults wherever the value has the place for them."""
    properties = mapping_at(schema, "properties")
    extra = mapping_at(schema, "additionalProperties")
    if is_raw(value):
        filled = {key: inner for key, inner in value.items() if inner is not None}
        for key, inner in properties.items():
            if key not in filled and is_raw(inner) and "default" in inner:
                filled[key] = inner["default"]
        return {
            key: with_defaults(mapping_at(properties, key) or extra, inner)
            for key, inner in filled.items()
        }
    if isinstance(value, list | tuple):
        return [with_defaults(mapping_at(schema, "items"), inner) for inner in value]
    return value
