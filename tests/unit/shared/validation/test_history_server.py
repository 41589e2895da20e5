"""Rules about the collector that feeds the history server."""

import pytest

from shared.kernel.features import parse_features
from shared.resources.raycluster import RayCluster
from tests.support.rayclusters import cluster, container, head, problems_of, template, workers

COLLECTOR = "spec.historyServerOptions.collectorOptions"
GATE = parse_features("RayClusterHistoryServer=true")


def found(wanted: RayCluster) -> list[tuple[str, str]]:
    return problems_of(wanted, GATE)


def collecting(**env: str) -> RayCluster:
    variables = [{"name": name, "value": value} for name, value in env.items()]
    options = {"image": "collector", "env": variables}
    return cluster(historyServerOptions={"collectorOptions": options})


def test_the_history_server_needs_its_gate_and_its_collector() -> None:
    empty = cluster(historyServerOptions={})

    assert problems_of(empty) == [
        ("spec.historyServerOptions", "RayClusterHistoryServer feature gate is not enabled")
    ]
    assert found(empty) == [(COLLECTOR, "historyServerOptions.collectorOptions must be set")]


def test_the_collector_needs_an_image_and_a_store() -> None:
    assert found(cluster(historyServerOptions={"collectorOptions": {}})) == [
        (f"{COLLECTOR}.image", "historyServerOptions.collectorOptions.image must be set"),
        (
            f"{COLLECTOR}.env",
            (
                "STORAGE_BACKEND environment variable must be set with a literal string value in "
                "historyServerOptions.collectorOptions.env"
            ),
        ),
    ]


@pytest.mark.parametrize("name", ["POD_IP", "OWNER_KIND", "EVENTS_PORT"])
def test_some_variables_of_the_collector_are_ours(name: str) -> None:
    assert found(collecting(STORAGE_BACKEND="odd", **{name: "x"})) == [
        (
            f"{COLLECTOR}.env",
            (
                f"historyServerOptions.collectorOptions.env must not contain {name}: it is managed "
                "by KubeRay and injected automatically into the collector container"
            ),
        )
    ]


@pytest.mark.parametrize(
    ("env", "missing"),
    [
        ({"STORAGE_BACKEND": "gcs"}, ["GCS_BUCKET … STORAGE_BACKEND is GCS"]),
        ({"STORAGE_BACKEND": "S3", "S3_REGION": "x"}, []),
        (
            {"STORAGE_BACKEND": "AliyunOss", "OSS_ENDPOINT": "x"},
            [f"OSS_{part} … STORAGE_BACKEND is ALIYUNOSS" for part in ("BUCKET", "REGION")],
        ),
        (
            {"STORAGE_BACKEND": "AzureBlob", "AZURE_STORAGE_AUTH_MODE": "connection_string"},
            [
                (
                    "AZURE_STORAGE_CONNECTION_STRING … STORAGE_BACKEND is AZUREBLOB and "
                    "AZURE_STORAGE_AUTH_MODE is connection_string"
                )
            ],
        ),
        (
            {"STORAGE_BACKEND": "AzureBlob", "AZURE_STORAGE_AUTH_MODE": "default"},
            [
                (
                    "AZURE_STORAGE_ACCOUNT_URL … STORAGE_BACKEND is AZUREBLOB and "
                    "AZURE_STORAGE_AUTH_MODE is default"
                )
            ],
        ),
        (
            {"STORAGE_BACKEND": "AzureBlob"},
            [
                (
                    "either AZURE_STORAGE_CONNECTION_STRING or AZURE_STORAGE_ACCOUNT_URL … "
                    "STORAGE_BACKEND is AZUREBLOB"
                )
            ],
        ),
        ({"STORAGE_BACKEND": "AzureBlob", "AZURE_STORAGE_ACCOUNT_URL": "x"}, []),
    ],
)
def test_every_store_needs_its_variables(env: dict[str, str], missing: list[str]) -> None:
    """Checklist 16."""
    spelled = "environment variable must be set when"

    messages = [message for _, message in found(collecting(**env))]

    assert messages == [text.replace("…", spelled) for text in missing]


def test_the_collectors_name_is_taken() -> None:
    own = template(container(), container("ray-history-collector"))
    options = {"image": "x", "env": [{"name": "STORAGE_BACKEND", "value": "odd"}]}

    wanted = cluster(
        historyServerOptions={"collectorOptions": options},
        headGroupSpec=head(template=own),
        workerGroupSpecs=[workers(template=own)],
    )

    end = (
        "pod template must not define a container with name 'ray-history-collector' when history "
        "server collector options are enabled"
    )
    assert found(wanted) == [
        ("spec.headGroupSpec.template.spec.containers", f"head {end}"),
        ("spec.workerGroupSpecs[0].template.spec.containers", f"worker group small {end}"),
    ]
