"""Flags and environment to settings: which one wins, and what is said when one is wrong."""

from argparse import ArgumentParser
from datetime import timedelta

import pytest
from msgspec.structs import fields

from shared.kernel.features import CRON_JOB, Features
from shared.runtime.options import OPTIONS, SERVICES
from shared.runtime.reading import SettingsError, add_settings, default_of, read_settings
from shared.runtime.settings import (
    BusSettings,
    Inside,
    KubeSettings,
    LogFormat,
    LogLevel,
    ProcessSettings,
    RuleSettings,
    Settings,
)

CONCERNS = (BusSettings, KubeSettings, ProcessSettings, RuleSettings)


def read(flags: dict[str, object] | None = None, **environment: str) -> Settings:
    return read_settings(flags or {}, environment, member="box-7")


def test_without_flags_and_environment_everything_is_the_default() -> None:
    assert read() == Settings(process=ProcessSettings(member_id="box-7"))


def test_a_flag_wins_over_its_variable_and_that_over_the_default() -> None:
    assert read(NATS_URL="nats://b").bus.nats_url == "nats://b"
    assert read({"nats_url": "nats://a"}, NATS_URL="nats://b").bus.nats_url == "nats://a"


def test_an_empty_variable_is_one_that_is_not_set() -> None:
    assert read(HELIOGRAPH_HTTP_PORT="", CLUSTER_DOMAIN="") == read()


def test_the_log_is_set_by_text() -> None:
    flags: dict[str, object] = {
        "nats_url": "nats://a,nats://b",
        "nats_creds": "u.creds",
        "nats_ca": "ca.pem",
        "nats_cert": "us.pem",
        "nats_key": "us.key",
        "log_replicas": "3",
        "log_retention": "1d12h",
    }

    assert read(flags).bus == BusSettings(
        nats_url="nats://a,nats://b",
        nats_creds="u.creds",
        nats_ca="ca.pem",
        nats_cert="us.pem",
        nats_key="us.key",
        log_replicas=3,
        log_retention=timedelta(hours=36),
    )


def test_kubernetes_is_set_by_text() -> None:
    flags: dict[str, object] = {
        "kubeconfig": "here",
        "kube_context": "dev",
        "in_cluster": "never",
        "watch_namespace": "a, b,",
        "qps": "2.5",
        "burst": "7",
        "relist_every": "30s",
    }

    assert read(flags).kube == KubeSettings(
        kubeconfig="here",
        kube_context="dev",
        in_cluster=Inside.NEVER,
        watch_namespace=("a", "b"),
        qps=2.5,
        burst=7,
        relist_every=timedelta(seconds=30),
    )


def test_the_process_is_set_by_text() -> None:
    flags: dict[str, object] = {
        "member_id": "me",
        "http_port": "0",
        "http_host": "127.0.0.1",
        "log_level": "debug",
        "log_format": "text",
        "drain_timeout": "500ms",
    }

    assert read(flags).process == ProcessSettings(
        member_id="me",
        http_port=0,
        http_host="127.0.0.1",
        log_level=LogLevel.DEBUG,
        log_format=LogFormat.TEXT,
        drain_timeout=timedelta(milliseconds=500),
    )


def test_the_rules_follow_the_variables_that_kuberay_knows() -> None:
    rules = read(
        CLUSTER_DOMAIN="corp.local",
        ENABLE_PROBES_INJECTION="False",
        ENABLE_INIT_CONTAINER_INJECTION="false",
        ENABLE_LOGIN_SHELL="true",
        ENABLE_RAY_HEAD_CLUSTER_IP_SERVICE="1",
        ENABLE_DETERMINISTIC_HEAD_POD_NAME="yes",
        ENABLE_RANDOM_POD_DELETE="on",
        HELIOGRAPH_FEATURE_GATES="RayCronJob=true",
    ).rules

    assert rules == RuleSettings(
        feature_gates=Features(enabled=Features().enabled | {CRON_JOB}),
        cluster_domain="corp.local",
        enable_probes_injection=False,
        enable_init_container_injection=False,
        enable_login_shell=True,
        enable_ray_head_cluster_ip_service=True,
        enable_deterministic_head_pod_name=True,
        enable_random_pod_delete=True,
    )


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("http_port", "x", "--http-port: must be a whole number from 0 to 65535, not 'x'"),
        ("http_port", "70000", "--http-port: must be a whole number from 0 to 65535, not '70000'"),
        ("burst", "0", "--burst: must be a whole number of at least 1, not '0'"),
        ("qps", "inf", "--qps: must be a number above 0, not 'inf'"),
        ("qps", "nan", "--qps: must be a number above 0, not 'nan'"),
        ("log_level", "loud", "--log-level: must be debug, info, warning or error, not 'loud'"),
        ("nats_url", "", "--nats-url: must be a text that is not empty, not ''"),
        ("enable_login_shell", "si", "--enable-login-shell: must be true or false, not 'si'"),
        (
            "log_retention",
            "week",
            "--log-retention: must be a span like 7d, 12h, 30m or 10s, not 'week'",
        ),
        (
            "feature_gates",
            "RayCronJobs=true",
            "--feature-gates: unknown feature gate 'RayCronJobs': did you mean RayCronJob?",
        ),
    ],
)
def test_a_wrong_flag_is_told_by_its_name(name: str, text: str, message: str) -> None:
    with pytest.raises(SettingsError) as refused:
        read({name: text})

    assert str(refused.value) == message


def test_a_wrong_variable_is_told_by_its_name() -> None:
    with pytest.raises(SettingsError) as refused:
        read(ENABLE_LOGIN_SHELL="maybe")

    assert str(refused.value) == "ENABLE_LOGIN_SHELL: must be true or false, not 'maybe'"


def test_every_setting_has_one_row_and_every_row_its_setting() -> None:
    settings = [field.name for concern in CONCERNS for field in fields(concern)]

    assert sorted(option.name for option in OPTIONS) == sorted(settings)
    assert len({option.variable for option in OPTIONS}) == len(OPTIONS)


def test_every_default_can_be_written_as_a_flag() -> None:
    written: dict[str, object] = {
        option.name: default_of(option) for option in OPTIONS if default_of(option)
    }

    assert read(written) == read()


def test_a_command_offers_only_the_flags_of_its_services() -> None:
    parser = ArgumentParser()
    add_settings(parser, ["scheduler"])

    assert "--nats-url" in parser.format_help()
    assert "--kubeconfig" not in parser.format_help()


def test_parsed_flags_are_what_is_read() -> None:
    parser = ArgumentParser()
    add_settings(parser, SERVICES)
    parsed = vars(parser.parse_args(["--http-port", "9", "--feature-gates=AllAlpha=false"]))

    assert read(parsed).process.http_port == 9
