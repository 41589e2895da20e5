"""Where objects stand on the API server."""

from shared.kube.kinds import KINDS, POD, RAYCLUSTER
from shared.kube.paths import collection, single, status
from shared.resources.observed import OBSERVED, OPTIONAL


def test_a_kind_is_found_in_one_namespace_or_in_all() -> None:
    assert collection(POD) == "/api/v1/pods"
    assert collection(RAYCLUSTER, "prod") == "/apis/ray.io/v1/namespaces/prod/rayclusters"


def test_an_object_and_its_status() -> None:
    assert single(POD, "prod", "head") == "/api/v1/namespaces/prod/pods/head"
    assert status(RAYCLUSTER, "prod", "demo") == (
        "/apis/ray.io/v1/namespaces/prod/rayclusters/demo/status"
    )


def test_no_name_leads_elsewhere() -> None:
    assert single(POD, "prod", "../secrets/x?y") == (
        "/api/v1/namespaces/prod/pods/..%2Fsecrets%2Fx%3Fy"
    )


def test_every_kind_is_known_by_our_word_for_it() -> None:
    assert sorted(KINDS) == sorted({*OBSERVED, *OPTIONAL, "event", "secret"})
