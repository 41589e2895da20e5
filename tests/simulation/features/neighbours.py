"""Other projects beside us: the kinds they bring, and controllers that do as they are asked.

Batch schedulers only look at what is theirs, an OpenShift router, too. cert-manager issues every
certificate as it stands, a moment after it was written. Redis is there, and can be cleaned up in.
"""

import asyncio
from collections.abc import Iterator, Mapping
from copy import deepcopy
from datetime import timedelta

from msgspec.structs import replace

from sandbox.controllers.scenario import ContainerExit, PodRule
from sandbox.errors import ApiError
from sandbox.objects import Object
from shared.kernel.instants import print_instant, read_instant
from shared.kernel.manifests import entries_at, integer_at, mapping_at, name_of, text_at
from shared.resources.labels import NODE_TYPE, REDIS_CLEANUP
from tests.simulation.features.jobs import SUBMITS, SUBMITS_BADLY, SUBMITS_NOTHING
from tests.simulation.features.settings import LOOSE, SILENT
from tests.simulation.kinds import PLURALS
from tests.simulation.nature import CRDS, NAMESPACE, Nature
from tests.support.definitions import OPEN

CERTIFICATES = "certificates.cert-manager.io"
LASTS = (timedelta(days=90), timedelta(hours=20), timedelta(days=90))
"""How long a certificate is valid."""
KINDS: tuple[tuple[str, str, str], ...] = (
    ("scheduling.volcano.sh", "v1beta1", "PodGroup"),
    ("scheduling.x-k8s.io", "v1alpha1", "PodGroup"),
    ("scheduling.k8s.io", "v1alpha2", "Workload"),
    ("scheduling.k8s.io", "v1alpha2", "PodGroup"),
    ("route.openshift.io", "v1", "Route"),
    ("cert-manager.io", "v1", "Issuer"),
    ("cert-manager.io", "v1", "Certificate"),
)
"""Group, version and kind of everything that they bring."""
SUBMITTERS = tuple(
    PodRule(labels={SUBMITS: how}, exits=(ContainerExit(after=0.3, exit_code=code),))
    for how, code in ((SUBMITS_NOTHING, 0), (SUBMITS_BADLY, 1))
)
CLEANED = PodRule(labels={NODE_TYPE: REDIS_CLEANUP}, exits=(ContainerExit(after=0.3, exit_code=0),))


def definitions() -> Iterator[Object]:
    """Yield definitions that take anything, as other projects' are to us."""
    shape = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    served = {"served": True, "storage": True, "schema": {"openAPIV3Schema": shape}}
    for group, version, kind in KINDS:
        plural = f"{kind.lower()}s"
        note = {"api-approved.kubernetes.io": "unapproved, for tests"}
        yield {
            "metadata": {"name": f"{plural}.{group}", "annotations": note},
            "spec": {
                "group": group,
                "names": {"kind": kind, "plural": plural},
                "scope": "Namespaced",
                "versions": [{**served, "name": version, "subresources": {"status": {}}}],
            },
        }


def furnish(nature: Nature, turn: int) -> None:
    """Bring other projects' kinds; Redis is cleaned up in, or never answers.

    In some worlds our own definitions are those of a day when nothing was checked by them.
    """
    for definition in definitions():
        nature.cluster.create(CRDS, definition)
    cleaned = (CLEANED,) if turn % SILENT else ()
    rules = (*SUBMITTERS, *cleaned, *nature.scenario.rules)
    nature.scenario = replace(nature.scenario, rules=rules)
    nature.cluster.scenario = nature.scenario
    if turn % LOOSE == 0:
        for plural in PLURALS.values():
            _loosen(nature, plural)


def _loosen(nature: Nature, plural: str) -> None:
    """Let the API server take any spec."""
    found = deepcopy(nature.cluster.get(CRDS, "", plural))
    for version in found["spec"]["versions"]:
        version["schema"]["openAPIV3Schema"]["properties"]["spec"] = OPEN
    nature.cluster.update(CRDS, found)


async def issue(nature: Nature, turn: int) -> None:
    """Be cert-manager until cancelled; in some worlds certificates do not last."""
    lasts = LASTS[turn % len(LASTS)]
    changed = asyncio.Event()
    nature.cluster.state.store.listen(changed.set)
    while True:
        await changed.wait()
        await asyncio.sleep(nature.reaction)
        changed.clear()
        for certificate in nature.objects(CERTIFICATES):
            _issue(nature, certificate, lasts)


def _issue(nature: Nature, certificate: Object, lasts: timedelta) -> None:
    done = _issued(certificate)
    if list(entries_at(certificate, "status", "conditions")) == [done]:
        return
    begun = read_instant(text_at(certificate, "metadata", "creationTimestamp"))
    told = {"conditions": [done], "notAfter": print_instant(begun + lasts) if begun else None}
    status: Mapping[str, object] = {**mapping_at(certificate, "status"), **told}
    try:
        nature.cluster.patch(
            CERTIFICATES, NAMESPACE, name_of(certificate), {"status": status}, subresource="status"
        )
    except ApiError:
        return  # gone meanwhile


def _issued(certificate: Object) -> dict[str, object]:
    generation = integer_at(certificate, "metadata", "generation")
    return {"type": "Ready", "status": "True", "observedGeneration": generation}
