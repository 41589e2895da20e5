"""Fields that cannot change once an object exists.

Pure. Pods keep their spec but for images and a few knobs (the scheduler may set an empty nodeName);
services keep their cluster address; a Job keeps its template and selector.
"""

from sandbox.errors import Cause
from sandbox.kinds import Kind
from sandbox.objects import Object, dig
from sandbox.validation import refuse
from sandbox.wording import forbidden, invalid

POD_RULE = (
    "pod updates may not change fields other than `spec.containers[*].image`,"
    "`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,"
    "`spec.tolerations` (only additions to existing tolerations),"
    "`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)"
)
POD_MUTABLE = ("activeDeadlineSeconds", "tolerations", "schedulingGates")
FIXED = {
    "jobs.batch": ("spec.selector", "spec.template", "spec.completionMode"),
    "secrets": ("type",),
    "rolebindings.rbac.authorization.k8s.io": ("roleRef",),
}


def check_change(kind: Kind, old: Object, new: Object) -> None:
    """Refuse a change of what must stay."""
    refuse(kind, old, _causes(kind.resource, old, new))


def kept_address(old: Object, new: Object) -> Object:
    """Give a service that does not mention its address the one it has."""
    spec, held = new.get("spec") or {}, old.get("spec") or {}
    if spec.get("type") == "ExternalName":
        return new
    kept = {
        field: held[field]
        for field in ("clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy")
        if held.get(field) and not spec.get(field)
    }
    return {**new, "spec": {**spec, **kept}}


def _causes(resource: str, old: Object, new: Object) -> list[Cause]:
    if resource == "pods":
        same = _fixed_pod(old.get("spec") or {}, old) == _fixed_pod(new.get("spec") or {}, old)
        return [] if same else [forbidden("spec", POD_RULE)]
    if resource == "services":
        return _about_address(old, new)
    sealed: list[Cause] = []
    if resource in {"configmaps", "secrets"} and old.get("immutable"):
        sealed = _about_sealed(old, new)
    return sealed + [
        invalid(path, dig(new, path), "field is immutable")
        for path in FIXED.get(resource, ())
        if dig(old, path) != dig(new, path)
    ]


def _fixed_pod(spec: Object, old: Object) -> Object:
    fixed = {field: value for field, value in spec.items() if field not in POD_MUTABLE}
    for field in ("containers", "initContainers"):
        if isinstance(fixed.get(field), list):
            fixed[field] = [{**row, "image": ""} for row in fixed[field]]
    if not dig(old, "spec.nodeName"):
        fixed.pop("nodeName", None)
    return fixed


def _about_address(old: Object, new: Object) -> list[Cause]:
    held, given = dig(old, "spec.clusterIP"), dig(new, "spec.clusterIP")
    leaves = "ExternalName" in {dig(old, "spec.type"), dig(new, "spec.type")}
    if not held or held == given or leaves:
        return []
    rule = "may not change once set"
    return [invalid("spec.clusterIPs[0]", [given], rule)]


def _about_sealed(old: Object, new: Object) -> list[Cause]:
    """Hold what was declared immutable to it, for good."""
    rule = "field is immutable when `immutable` is set"
    changed = [field for field in ("data", "binaryData") if old.get(field) != new.get(field)]
    sealed = [] if new.get("immutable") else ["immutable"]
    return [forbidden(field, rule) for field in (*sealed, *changed)]
