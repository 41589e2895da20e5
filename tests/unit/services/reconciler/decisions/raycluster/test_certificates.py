"""Mutual TLS: authority and certificates are made, kept in step with pods, and waited for."""

import pytest
from msgspec.structs import replace

from services.reconciler.decisions.raycluster import certificates
from shared.actions.objects import Action, CreateObject, DeleteObject, PatchObject, Words
from shared.aggregates.troubles import troubles
from shared.events.objects import ChildSeen, Observation, PodSeen
from shared.kernel.manifests import labels_of, mapping_at, value_at
from tests.support.builders import (
    HEAD_NAME,
    UID,
    cluster_spec,
    deleting,
    failed,
    group,
    head,
    resource,
    service,
    worker,
)
from tests.support.certificates import LATER, OPEN, authority, certificate
from tests.support.concerns import ConcernPlot
from tests.support.plot import Plot

SPEC = cluster_spec(group("small", 1), tlsOptions={"enabled": True})
SECRETS = [f"demo-ca-secret-{UID[:8]}", "ray-head-secret-demo", "ray-worker-secret-demo"]
MADE = [
    *(("secret", name) for name in SECRETS),
    ("issuer", "ray-selfsigned-issuer-demo"),
    ("certificate", "ray-ca-certificate-demo"),
    ("issuer", "ray-ca-issuer-demo"),
    ("certificate", "ray-head-cert-demo"),
    ("certificate", "ray-worker-cert-demo"),
]
WAITS = "mTLS secrets not ready: certificate ray-head-cert-demo"


def at(pod: PodSeen, address: str) -> PodSeen:
    return replace(pod, ip=address)


def told() -> ConcernPlot:
    return ConcernPlot(certificates.ensure, marks=certificates.marks, context=OPEN)


def whole(*seen: Observation) -> Plot:
    """A cluster whose Secrets are known, with all concerns."""
    plot = Plot(OPEN)
    plot.sees(resource(SPEC))
    first = plot.commits()
    plot.executes(first)
    plot.sees(service(version=LATER), *seen)
    return plot


def names(actions: tuple[Action, ...]) -> list[tuple[str, str]]:
    return [(one.kind, one.name) for one in actions if isinstance(one, CreateObject)]


def pods(actions: tuple[Action, ...]) -> list[str]:
    return [name for kind, name in names(actions) if kind == "pod"]


def test_everything_is_made_in_the_order_in_which_it_is_signed() -> None:
    plot = told()
    plot.sees(resource(SPEC))

    act = plot.commits()

    assert names(act.actions) == MADE
    assert value_at(act.manifests, "certificate/head", "spec", "ipAddresses") == ["127.0.0.1"]
    for action in act.actions:
        assert isinstance(action, CreateObject)
        assert action.may_be_there == (action.kind == "secret")


def test_nothing_is_made_while_the_gate_is_shut_or_nobody_asks() -> None:
    shut = ConcernPlot(certificates.ensure, marks=certificates.marks)
    shut.sees(resource(SPEC))
    unasked = told()
    unasked.sees(resource(cluster_spec(tlsOptions={"enabled": False})))

    assert shut.asks() == unasked.asks() == ()


def test_a_refusal_is_told_under_the_step_that_failed_and_success_is_not() -> None:
    plot = told()
    plot.sees(resource(SPEC))

    steps = [one.notice for one in plot.asks() if isinstance(one, CreateObject) and one.notice]

    assert {step.done for step in steps} == {Words(reason="", message="")}
    assert [(step.refused.reason, step.refused.message) for step in steps] == [
        ("MTLSFailedToReconcile", f"Failed to reconcile mTLS {step}: ")
        for step in (
            "self-signed issuer",
            "CA certificate",
            "CA issuer",
            "head certificate",
            "worker certificate",
        )
    ]


