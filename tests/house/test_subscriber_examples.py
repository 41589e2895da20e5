"""The examples for Argo Events and KEDA use what these know, and what we tell."""

import re
from typing import Any

import yaml

from services.courier.subscriptions import read_subscriptions
from shared.bus.declarations import NEWS
from shared.events.lifecycle import EVENTS, type_of
from tests.house.sources import HOME
from tools.lifecycle.examples import example

FOLDER = HOME / "examples" / "subscribers"
KEDA = {
    "natsServerMonitoringEndpoint",
    "account",
    "stream",
    "consumer",
    "lagThreshold",
    "activationLagThreshold",
    "useHttps",
}
NATS_SOURCE = {"url", "subject", "jsonBody", "queue", "auth", "connectionBackoff", "tls", "filter"}
CREDENTIALS = {"basic", "token", "nkey", "credential"}


def documents(name: str) -> list[dict[str, Any]]:
    return list(yaml.safe_load_all((FOLDER / name).read_text(encoding="utf-8")))


def at(value: Any, path: str) -> Any:
    for token in path.split("."):
        value = value[int(token)] if isinstance(value, list) else value[token]
    return value


def told(kind: str, what: str) -> dict[str, Any]:
    """Return an event as Argo Events hands it to a sensor."""
    event = example(kind, what)
    return {"body": {"type": event.type, "data": event.data}}


def test_keda_is_asked_for_what_it_knows() -> None:
    (scaled,) = documents("keda/scaled-object.yaml")
    (trigger,) = scaled["spec"]["triggers"]

    assert (scaled["apiVersion"], scaled["kind"]) == ("keda.sh/v1alpha1", "ScaledObject")
    assert trigger["type"] == "nats-jetstream"
    assert set(trigger["metadata"]) <= KEDA
    assert trigger["metadata"]["stream"] == NEWS
    assert all(isinstance(value, str) for value in trigger["metadata"].values())
    assert scaled["spec"]["minReplicaCount"] < scaled["spec"]["maxReplicaCount"]


def test_the_event_source_listens_to_a_subject_that_events_have() -> None:
    source, _ = documents("argo-events/failed-jobs.yaml")
    (listening,) = source["spec"]["nats"].values()

    assert set(listening) <= NATS_SOURCE
    assert set(listening["auth"]) <= CREDENTIALS
    root, _, kind, _, event = listening["subject"].split(".")
    assert (root, event in EVENTS[kind]) == ("pub", True)


def test_the_sensor_depends_on_the_source_and_filters_by_fields_that_events_have() -> None:
    source, sensor = documents("argo-events/failed-jobs.yaml")
    (dependency,) = sensor["spec"]["dependencies"]
    event = told("rayjob", "failed")

    assert dependency["eventSourceName"] == source["metadata"]["name"]
    assert dependency["eventName"] in source["spec"]["nats"]
    for wanted in dependency["filters"]["data"]:
        assert wanted["type"] == "string"
        assert at(event, wanted["path"]) in wanted["value"]
    assert type_of("rayjob", "failed") in str(dependency["filters"])


def test_the_sensor_puts_fields_of_the_event_where_its_job_has_places() -> None:
    _, sensor = documents("argo-events/failed-jobs.yaml")
    (trigger,) = sensor["spec"]["triggers"]
    made = trigger["template"]["k8s"]["source"]["resource"]
    names = {one["name"] for one in sensor["spec"]["dependencies"]}

    assert trigger["template"]["k8s"]["operation"] == "create"
    for parameter in trigger["template"]["k8s"]["parameters"]:
        assert parameter["src"]["dependencyName"] in names
        assert at(told("rayjob", "failed"), parameter["src"]["dataKey"])
        assert at(made, parameter["dest"])


def test_the_readme_names_every_example() -> None:
    words = (FOLDER / "README.md").read_text(encoding="utf-8")
    folders = {path.name for path in FOLDER.iterdir() if path.is_dir()} - {"__pycache__"}

    assert set(re.findall(r"^## (\S+)$", words, re.MULTILINE)) == folders


def test_the_subscription_of_the_chat_is_one_that_the_courier_takes() -> None:
    words = (FOLDER / "README.md").read_text(encoding="utf-8")
    (written,) = re.findall(r"```yaml\n(.*?)```", words, re.DOTALL)
    read = read_subscriptions(yaml.safe_load(written))

    assert read.problems == ()
    (chat,) = read.subscriptions
    assert (chat.mode, chat.handshake, bool(chat.secret_file)) == ("structured", True, True)
