"""What people are told about certificates, once each."""

import pytest

from services.reconciler.decisions.raycluster import certificate_news
from shared.actions.objects import Action, CreateObject, PostNotice
from shared.actions.outcomes import Done, Refused
from shared.events.decisions import Decided
from tests.support.builders import Raw, cluster_spec, group, resource, suspended, with_status
from tests.support.certificates import OPEN, authority, certificate, ending
from tests.support.concerns import ConcernPlot
from tests.support.plot import Plot

SPEC = cluster_spec(group("small", 1), tlsOptions={"enabled": True})
ISSUED = authority(certificate("head"), certificate("worker"))
WAITING = authority(certificate("head", ready=False), certificate("worker"))
READY = ("MTLSPKIReady", "mTLS PKI is ready: CA, head, and worker certificates issued")
UNREADY = ("MTLSCertsNotReady", "Waiting for cert-manager to issue mTLS certificates")
MISSING = (
    "InvalidRayClusterSpec",
    (
        "The RayCluster spec is invalid prod/demo: tlsOptions requires cert-manager, but "
        "cert-manager is not installed"
    ),
)
NOT_SERVED = Refused(code=404, reason="NotFound", message="the server has no such kind")


def told() -> ConcernPlot:
    return ConcernPlot(certificate_news.tell, marks=certificate_news.marks, context=OPEN)


def notices(actions: tuple[Action, ...]) -> list[tuple[str, str]]:
    return [(one.reason, one.message) for one in actions if isinstance(one, PostNotice)]


def test_that_they_are_waited_for_and_that_they_are_issued_is_told_once_each() -> None:
    plot = told()
    plot.sees(resource(SPEC), *WAITING)
    first = plot.commits()
    plot.executes(first)
    plot.sees(*ISSUED)
    second = plot.commits()
    plot.executes(second)
    plot.sees(*WAITING)

    assert [notices(act.actions) for act in (first, second)] == [[UNREADY], [READY]]
    assert plot.decides() is None


def test_a_new_generation_is_told_again() -> None:
    plot = told()
    plot.sees(resource(SPEC), *ISSUED)
    plot.executes(plot.commits())
    plot.sees(resource(SPEC, generation=2, version=2))

    assert notices(plot.asks()) == [READY]


@pytest.mark.parametrize(
    ("spec", "status"),
    [(cluster_spec(), {}), ({**SPEC, "suspend": True}, {}), (SPEC, suspended(1))],
)
def test_nobody_is_told_of_what_nobody_waits_for(spec: Raw, status: Raw) -> None:
    plot = told()
    plot.sees(with_status(resource(spec), status), *WAITING)

    assert plot.asks() == ()


def refuses_issuers(plot: Plot, act: Decided) -> None:
    """Kubernetes answers that it knows no issuers; the rest is done."""
    unknown = ("issuer", "certificate")
    plot.answers(
        act,
        *(
            NOT_SERVED if isinstance(one, CreateObject) and one.kind in unknown else Done()
            for one in act.actions
        ),
    )


def test_without_cert_manager_people_are_told_so_and_no_pod_is_made() -> None:
    """Checklist 17."""
    plot = Plot(OPEN)
    plot.sees(resource(SPEC))
    refuses_issuers(plot, plot.commits())

    act = plot.commits()

    assert MISSING in notices(act.actions)
    assert not any(isinstance(one, CreateObject) and one.kind == "pod" for one in act.actions)
    refuses_issuers(plot, act)
    plot.fires(act, "retry")
    again = plot.commits()
    assert MISSING not in notices(again.actions)
    assert "issuer" in {one.kind for one in again.actions if isinstance(one, CreateObject)}


def test_one_that_ends_within_a_day_is_told_when_its_time_comes() -> None:
    plot = Plot(OPEN)
    ends = ending(certificate("worker"), "2030-01-03T00:00:00Z")
    plot.sees(resource(SPEC), *authority(certificate("head"), ends))
    act = plot.commits()
    plot.executes(act)

    assert "expires" not in str(notices(act.actions))
    plot.fires(act, "certificates")
    plot.passes(3600)
    plot.sees(resource(SPEC, version=3))
    late = plot.commits()

    assert notices(late.actions) == [
        (
            "MTLSCertificateExpiringSoon",
            (
                "TLS certificate ray-worker-cert-demo expires in 23.0 hours; Ray does not "
                "hot-reload certs so a pod restart will be needed after renewal"
            ),
        )
    ]
    plot.executes(late)
    assert "expires" not in str(notices(plot.asks()))


def test_a_moment_that_is_none_sets_no_timer() -> None:
    plot = Plot(OPEN)
    odd = ending(certificate("worker"), "soon")
    plot.sees(resource(SPEC), *authority(certificate("head"), odd))

    assert "certificates" not in {timer.name for timer in plot.commits().timers}