def test_what_is_there_is_not_made_again_and_secrets_are_remembered() -> None:
    plot = told()
    plot.sees(resource(SPEC))
    plot.executes(plot.commits())
    plot.sees(*authority(certificate("head"), certificate("worker")), at(head(), "10.0.0.1"))

    act = plot.commits()

    assert names(act.actions) == []
    assert act.noted == tuple(f"tls-secret/{name}" for name in SECRETS)


def test_certificates_follow_the_addresses_of_living_pods() -> None:
    """Checklist 109."""
    plot = whole(
        *authority(certificate("head"), certificate("worker", "10.0.0.9")),
        at(head(), "10.0.0.1"),
        at(worker("w1"), "10.0.0.2"),
        at(worker("w2"), ""),
        failed(at(worker("w3"), "10.0.0.3")),
        deleting(at(worker("w4"), "10.0.0.4")),
    )

    patches = [one for one in plot.asks() if isinstance(one, PatchObject)]

    assert [
        (one.name, value_at(one.patch, "spec", "ipAddresses"), one.resource_version)
        for one in patches
    ] == [
        ("ray-head-cert-demo", ["10.0.0.1", "127.0.0.1"], LATER),
        ("ray-worker-cert-demo", ["10.0.0.2", "127.0.0.1"], LATER),
    ]
    assert mapping_at(patches[0].patch, "spec")["isCA"] is None
    assert labels_of(patches[0].patch)["app.kubernetes.io/component"] == "head-certificate"
    assert patches[0].notice is not None
    assert patches[0].notice.done == Words(
        reason="MTLSCertificatesUpdated",
        message="Updated head certificate SANs (IPs: [10.0.0.1 127.0.0.1])",
    )


@pytest.mark.parametrize(
    ("seen", "why"),
    [
        ([], "not found"),
        ([certificate("head", ready=False)], "is not ready at current generation 1: being issued"),
        ([certificate("head", seen=0)], "is not ready at current generation 1"),
        ([replace(certificate("head"), status={})], "is not ready at current generation 1"),
    ],
)
def test_no_pod_is_made_before_the_certificates_are_issued(seen: list[ChildSeen], why: str) -> None:
    """Checklist 109: ready counts only at the current generation."""
    plot = whole(*authority(*seen, certificate("worker")))

    act = plot.decides()
    if act is not None:
        plot.acts(act)
        plot.executes(act)

    assert pods(act.actions if act else ()) == []
    assert [one.message for one in troubles(plot.view())] == [f"{WAITS} {why}"]
    assert plot.decides() is None


def test_pods_are_made_once_they_are_issued() -> None:
    plot = whole(*authority(certificate("head", ready=False), certificate("worker")))
    plot.executes(plot.commits())
    plot.sees(certificate("head"))

    act = plot.commits()

    assert pods(act.actions)[0] == HEAD_NAME
    assert len(pods(act.actions)) == 2
    assert act.troubles == ()


def test_a_certificate_whose_change_is_not_seen_yet_is_not_ready() -> None:
    plot = whole(*authority(certificate("head"), certificate("worker")), at(head(), "10.0.0.1"))
    act = plot.commits()
    assert pods(act.actions) != []
    plot.executes(act)
    plot.sees(at(head(version=30), "10.0.0.1"))

    assert pods(plot.asks()) == []


def test_what_must_go_goes_while_certificates_are_awaited() -> None:
    waiting = certificate("head", ready=False)
    plot = whole(*authority(waiting, certificate("worker")), head(), failed(worker("w1")))

    removed = [one.name for one in plot.asks() if isinstance(one, DeleteObject)]

    assert removed == ["w1"]


def test_nobody_is_told_of_certificates_that_no_pod_waits_for() -> None:
    """A certificate that is issued anew for a pod that came is no obstacle."""
    ended = certificate("worker", "10.0.0.2", ready=False)
    plot = whole(
        *authority(certificate("head", "10.0.0.1"), ended),
        at(head(), "10.0.0.1"),
        at(worker("w1"), "10.0.0.2"),
    )
    plot.commits()

    assert troubles(plot.view()) == ()
