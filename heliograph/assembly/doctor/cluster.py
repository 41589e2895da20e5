"""What Kubernetes tells: version, definitions, rights, other operators, webhooks."""

import asyncio
import re
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta

from heliograph.assembly.doctor.asking import told
from heliograph.views.doctor import facts
from heliograph.views.doctor.cluster import compared
from heliograph.views.doctor.facts import Cluster, Holder, Lacking, Operator, Unknown, Webhook
from shared.kernel.instants import read_instant
from shared.kernel.manifests import (
    Raw,
    entries_at,
    integer_at,
    mapping_at,
    name_of,
    namespace_of,
    text_at,
    values_at,
)
from shared.kube import inspection
from shared.kube.inspection import DEPLOYMENT, LEASE, MUTATING, SLICE, VALIDATING
from shared.kube.rights import RULES, Right, rights_of
from shared.kube.session import Session
from shared.resources.crd import definitions
from shared.resources.resource import GROUP

AT_ONCE = 16
LEADER = "ray-operator-leader"
"""The lease of KubeRay's leader."""
FRESH = timedelta(seconds=60)
YOU = "you"
_KUBERAY = re.compile(r"kuberay[/-]operator")


class ClusterDoctor:
    """Asks one API server, as patiently as it was told to."""

    def __init__(
        self, session: Session, namespace: str, watched: Sequence[str], seconds: float
    ) -> None:
        self._session = session
        self._namespace = namespace
        self._watched = tuple(watched) or ("",)
        self._seconds = seconds
        self._turns = asyncio.Semaphore(AT_ONCE)

    async def whole(self, now: datetime) -> Cluster:
        """Ask everything, side by side; nothing more where nobody answers."""
        version = await told(inspection.version(self._session), self._seconds)
        if isinstance(version, Unknown):
            return Cluster(where=self._session.host, version=version)
        ours = {name_of(one): one for one in definitions()}
        found, holders, operators, webhooks, deployments = await asyncio.gather(
            asyncio.gather(*(told(self._definition(*one), self._seconds) for one in ours.items())),
            told(self._holders(), self._seconds),
            told(self._operators(now), self._seconds),
            told(self._webhooks(), self._seconds),
            told(self._deployments(), self._seconds),
        )
        return Cluster(
            where=self._session.host,
            version=version,
            definitions=dict(zip(ours, found, strict=True)),
            holders=holders,
            operators=operators,
            webhooks=webhooks,
            deployments=deployments,
        )

    async def _definition(self, name: str, ours: Raw) -> facts.Definition:
        theirs = await inspection.definition(self._session, name)
        if theirs is None:
            return facts.Definition(name=name, there=False)
        return compared(name, ours, theirs)

    async def _holders(self) -> tuple[Holder, ...]:
        """Ask about the deployed accounts; where there are none, about whoever asks."""
        names = {service: f"heliograph-{service}" for service in RULES}
        there = {
            service: await inspection.account_exists(self._session, self._namespace, name)
            for service, name in names.items()
        }
        found = [
            await self._holder((service,), inspection.account_user(self._namespace, names[service]))
            for service, exists in there.items()
            if exists
        ]
        without = tuple(service for service, exists in there.items() if not exists)
        return (*found, await self._holder(without, "")) if without else tuple(found)

    async def _holder(self, services: tuple[str, ...], account: str) -> Holder:
        asked = [
            (right, namespace)
            for right in dict.fromkeys(one for each in services for one in rights_of(each))
            for namespace in self._watched
        ]
        lacking = await told(self._lacking(asked, account), self._seconds)
        return Holder(
            services=services,
            account=account or YOU,
            deployed=bool(account),
            asked=len(asked),
            lacking=lacking,
        )

    async def _lacking(
        self, asked: Sequence[tuple[Right, str]], account: str
    ) -> tuple[Lacking, ...]:
        has = await asyncio.gather(*(self._allowed(*one, account) for one in asked))
        return tuple(
            Lacking(
                verb=right.verb,
                resource=f"{right.resource}.{right.group}" if right.group else right.resource,
                namespace=namespace,
                only=right.only,
            )
            for (right, namespace), allowed in zip(asked, has, strict=True)
            if not allowed
        )

    async def _allowed(self, right: Right, namespace: str, account: str) -> bool:
        async with self._turns:
            return await inspection.allowed(self._session, right, namespace, account)

    async def _operators(self, now: datetime) -> tuple[Operator, ...]:
        leases = await inspection.listed(self._session, LEASE, fields=f"metadata.name={LEADER}")
        found = {name: evidence for one in leases for name, evidence in _leading(one, now)}
        for one in await inspection.listed(self._session, DEPLOYMENT):
            images = " ".join(_images(one))
            if _KUBERAY.search(images) and integer_at(one, "status", "readyReplicas"):
                found.setdefault(namespace_of(one), f"deployment {name_of(one)} runs {images}")
        return tuple(
            Operator(name="KubeRay", namespace=where, evidence=evidence)
            for where, evidence in sorted(found.items())
        )

    async def _deployments(self) -> tuple[facts.Deployment, ...]:
        labels = "app.kubernetes.io/part-of=heliograph"
        found = await inspection.listed(
            self._session, DEPLOYMENT, namespace=self._namespace, labels=labels
        )
        return tuple(
            facts.Deployment(
                name=f"{self._namespace}/{name_of(one)}",
                wanted=integer_at(one, "spec", "replicas") or 0,
                available=integer_at(one, "status", "availableReplicas") or 0,
            )
            for one in found
        )

    async def _webhooks(self) -> tuple[Webhook, ...]:
        found = [
            (name_of(one), hook)
            for kind in (VALIDATING, MUTATING)
            for one in await inspection.listed(self._session, kind)
            for hook in entries_at(one, "webhooks")
            if _concerns_us(hook)
        ]
        return tuple([await self._webhook(name, hook) for name, hook in found])

    async def _webhook(self, name: str, hook: Raw) -> Webhook:
        service = mapping_at(hook, "clientConfig", "service")
        strict = hook.get("failurePolicy", "Fail") == "Fail"
        if not service:
            target = text_at(hook, "clientConfig", "url") or "an unknown place"
            unasked = Unknown(f"{target} is outside of Kubernetes")
            return Webhook(name=name, target=target, strict=strict, ready=unasked)
        where, what = text_at(service, "namespace"), text_at(service, "name")
        ready = await told(self._answers(where, what), self._seconds)
        return Webhook(name=name, target=f"service {where}/{what}", strict=strict, ready=ready)

    async def _answers(self, namespace: str, service: str) -> bool:
        labels = f"kubernetes.io/service-name={service}"
        slices = await inspection.listed(self._session, SLICE, namespace=namespace, labels=labels)
        return any(
            mapping_at(each, "conditions").get("ready") is not False
            for one in slices
            for each in entries_at(one, "endpoints")
        )


def _leading(lease: Raw, now: datetime) -> Iterator[tuple[str, str]]:
    """Yield where KubeRay leads, if its leader was heard of lately."""
    renewed = read_instant(text_at(lease, "spec", "renewTime"))
    holder = text_at(lease, "spec", "holderIdentity")
    if holder and renewed and now - renewed <= FRESH:
        yield namespace_of(lease), f"lease {LEADER} is held by {holder}"


def _images(deployment: Raw) -> Iterator[str]:
    for one in entries_at(deployment, "spec", "template", "spec", "containers"):
        yield text_at(one, "image")


def _concerns_us(hook: Raw) -> bool:
    return any(GROUP in values_at(rule, "apiGroups") for rule in entries_at(hook, "rules"))
