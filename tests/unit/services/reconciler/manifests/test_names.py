"""Names: within limits, derived and not drawn, distinct where they must be."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.reconciler.manifests import names
from tests.support.rayclusters import UID, cluster, head

LETTERS = set("bcdfghjklmnpqrstvwxz2456789")


def test_the_head_has_one_name_as_long_as_its_cluster_lives() -> None:
    one = names.head_pod_name("demo", UID)

    assert one == names.head_pod_name("demo", UID) == "demo-head-6bzbl"
    assert one != names.head_pod_name("demo", "another uid")


def test_a_fixed_name_of_the_head_has_no_suffix() -> None:
    """Checklist 28."""
    assert names.head_pod_name_fixed("Demo") == "demo-head"


@given(st.text("abc-D", min_size=1, max_size=80), st.text("xyz-Q", min_size=1, max_size=80))
def test_pod_names_keep_the_limits_of_host_names(cluster_name: str, group: str) -> None:
    """Checklist 27."""
    head_name = names.head_pod_name(cluster_name, UID)
    worker_name = names.worker_pod_name(cluster_name, group, UID, slot=1, fence=2)

    for name, middle in ((head_name, "-head-"), (worker_name, "-worker-")):
        assert len(name) <= 63
        assert name == name.lower()
        assert middle in name
        assert set(name[-5:]) <= LETTERS


def test_replicas_have_names_of_their_own_that_fit_into_a_label() -> None:
    made = [names.replica_name("tpu", UID, slot=slot, fence=7) for slot in range(100)]

    assert len(set(made)) == 100
    assert all(name.startswith("tpu-") and set(name[4:]) <= LETTERS for name in made)
    assert len(names.replica_name("g" * 63, UID, slot=0, fence=1)) == 63
    assert names.replica_name("tpu", UID, slot=0, fence=8) not in made


def test_long_prefixes_lose_their_end() -> None:
    """Checklist 27."""
    assert names.head_prefix("a" * 60) == "a" * 50 + "-head-"
    assert names.worker_prefix("a" * 45, "small-group") == "a" * 45 + "-smal" + "-worker-"


def test_workers_of_one_decision_never_share_a_name() -> None:
    made = {names.worker_pod_name("demo", "small", UID, slot, 7) for slot in range(20_000)}

    assert len(made) == 20_000


def test_a_later_decision_gives_another_name() -> None:
    before = names.worker_pod_name("demo", "small", UID, slot=0, fence=7)

    assert before == names.worker_pod_name("demo", "small", UID, slot=0, fence=7)
    assert before != names.worker_pod_name("demo", "small", UID, slot=0, fence=8)
    assert before != names.worker_pod_name("demo", "large", UID, slot=0, fence=7)


@pytest.mark.parametrize(
    ("name", "checked"),
    [
        ("demo", "demo"),
        ("a" * 50, "a" * 50),
        ("x" + "a" * 50, "a" * 50),
        ("x-" + "a" * 49, "r" + "a" * 49),
        ("7up", "rup"),
        ("", ""),
    ],
)
def test_other_names_lose_their_start(name: str, checked: str) -> None:
    """Checklist 29."""
    assert names.check_name(name) == checked


@pytest.mark.parametrize(
    ("value", "checked"),
    [("7up", "7up"), ("x." + "a" * 62, "r" + "a" * 62), ("b" * 64, "b" * 63)],
)
def test_label_values_may_begin_with_a_digit(value: str, checked: str) -> None:
    assert names.check_label(value) == checked


def test_the_head_is_found_under_its_service() -> None:
    """Checklist 31, 33."""
    given_name = {"metadata": {"name": "mine"}}

    assert names.head_fqdn(cluster(), "cluster.local") == "demo-head-svc.lab.svc.cluster.local"
    named = cluster(headGroupSpec=head(headService=given_name))
    assert names.head_fqdn(named, "corp") == "mine.lab.svc.corp"
