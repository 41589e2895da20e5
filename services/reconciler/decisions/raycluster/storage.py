"""An embedded store needs a claim that outlives every head.

A claim that the user names is theirs: it is neither made nor looked for. One of ours is made if it
is missing and never made anew: where it differs from the wish, people are told, once per
generation. It belongs to the cluster unless it shall outlive it; then it loses its owner, and with
that we lose sight of it. So a mark remembers that such a claim was made, given up or found, and it
is not asked for again. What has no owner cannot be taken back: people are told that, too.
"""

from collections import Counter
from collections.abc import Iterator

from services.reconciler.decisions.raycluster import companions
from services.reconciler.decisions.raycluster.situation import Situation
from services.reconciler.manifests.companions import STORAGE_CLAIM
from services.reconciler.manifests.names import storage_claim_name
from services.reconciler.manifests.volumes import claim_spec, outlives, storage_of
from shared.actions.objects import CreateObject, Notice, PatchObject, PostNotice, Words
from shared.actions.outcomes import AlreadySo, Done, Occupied
from shared.events.objects import ChildSeen
from shared.kernel.manifests import text_at, words_at
from shared.kernel.quantities import parse_quantity
from shared.resources.predicates import embedded_storage

_KIND = "persistentvolumeclaim"
_SIZE = ("resources", "requests", "storage")


def ensure(found: Situation) -> Iterator[CreateObject | PatchObject | PostNotice]:
    """Yield what brings the claim about, gives it up, or tells people what cannot be done."""
    if not _ours(found):
        return
    name = storage_claim_name(found.cluster)
    claim = found.state.children.get((_KIND, name))
    if companions.lacks(found, _KIND, name) and not _kept(found):
        yield _creation(found, name)
    elif claim is not None and _to_give_up(found, claim):
        yield _giving_up(claim)
    yield from companions.untold(found, _warnings(found))


def marks(found: Situation) -> tuple[str, ...]:
    """Return what acts have to carry: warnings that people had, a claim that is out of sight."""
    if not _ours(found):
        return ()
    return (*_warnings(found), *((_mark(found),) if _kept(found) else ()))


def because(found: Situation) -> tuple[str, ...]:
    """Say that a claim is there and out of sight, once, so that an act carries it."""
    if not _ours(found) or not _kept(found) or companions.noted(found, _mark(found)):
        return ()
    return (f"claim {storage_claim_name(found.cluster)} is there and has no owner",)


def _ours(found: Situation) -> bool:
    """Whether the cluster needs a claim and leaves it to us."""
    return embedded_storage(found.cluster) and not storage_of(found.cluster).claim_name


def _mark(found: Situation) -> str:
    return f"storage-kept/{storage_claim_name(found.cluster)}"


def _kept(found: Situation) -> bool:
    """Whether a claim without owner is known to be there; one that shows is not without owner."""
    name = storage_claim_name(found.cluster)
    claim = (_KIND, name)
    if companions.noted(found, _mark(found)):
        return claim not in found.state.children or claim in found.state.unsettled
    there = any(
        isinstance(outcome, Done | AlreadySo | Occupied)
        for outcome in companions.outcomes(found, _KIND, name)
    )
    return there and outlives(found.cluster)


def _creation(found: Situation, name: str) -> CreateObject:
    where = companions.place(found, name)
    return CreateObject(
        kind=_KIND,
        name=name,
        manifest=STORAGE_CLAIM,
        rule="storage",
        because="the head's store has no claim to keep its state on",
        notice=Notice(
            done=Words(reason="CreatedPVC", message=f"Created GCS storage PVC {where}"),
            refused=Words(
                reason="FailedToCreatePVC", message=f"Failed to create GCS storage PVC {where}, "
            ),
        ),
    )


def _to_give_up(found: Situation, claim: ChildSeen) -> bool:
    """Whether we are the claim's only owner, it shall outlive us, and nothing is under way."""
    settled = (_KIND, claim.meta.name) not in found.state.unsettled
    alone = len(claim.meta.owners) == 1
    return outlives(found.cluster) and settled and alone and claim.meta.deleted_at is None


def _giving_up(claim: ChildSeen) -> PatchObject:
    return PatchObject(
        kind=_KIND,
        name=claim.meta.name,
        uid=claim.meta.uid,
        resource_version=claim.meta.resource_version,
        patch={"metadata": {"ownerReferences": None}},
        rule="storage",
        because="the claim shall outlive the cluster",
    )


def _warnings(found: Situation) -> dict[str, PostNotice]:
    """Return what people have to know, by the mark that says that they do."""
    name = storage_claim_name(found.cluster)
    claim = found.state.children.get((_KIND, name))
    if claim is not None and claim.meta.deleted_at is None:
        drift = "; ".join(_drift(found, claim))
        told = (
            f"already exists and cannot be reconfigured in place ({drift}); "
            "delete the PVC to recreate it with the new settings"
        )
    else:
        drift = "no owner" if _kept(found) and not outlives(found.cluster) else ""
        told = "has no owner and stays when the cluster goes; delete it by hand"
    if not drift:
        return {}
    warning = PostNotice(
        warning=True,
        reason="FailedToCreatePVC",
        action="Update",
        message=f"GCS storage PVC {companions.place(found, name)} {told}",
        rule="storage",
        because=f"claim {name} differs from the wish: {drift}",
    )
    return {companions.mark(found, f"storage/{drift}"): warning}


def _drift(found: Situation, claim: ChildSeen) -> Iterator[str]:
    """Yield where a claim differs; a class that nobody asked for is no difference."""
    wanted = claim_spec(found.cluster)
    sizes = text_at(claim.spec, *_SIZE), text_at(wanted, *_SIZE)
    if _amount(sizes[0]) != _amount(sizes[1]):
        yield f"size is {sizes[0]}, not {sizes[1]}"
    modes = words_at(claim.spec, "accessModes"), words_at(wanted, "accessModes")
    if Counter(modes[0]) != Counter(modes[1]):
        yield f"access modes are {', '.join(modes[0])}, not {', '.join(modes[1])}"
    named = text_at(claim.spec, "storageClassName"), wanted.get("storageClassName")
    if named[1] is not None and named[0] != named[1]:
        yield f"storage class is {named[0] or 'none'}, not {named[1] or 'none'}"


def _amount(text: str) -> int | None:
    """Return a size as a number, so that 1Gi and 1024Mi are the same."""
    amount = parse_quantity(text)
    return amount.nanos if amount is not None else None
