"""Redaction: what becomes a stand-in, what stays, and that equal values stay equal."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from heliograph.views.redaction import STAND_IN, Redactor, redacted

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(("env", "name", "value", "token", "x")), inner)
    ),
    max_leaves=20,
)


def env(*pairs: tuple[str, str]) -> dict[str, object]:
    return {"env": [{"name": name, "value": value} for name, value in pairs]}


def test_literals_of_an_environment_become_stand_ins_and_references_stay() -> None:
    reference = {"name": "B", "valueFrom": {"secretKeyRef": {"name": "s", "key": "password"}}}
    before = {"env": [{"name": "A", "value": "one"}, reference, {"name": "C", "value": ""}]}

    assert redacted(before) == {
        "env": [{"name": "A", "value": "redacted-1"}, reference, {"name": "C", "value": ""}]
    }


def test_equal_values_get_equal_stand_ins_and_others_do_not() -> None:
    assert redacted(env(("A", "one"), ("B", "two"), ("C", "one"))) == env(
        ("A", "redacted-1"), ("B", "redacted-2"), ("C", "redacted-1")
    )


@pytest.mark.parametrize(
    "around",
    [
        {"redisPassword": {"value": "hunter2"}},
        {"rayStartParams": {"redis-password": "hunter2"}},
        {"annotations": {"team.org/api-key": "hunter2"}},
        {"labels": {"token": "hunter2"}},
        {"kind": "Secret", "data": {"anything": "hunter2"}},
        {"kind": "Secret", "stringData": {"anything": "hunter2"}},
        {"httpHeaders": [{"name": "Authorization", "value": "hunter2"}]},
        {"env_vars": {"DB": "hunter2"}},
        {"args": ["--verbose", "--api-key", "hunter2"], "command": ["serve", "--token", "hunter2"]},
        {"applications": [{"args": {"api_keys": ["hunter2"], "password": "hunter2"}}]},
        {"default_container_envs": [{"name": "A", "value": "hunter2"}]},
    ],
)
def test_values_under_names_that_promise_a_secret_go(around: dict[str, object]) -> None:
    assert "hunter2" not in str(redacted(around))


@pytest.mark.parametrize(
    "harmless",
    [
        {"volumes": [{"secret": {"secretName": "certificates"}}]},
        {"secretKeyRef": {"name": "redis", "key": "password"}},
        {"automountServiceAccountToken": True},
        {"serviceAccountToken": {"path": "token", "expirationSeconds": 3600}},
        {"authOptions": {"mode": "token", "secretName": "mine"}},
        {"because": "it is asked", "secret": "train-auth", "job_id": "a"},
        {"secret_keys": ["auth_token"]},
        {"args": ["--token-file", "/run/t", "--token", "--verbose", "now"]},
        {"args": {"max_tokens": 512, "tokenizer": "fast"}},
        {"message": "the token is not valid, basic authentication was refused"},
        {"image": "ray@sha256:0f0e0d0c0b0a09080706050403020100"},
    ],
)
def test_what_only_names_a_secret_stays(harmless: dict[str, object]) -> None:
    assert redacted(harmless) == harmless


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("run FOO_TOKEN=abc now", "run FOO_TOKEN=redacted-1 now"),
        ("env: FOO_TOKEN=abc", "env: FOO_TOKEN=redacted-1"),
        ("x --password 'my pw' y", "x --password 'redacted-1' y"),
        ("x --api-key=k1", "x --api-key=redacted-1"),
        ("x --token-file /run/t", "x --token-file /run/t"),
        ("redis://me:pw@host:6379", "redis://me:redacted-1@host:6379"),
        ("Authorization: Bearer abcdefg", "Authorization: Bearer redacted-1"),
        ("got Basic dXNlcjpwdw==", "got Basic redacted-1"),
        ("key AKIAABCDEFGHIJKLMNOP here", "key redacted-1 here"),
        ('set {"password":"p"} so', 'set {"password":"redacted-1"} so'),
        (
            r'--runtime-env-json "{\"env_vars\":{\"DB\":\"abc\"}}" -- go',
            r'--runtime-env-json "{\"env_vars\":{\"DB\":\"redacted-1\"}}" -- go',
        ),
        ("secret: redacted-7", "secret: redacted-7"),
    ],
)
def test_secrets_in_texts(text: str, told: str) -> None:
    assert redacted(text) == told


def test_a_secret_is_found_again_where_nothing_gives_it_away() -> None:
    before = {**env(("DB", "value-4711")), "message": "cannot log in with value-4711"}

    assert redacted(before) == {
        **env(("DB", "redacted-1")),
        "message": "cannot log in with redacted-1",
    }


def test_an_ordinary_value_takes_no_other_field_with_it() -> None:
    before = {**env(("STATE", "Running")), "phase": "Running", "message": "it is Running"}

    assert redacted(before) == {
        **env(("STATE", "redacted-1")),
        "phase": "Running",
        "message": "it is Running",
    }


def test_names_are_never_touched() -> None:
    before = {"name": "demo-cluster", "password": "demo-cluster"}

    assert redacted(before) == {"name": "demo-cluster", "password": "redacted-1"}


def test_yaml_in_a_text_is_redacted_and_loses_its_comments() -> None:
    text = "# hunter2-hunter2\nenv_vars: {A: hunter2-hunter2}\npip: [torch]\n"

    told = redacted({"runtimeEnvYAML": text})

    assert told == {"runtimeEnvYAML": '{"env_vars": {"A": "redacted-1"}, "pip": ["torch"]}'}


def test_yaml_without_secrets_stays_as_it_was_written() -> None:
    harmless = {"serveConfigV2": "# ours\napplications:\n- name: a\n"}

    assert redacted(harmless) == harmless


def test_yaml_that_cannot_be_read_goes_as_a_whole() -> None:
    assert redacted({"runtimeEnvYAML": "env_vars: {A: hunter2"}) == {"runtimeEnvYAML": "redacted-1"}


def test_one_redactor_stays_with_what_it_said() -> None:
    redactor = Redactor()
    first = redactor.redacted(env(("A", "one")))

    assert redactor.redacted(env(("B", "two"), ("C", "one"))) == env(
        ("B", "redacted-2"), ("C", "redacted-1")
    )
    assert first == env(("A", "redacted-1"))
    assert redactor.counts == {"environment values": 2}


@given(JSON)
def test_redacting_twice_is_redacting_once(value: object) -> None:
    once = redacted(value)

    assert redacted(once) == once


@given(st.text(min_size=1, max_size=30).filter(lambda text: not STAND_IN.fullmatch(text)))
def test_no_literal_of_an_environment_survives(value: str) -> None:
    assert redacted(env(("A", value))) == env(("A", "redacted-1"))


@pytest.mark.timeout(20)
@pytest.mark.parametrize("text", ["x" * 200_000, "a.b-c" * 40_000, '{"' * 20_000, "token" * 20_000])
def test_long_texts_take_no_time(text: str) -> None:
    redacted(text)
