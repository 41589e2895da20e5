"""What the fields of a RayCluster imply."""

import pytest

from shared.kernel.features import Features, parse_features
from shared.resources import predicates
from shared.resources.accelerators import is_gpu
from shared.resources.versions import HTTP_PROBES, RayVersion, at_least, parse_ray_version
from tests.support.rayclusters import cluster, container, head, template

FT = "ray.io/ft-enabled"


def test_is_fault_tolerant_by_option_or_annotation() -> None:
    tolerant = [
        predicates.fault_tolerant(cluster()),
        predicates.fault_tolerant(cluster(annotations={FT: "True"})),
        predicates.fault_tolerant(cluster(annotations={FT: "false"})),
        predicates.fault_tolerant(cluster(gcsFaultToleranceOptions={})),
    ]

    assert tolerant == [False, True, False, True]


def test_options_without_a_mode_ask_for_no_token() -> None:
    modes = [predicates.token_auth(cluster(authOptions=o)) for o in ({}, {"mode": "token"})]

    assert modes == [False, True]


def test_tls_needs_its_gate_and_its_switch() -> None:
    on, off = cluster(tlsOptions={"enabled": True}), cluster(tlsOptions={})
    gate = parse_features("RayClusterMTLS=true")

    answers = [predicates.mutual_tls(c, f) for c in (on, off) for f in (gate, Features())]

    assert answers == [True, False, False, False]


@pytest.mark.parametrize(
    ("label", "kind"), [("RayJob", "RayJob"), ("RayService", "RayService"), ("Odd", "RayCluster")]
)
def test_knows_who_made_the_cluster(label: str, kind: str) -> None:
    assert predicates.creator(cluster(labels={"ray.io/originated-from-crd": label})) == kind


def test_the_second_autoscaler_is_asked_for_by_one_or_true() -> None:
    answers = []
    for value in ("1", "true", "True", "0"):
        ray = container(env=[{"name": "RAY_enable_autoscaler_v2", "value": value}])
        asked = cluster(headGroupSpec=head(template=template(ray)))
        answers.append(predicates.autoscaler_v2_asked_by_env(asked))

    assert answers == [True, True, False, False]


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ("2.53.0", RayVersion(2, 53, 0)),
        ("v2.53", RayVersion(2, 53, 0)),
        ("2.53.1rc1", RayVersion(2, 53, 1)),
        ("2.x", None),
        ("nightly", None),
        ("", None),
    ],
)
def test_reads_versions_leniently(text: str, version: RayVersion | None) -> None:
    assert parse_ray_version(text) == version


def test_compares_versions_as_numbers() -> None:
    answers = [at_least(text, HTTP_PROBES) for text in ("2.53.0rc1", "2.6.0", "3.0", None)]

    assert answers == [True, False, True, False]


def test_counts_slices_of_gpus_but_not_malformed_ones() -> None:
    """Checklist 58."""
    keys = ["nvidia.com/gpu", "gpu", "nvidia.com/mig-1g.5gb", "nvidia.com/mig-1g", "gpu.io/x"]

    assert [is_gpu(key) for key in keys] == [True, True, True, False, False]
