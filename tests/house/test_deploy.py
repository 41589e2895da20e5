"""What we deploy fits what we built: commands, settings, probes and files exist."""

from collections.abc import Iterable
from typing import Any

import yaml

from heliograph import __version__
from heliograph.cli import run
from heliograph.cli.app import COMMANDS, Parser
from shared.runtime.options import APART, BESIDE, OPTIONS, SERVICES
from shared.runtime.reading import read_settings
from tests.house.deployed import MANIFESTS, of_kind, pod_specs
from tests.house.sources import files, name


def test_every_service_is_deployed_with_a_command_that_exists() -> None:
    parser = Parser(prog="heliograph run")
    run.add_arguments(parser)
    deployed = {}
    for service, one in of_kind("Deployment").items():
        command, *rest = one["spec"]["template"]["spec"]["containers"][0]["args"]
        deployed[service] = (command, parser.parse_args(rest).services)

    assert deployed == {service: ("run", [service]) for service in (*SERVICES, *BESIDE, *APART)}
    assert pod_specs()["init"]["containers"][0]["args"] == ["init"]
    assert "init" in COMMANDS


def test_only_settings_that_exist_are_set() -> None:
    shared = {option.variable for option in OPTIONS if set(option.services) >= set(SERVICES)}
    settings = of_kind("ConfigMap")["settings"]["data"]
    own = {
        (service, variable["name"])
        for service in (*SERVICES, *BESIDE, *APART)
        for variable in pod_specs()[service]["containers"][0].get("env", [])
    }
    known = {(service, option.variable) for option in OPTIONS for service in option.services}

    assert set(settings) - shared == set()
    assert own - known == set()
    assert read_settings({}, settings, member="one").bus.nats_url == settings["NATS_URL"]


def test_pods_run_without_rights_on_their_node() -> None:
    for spec in pod_specs().values():
        assert spec["securityContext"]["runAsNonRoot"] is True
        for container in spec["containers"]:
            assert container["securityContext"] == {
                "allowPrivilegeEscalation": False,
                "readOnlyRootFilesystem": True,
                "capabilities": {"drop": ["ALL"]},
            }
            assert {"requests", "limits"} <= container["resources"].keys()


def test_services_are_probed_where_they_answer() -> None:
    port = read_settings({}, {}, member="one").process.http_port
    for service in (*SERVICES, *BESIDE, *APART):
        container = pod_specs()[service]["containers"][0]

        assert container["ports"][0] == {"name": "http", "containerPort": port}
        assert len(container["ports"]) == (2 if service in APART else 1)
        assert container["livenessProbe"]["httpGet"] == {"path": "/healthz", "port": "http"}
        assert container["readinessProbe"]["httpGet"] == {"path": "/readyz", "port": "http"}


def test_the_kustomization_names_every_file_and_our_version() -> None:
    whole = yaml.safe_load((MANIFESTS / "kustomization.yaml").read_text(encoding="utf-8"))
    there = {
        path.relative_to(MANIFESTS).as_posix() for path in files(name(MANIFESTS), ending=".yaml")
    }

    apart = {file for file in there if file.partition("/")[0] in (*BESIDE, *APART, "shadow")}
    assert set(whole["resources"]) == there - apart - {"kustomization.yaml"}
    assert [image["newTag"] for image in whole["images"]] == [__version__]


def test_every_deployed_file_is_yaml() -> None:
    everything = files("deploy", ending=".yaml")
    objects: Iterable[Any] = [
        one
        for path in everything
        for one in yaml.load_all(path.read_text(encoding="utf-8"), yaml.CSafeLoader)
    ]

    assert everything
    assert [one for one in objects if not {"apiVersion", "kind"} <= one.keys()] == []
