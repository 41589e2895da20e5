"""Subjects: every place has one, every one leads back, and no name can say more than itself."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.events import subjects
from shared.events.subjects import Place, decode_token, encode_token, partition, place_of
from shared.kernel.keys import ResourceKey
from tests.support.builders import KEY

NAMES = st.text(st.characters(codec="utf-8"), max_size=30)
KEYS = st.builds(ResourceKey, kind=NAMES, namespace=NAMES, name=NAMES)


@given(NAMES)
def test_a_token_leads_back_to_its_name(name: str) -> None:
    assert decode_token(encode_token(name)) == name


@given(NAMES)
def test_a_token_is_never_empty_and_holds_nothing_that_means_something_to_the_server(
    name: str,
) -> None:
    token = encode_token(name)

    assert token
    assert not set(token) & set(".*> \t\r\n\0")
    assert token.isascii()


@given(NAMES, NAMES)
def test_two_names_never_share_a_token(one: str, other: str) -> None:
    assert (encode_token(one) == encode_token(other)) == (one == other)


@pytest.mark.parametrize(
    ("name", "token"),
    [
        ("demo-1", "demo-1"),
        ("Demo", "Demo"),
        ("my.ray.cluster", "my_ray_cluster"),
        ("a_b", "a=5Fb"),
        ("a=b", "a=3Db"),
        ("*", "=2A"),
        (">", "=3E"),
        ("é", "=C3=A9"),
        ("", "=-"),
    ],
)
def test_tokens_are_spelled_as_ever(name: str, token: str) -> None:
    assert encode_token(name) == token


@pytest.mark.parametrize(
    ("text", "digest"),
    [((), 0x811C9DC5), (("a",), 0xE40C292C), (("foobar",), 0xBF9CF968)],
)
def test_the_partition_is_the_fnv_1a_hash_that_everybody_knows(
    text: tuple[str, ...], digest: int
) -> None:
    assert partition(*text) == digest % 64


def test_the_partition_hashes_its_tokens_as_one_run_of_bytes_like_the_server() -> None:
    assert partition("foo", "bar") == partition("foobar") == 40


@pytest.mark.parametrize(
    ("key", "path"),
    [
        (KEY, "41.raycluster.prod.demo"),
        (ResourceKey("raycluster", "default", "a.b"), "42.raycluster.default.a_b"),
        (ResourceKey("rayjob", "prod", "demo"), "48.rayjob.prod.demo"),
    ],
)
def test_a_resource_stays_in_its_partition_for_the_life_of_the_log(
    key: ResourceKey, path: str
) -> None:
    assert subjects.path_of(key) == path
    assert subjects.partition_of(key) == int(path.partition(".")[0])


@given(KEYS)
def test_every_partition_is_one_of_sixty_four(key: ResourceKey) -> None:
    assert 0 <= subjects.partition_of(key) < subjects.PARTITIONS


@given(KEYS, NAMES, NAMES)
def test_every_subject_of_a_resource_leads_back_to_its_place(
    key: ResourceKey, one: str, other: str
) -> None:
    written = (
        subjects.own(key),
        subjects.observed(key, one, other),
        subjects.act(key),
        subjects.res(key),
        subjects.status(key),
        subjects.fired(key, one),
    )

    assert [place_of(subject) for subject in written] == [
        Place(key, "obs", (key.kind, key.name)),
        Place(key, "obs", (one, other)),
        Place(key, "act"),
        Place(key, "res"),
        Place(key, "status"),
        Place(key, "fire", (one,)),
    ]


@given(KEYS, NAMES, NAMES)
def test_no_name_changes_how_many_tokens_a_subject_has(
    key: ResourceKey, one: str, other: str
) -> None:
    lengths = {
        subjects.act(key): 6,
        subjects.observed(key, one, other): 8,
        subjects.fired(key, one): 7,
        subjects.timer(key, one): 6,
        subjects.timer_target(key, one): 6,
        subjects.sync(one): 3,
    }

    assert {subject: len(subject.split(".")) for subject in lengths} == lengths


@given(KEYS)
def test_only_filters_hold_wildcards(key: ResourceKey) -> None:
    assert subjects.everything_of(key).count(">") == 1
    assert not set(subjects.own(key)) & {"*", ">"}


def test_filters_are_spelled_as_the_server_wants_them() -> None:
    assert subjects.everything_of(KEY) == "ray.41.raycluster.prod.demo.>"
    assert subjects.everything_in(7) == "ray.7.>"
    assert subjects.observed_everywhere("pod") == "ray.*.*.*.*.obs.pod.*"


def test_timers_live_in_a_stream_of_their_own_under_the_same_path() -> None:
    assert subjects.timer(KEY, "wake") == "timer.41.raycluster.prod.demo.wake"
    assert subjects.timer_target(KEY, "wake") == "fire.41.raycluster.prod.demo.wake"


@pytest.mark.parametrize(
    "subject",
    [
        subjects.sync("pod"),
        subjects.settings("abc"),
        subjects.timer(KEY, "wake"),
        subjects.timer_target(KEY, "wake"),
        "",
        "ray",
        "other.41.raycluster.prod.demo.act",
        "ray.41.raycluster.prod.demo",
    ],
)
def test_what_belongs_to_no_resource_has_no_place(subject: str) -> None:
    assert place_of(subject) is None


def test_a_subject_with_a_broken_token_is_nobodys() -> None:
    assert place_of("ray.1.raycluster.ns.a=ZZ.act") is None
