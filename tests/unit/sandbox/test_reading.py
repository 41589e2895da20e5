"""Get and list: order, selection, pages of one revision."""

import pytest

from sandbox.cluster import Cluster
from sandbox.errors import ApiError
from sandbox.objects import Object
from tests.unit.sandbox.widgets import cluster, configmap, pod


def with_configmaps(names: str, history_max: int = 1000) -> Cluster:
    ours = cluster(history_max=history_max)
    for name in names:
        ours.create("configmaps", configmap(name, labels={"first": str(name == "a").lower()}))
    return ours


def names(items: tuple[Object, ...]) -> str:
    return "".join(each["metadata"]["name"] for each in items)


def test_lists_in_the_order_of_names() -> None:
    assert names(with_configmaps("cab").list("configmaps").items) == "abc"


def test_lists_one_namespace_or_all() -> None:
    ours = with_configmaps("a")

    assert names(ours.list("configmaps", "kube-system").items) == ""
    assert names(ours.list("configmaps").items) == "a"


def test_selects_by_label_and_by_field() -> None:
    ours = with_configmaps("abc")

    assert names(ours.list("configmaps", labels="first=true").items) == "a"
    assert names(ours.list("configmaps", fields="metadata.name=b").items) == "b"


def test_selects_pods_by_phase() -> None:
    ours = cluster()
    ours.create("pods", pod("p"))

    assert names(ours.list("pods", fields="status.phase=Pending").items) == "p"
    assert names(ours.list("pods", fields="status.phase=Running").items) == ""


def test_pages_show_one_revision_whatever_is_written_between() -> None:
    ours = with_configmaps("abcd")
    first = ours.list("configmaps", limit=2)
    ours.delete("configmaps", "default", "c")
    ours.create("configmaps", configmap("e"))

    second = ours.list("configmaps", limit=2, continue_=first.continue_)

    assert (names(first.items), names(second.items)) == ("ab", "cd")
    assert (first.revision, second.continue_) == (second.revision, "")


def test_refuses_a_page_of_a_forgotten_revision() -> None:
    ours = with_configmaps("ab", history_max=1)
    first = ours.list("configmaps", limit=1)
    for name in "cde":
        ours.create("configmaps", configmap(name))

    with pytest.raises(ApiError) as error:
        ours.list("configmaps", continue_=first.continue_)
    assert (error.value.code, error.value.reason) == (410, "Expired")
    with pytest.raises(ApiError, match="for the provided list is too old"):
        ours.list("configmaps", revision=first.revision, revision_match="Exact")


def test_refuses_tokens_and_revisions_that_make_no_sense() -> None:
    ours = cluster()

    with pytest.raises(ApiError, match="continue key is not valid"):
        ours.list("configmaps", continue_="%%%")
    with pytest.raises(ApiError, match="Too large resource version: 9999"):
        ours.list("configmaps", revision="9999")
    with pytest.raises(ApiError, match="invalid resource version"):
        ours.list("configmaps", revision="soon")


def test_shows_an_exact_past_when_asked() -> None:
    ours = with_configmaps("a")
    past = ours.list("configmaps").revision
    ours.create("configmaps", configmap("b"))

    exact = ours.list("configmaps", revision=past, revision_match="Exact")

    assert (names(exact.items), exact.revision) == ("a", past)


def test_says_that_a_kind_is_not_served() -> None:
    with pytest.raises(ApiError, match="could not find the requested resource"):
        cluster().list("gadgets")


def test_goes_on_with_what_is_there_now_when_a_late_comer_asks_for_it() -> None:
    ours = with_configmaps("ab", history_max=1)
    first = ours.list("configmaps", limit=1)
    for name in "cde":
        ours.create("configmaps", configmap(name))
    with pytest.raises(ApiError) as error:
        ours.list("configmaps", continue_=first.continue_)

    rest = ours.list("configmaps", continue_=error.value.status["metadata"]["continue"])

    assert (names(first.items), names(rest.items)) == ("a", "bcde")
