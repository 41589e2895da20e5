"""Permissions, other operators, webhooks: what is said of whom else there is. Pure."""

from collections.abc import Iterator, Sequence

from heliograph.views.doctor.checks import Area, Check
from heliograph.views.doctor.facts import Cluster, Holder, Lacking, Unknown, Webhook

AREA = Area("permissions")
OTHERS = Area("neighbours")
TOLD_MAX = 6
_REVIEW = "subjectaccessreviews"


def permission_checks(cluster: Cluster) -> Iterator[Check]:
    """Judge the rights of every service's account, or of whoever asks."""
    if isinstance(cluster.holders, Unknown):
        yield AREA.unknown("rights", cluster.holders.why)
        return
    for holder in cluster.holders:
        yield from _holder(holder)


def _holder(holder: Holder) -> Iterator[Check]:
    who = ", ".join(holder.services)
    lacking = holder.lacking
    if isinstance(lacking, Unknown):
        yield AREA.unknown(
            who,
            lacking.why,
            f"ask as somebody who may create {_REVIEW}.authorization.k8s.io",
            f"or by hand: kubectl auth can-i --list --as={holder.account}",
        )
        return
    needed = [each for each in lacking if not each.only]
    called = _called(holder.account)
    if needed and holder.deployed:
        yield AREA.wrong(
            who,
            f"{called} may not {spoken(needed)}",
            "what needs it is refused and tried again and again",
            *(
                f"kubectl apply -f deploy/manifests/{one}/cluster-role.yaml"
                for one in holder.services
            ),
        )
    elif needed:
        yield AREA.warning(
            who,
            f"no account of theirs is deployed, and {called} may not {spoken(needed)}",
            "services that run with your kubeconfig are refused",
            "heliograph doctor --namespace NAME, if they are deployed elsewhere",
            "deploy/manifests has an account and a role for each service",
        )
    elif lacking:
        yield AREA.warning(
            who,
            f"{called} may not {_special(lacking)}",
            "that is needed there and nowhere else",
            "grant it if you use that; otherwise leave it",
        )
    else:
        yield AREA.well(who, f"all {holder.asked} rights are there ({called})")


def _called(account: str) -> str:
    """Return an account as people call it."""
    kind, _, name = account.rpartition("serviceaccount:")
    return f"account {name.replace(':', '/')}" if kind else account


def _special(lacking: Sequence[Lacking]) -> str:
    uses = dict.fromkeys(each.only for each in lacking)
    told = (f"{spoken([one for one in lacking if one.only == use])} ({use})" for use in uses)
    return "; ".join(told)


def spoken(lacking: Sequence[Lacking]) -> str:
    """Say rights in words, those of one resource together."""
    verbs: dict[tuple[str, str], list[str]] = {}
    for each in lacking:
        verbs.setdefault((each.resource, each.namespace), []).append(each.verb)
    told = [
        f"{'/'.join(asked)} {resource}{f' in {namespace}' if namespace else ''}"
        for (resource, namespace), asked in verbs.items()
    ]
    more = f" and {len(told) - TOLD_MAX} more" if len(told) > TOLD_MAX else ""
    return f"{', '.join(told[:TOLD_MAX])}{more}"


def neighbour_checks(cluster: Cluster, *, shadow: bool | None) -> Iterator[Check]:
    """Judge who else looks after the same resources, and who stands before the API server."""
    yield from _operators(cluster, shadow=shadow)
    if isinstance(cluster.webhooks, Unknown):
        yield OTHERS.unknown("webhooks", cluster.webhooks.why)
        return
    for webhook in cluster.webhooks:
        yield _webhook(webhook)


def _operators(cluster: Cluster, *, shadow: bool | None) -> Iterator[Check]:
    found = cluster.operators
    if isinstance(found, Unknown):
        yield OTHERS.unknown("other operators", found.why)
    elif not found and shadow:
        yield OTHERS.warning(
            "other operators",
            "none runs, and this installation only looks on",
            "nobody looks after Ray resources",
            "start KubeRay again, or this installation without --shadow, on a log of its own",
        )
    elif not found:
        yield OTHERS.well("other operators", "none was found")
    for each in () if isinstance(found, Unknown) else found:
        if shadow:
            yield OTHERS.well("other operators", f"{each.name} acts, and we look on")
            continue
        yield OTHERS.wrong(
            "other operators",
            f"{each.name} looks after the same resources ({each.evidence})",
            "both make and delete the same pods",
            f"stop one: kubectl scale deployment kuberay-operator -n {each.namespace} --replicas=0",
            "or run this one as a shadow: heliograph run all --shadow, on a log of its own",
        )


def _webhook(webhook: Webhook) -> Check:
    name = f"webhook {webhook.name}"
    if isinstance(webhook.ready, Unknown):
        return OTHERS.unknown(name, webhook.ready.why)
    if webhook.ready:
        return OTHERS.well(name, f"{webhook.target} answers for ray.io")
    tell = OTHERS.wrong if webhook.strict else OTHERS.warning
    then = (
        "every write of a Ray resource is refused, statuses and finalizers among them"
        if webhook.strict
        else "writes wait for its timeout and then pass unchecked"
    )
    return tell(
        name,
        f"nobody is ready behind {webhook.target}",
        then,
        "bring its pods up again, or delete its webhook configuration",
    )
