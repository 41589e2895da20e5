"""Flags and environment to settings: which one wins, and what is said when one is wrong."""

from argparse import ArgumentParser
from datetime import timedelta

import pytest
from msgspec.structs import fields

from shared.kernel.features import CRON_JOB, GATES, Features
from shared.runtime.configuration import parse_configuration
from shared.runtime.failures import SettingsError
from shared.runtime.options import OPTIONS, SERVICES
from shared.runtime.reading import CONCERNS, add_settings, default_of, read_settings
from shared.runtime.settings import (
    BusSettings,
    Inside,
    KubeSettings,
    LogFormat,
    LogLevel,
    ProcessSettings,
    RuleSettings,
    Settings,
    WebhookSettings,
)

FILE = """
apiVersion: config.ray.io/v1alpha1
kind: Configuration
metricsAddr: ":9"
qps: 7
defaultPodLabels: {from: file}
"""


def read(flags: dict[str, object] | None = None, **environment: str) -> Settings:
    return read_settings(flags or {}, environment, member="box-7")


def read_with_file(flags: dict[str, object] | None = None, **environment: str) -> Settings:
    file = parse_configuration(FILE, "here.yaml")
    return read_settings(flags or {}, environment, member="box-7", file=file)


def test_without_flags_and_environment_everything_is_the_default() -> None:
    assert read() == Settings(process=ProcessSettings(member_id="box-7"))


def test_a_flag_wins_over_its_variable_and_that_over_the_default() -> None:
    assert read(NATS_URL="nats://b").bus.nats_url == "nats://b"
    assert read({"nats_url": "nats://a"}, NATS_URL="nats://b").bus.nats_url == "nats://a"


def test_a_variable_wins_over_the_file_and_the_file_over_the_default() -> None:
    assert read_with_file().kube.qps == 7
    assert read_with_file(HELIOGRAPH_QPS="8").kube.qps == 8
    assert read_with_file({"qps": "9"}, HELIOGRAPH_QPS="8").kube.qps == 9
    assert read_with_file().kube.burst == KubeSettings().burst


def test_parts_of_pods_in_the_file_yield_to_flag_and_variable_too() -> None:
    asked = '{"from":"%s"}'

    assert read_with_file().rules.default_pod_labels == {"from": "file"}
    said = read_with_file(HELIOGRAPH_DEFAULT_POD_LABELS=asked % "variable")
    assert said.rules.default_pod_labels == {"from": "variable"}
    said = read_with_file(
        {"default_pod_labels": asked % "flag"}, HELIOGRAPH_DEFAULT_POD_LABELS=asked % "variable"
    )
    assert said.rules.default_pod_labels == {"from": "flag"}


def test_a_flag_of_kuberay_wins_over_variables_and_yields_to_ours() -> None:
    theirs: dict[str, object] = {"metrics_addr": "127.0.0.1:1"}

    process = read(theirs, HELIOGRAPH_HTTP_PORT="2", HELIOGRAPH_HTTP_HOST="::").process
    assert (process.http_host, process.http_port) == ("127.0.0.1", 1)
    process = read_with_file({**theirs, "http_port": "3"}).process
    assert (process.http_host, process.http_port) == ("127.0.0.1", 3)


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


def test_what_all_pods_get_is_json() -> None:
    rules = read(
        {
            "head_sidecar_containers": '[{"name":"logs","image":"fluent"}]',
            "worker_sidecar_containers": "[]",
            "default_container_envs": '[{"name":"A","value":"1"}]',
            "default_pod_labels": '{"team":"ml"}',
            "default_pod_annotations": '{"note":"x"}',
        }
    ).rules

    assert rules == RuleSettings(
        head_sidecar_containers=({"name": "logs", "image": "fluent"},),
        default_container_envs=({"name": "A", "value": "1"},),
        default_pod_labels={"team": "ml"},
        default_pod_annotations={"note": "x"},
    )


def test_the_webhook_is_set_by_text() -> None:
    flags: dict[str, object] = {
        "webhook_port": "0",
        "webhook_host": "127.0.0.1",
        "webhook_cert": "a.crt",
        "webhook_key": "a.key",
    }

    assert read(flags).webhook == WebhookSettings(
        webhook_port=0, webhook_host="127.0.0.1", webhook_cert="a.crt", webhook_key="a.key"
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
            (
                "--feature-gates: unknown feature gate 'RayCronJobs': did you mean RayCronJob? "
                f"there are {', '.join(GATES)}"
            ),
        ),
        (
            "metrics_addr",
            "8080",
            "--metrics-addr: must be an address like :8080 or 127.0.0.1:8080, not '8080'",
        ),
        (
            "metrics_addr",
            ":70000",
            "--metrics-addr: must be a whole number from 0 to 65535, not '70000'",
        ),
        ("log_stdout_encoder", "xml", "--log-stdout-encoder: must be json or console, not 'xml'"),
        (
            "default_pod_labels",
            '{"a":1}',
            "--default-pod-labels['a']: must be a text: put it in quotes",
        ),
        (
            "default_container_envs",
            '[{"name":"A"},{}]',
            "--default-container-envs[1].name: is required, as a text",
        ),
        (
            "batch_scheduler",
            "default",
            (
                "--batch-scheduler: scheduler is not supported, name=default: there are volcano, "
                "yunikorn, kai-scheduler, scheduler-plugins"
            ),
        ),
    ],
)
def test_a_wrong_flag_is_told_by_its_name(name: str, text: str, message: str) -> None:
    with pytest.raises(SettingsError) as refused:
        read({name: text})

    assert str(refused.value) == message


def test_a_wrong_value_of_a_pod_part_is_never_repeated() -> None:
    with pytest.raises(SettingsError) as refused:
        read({"default_container_envs": '[{"name":"A","value":"hunter2"}'})

    assert "hunter2" not in str(refused.value)


def test_two_ways_to_choose_a_scheduler_are_one_too_many() -> None:
    both: dict[str, object] = {"batch_scheduler": "volcano", "enable_batch_scheduler": "true"}

    with pytest.raises(SettingsError, match="Please use batch-scheduler only"):
        read(both)
    with pytest.raises(SettingsError, match="KubernetesWAS feature gate cannot be combined"):
        read({"batch_scheduler": "volcano", "feature_gates": "KubernetesWAS=true"})


def test_what_is_wrong_in_the_file_is_told_with_file_and_field() -> None:
    file = parse_configuration(FILE.replace("qps: 7", "qps: 0"), "here.yaml")

    with pytest.raises(SettingsError) as refused:
        read_settings({}, {}, member="box-7", file=file)

    assert str(refused.value) == "here.yaml: qps: must be a number above 0, not '0'"


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
