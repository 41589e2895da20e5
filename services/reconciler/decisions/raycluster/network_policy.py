"""Keep the cluster's network policies as the spec says: made, kept in step, removed.

They come before the pods that they are for. A policy of that name that belongs to somebody else is
left alone, and people are told that the cluster is not isolated.
"""

from collections.abc import Iterator, Mapping

from services.reconciler.decisions.raycluster import unshown
from services.reconciler.decisions.raycluster.situation import Situation
from services.reconciler.manifests.network_policy import as_stored, policy_manifest
from shared.actions.objects import (
    Action,
    CreateObject,
    DeleteObject,
    Notice,
    PatchObject,
    PostNotice,
    Words,
)
from shared.actions.outcomes import Occupied
from shared.aggregates.expectations import answered
from shared.events.objects import ChildSeen
from shared.kernel.features import NETWORK_POLICY
from shared.kernel.manifests import Raw, is_raw, labels_of, mapping_at

KIND = "networkpolicy"
RULE = "network_policy"


def ensure(found: Situation) -> Iterator[Action]:
    """Yield what makes the policies right; nothing while the gate is shut."""
    if not found.settings.features.on(NETWORK_POLICY):
        return
    wanted = found.network_policies()
    for name in (name for name in wanted if (KIND, name) not in found.state.unsettled):
        child = found.state.children.get((KIND, name))
        if child is None:
            yield from _collision(found, name)
            yield _creation(found, name)
        elif child.meta.deleted_at is None:
            patch = _difference(child, wanted[name])
            due = patch and not unshown.tried(found, child, patch)
            yield from (_change(child, patch),) if due else ()
    yield from _stale(found, wanted)


def marks(found: Situation) -> tuple[str, ...]:
    """Return what acts have to carry: the changes that did not show."""
    if not found.settings.features.on(NETWORK_POLICY):
        return ()
    wanted = found.network_policies()
    children = ((name, found.state.children.get((KIND, name))) for name in wanted)
    return tuple(
        mark
        for name, child in children
        if child is not None
        for mark in unshown.marks(found, child, _difference(child, wanted[name]))
    )


def _creation(found: Situation, name: str) -> CreateObject:
    return CreateObject(
        kind="networkpolicy",
        name=name,
        manifest=policy_manifest(name),
        rule=RULE,
        because=f"network policy {name} is missing",
        notice=_notice("Create", "Created", f"{found.cluster.namespace}/{name}"),
    )


def _collision(found: Situation, name: str) -> Iterator[PostNotice]:
    """Tell people that the last act found the name taken."""
    act = found.view.act
    tried = answered(act, found.view.answer) if act else ()
    taken = any(
        isinstance(action, CreateObject)
        and (action.kind, action.name) == (KIND, name)
        and isinstance(outcome, Occupied)
        for action, outcome in tried
    )
    if taken:
        yield PostNotice(
            warning=True,
            reason="NetworkPolicyNameCollision",
            action="Validate",
            message=f"NetworkPolicy {found.cluster.namespace}/{name} already exists and is not "
            "owned by this RayCluster, network isolation will not be applied. Rename the existing "
            "NetworkPolicy or use a different RayCluster name to avoid the collision",
            rule=RULE,
            because=f"network policy {name} belongs to something else",
        )


def _difference(child: ChildSeen, wanted: Raw) -> dict[str, object]:
    """Return the merge patch that is needed; labels that others added stay."""
    patch: dict[str, object] = {}
    spec = mapping_at(wanted, "spec")
    if as_stored(child.spec) != spec:
        patch["spec"] = _merge(child.spec, spec)
    ours = labels_of(wanted)
    labels = {key: ours[key] for key in ours if child.meta.labels.get(key) != ours[key]}
    return patch | ({"metadata": {"labels": labels}} if labels else {})


def _merge(old: Raw, new: Raw) -> dict[str, object]:
    """Return the patch that turns old into new: what is missing in new is removed."""
    removed: dict[str, object] = {key: None for key in old if key not in new}
    return removed | {
        key: _merge(mapping_at(old, key), value) if is_raw(value) else value
        for key, value in new.items()
    }


def _change(child: ChildSeen, patch: dict[str, object]) -> PatchObject:
    meta = child.meta
    return PatchObject(
        kind="networkpolicy",
        name=meta.name,
        uid=meta.uid,
        patch=patch,
        resource_version=meta.resource_version,
        rule=RULE,
        because=f"network policy {meta.name} is not as the spec says",
        notice=_notice("Update", "Updated", f"{meta.namespace}/{meta.name}"),
    )


def _stale(found: Situation, wanted: Mapping[str, object]) -> Iterator[DeleteObject]:
    """Delete the policies that the cluster owns and no longer wants."""
    for (kind, name), child in found.state.children.items():
        settled = (kind, name) not in found.state.unsettled and child.meta.deleted_at is None
        if kind == KIND and name not in wanted and settled:
            yield DeleteObject(
                kind="networkpolicy",
                name=name,
                uid=child.meta.uid,
                rule=RULE,
                because=f"network policy {name} is no longer wanted",
                notice=_notice("Delete", "Deleted", f"{child.meta.namespace}/{name}"),
            )


def _notice(verb: str, done: str, place: str) -> Notice:
    return Notice(
        done=Words(reason=f"{done}NetworkPolicy", message=f"{done} NetworkPolicy {place}"),
        refused=Words(
            reason=f"FailedTo{verb}NetworkPolicy",
            message=f"Failed to {verb.lower()} NetworkPolicy {place}: ",
        ),
    )
