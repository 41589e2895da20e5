"""Rules about mutual TLS."""

from shared.kernel.features import parse_features
from shared.resources.raycluster import RayCluster
from tests.support.rayclusters import cluster, container, head, problems_of, template, workers

MANAGED = "when tlsOptions is set - the operator manages TLS configuration"
GATE = parse_features("RayClusterMTLS=true")


def found(wanted: RayCluster) -> list[tuple[str, str]]:
    return problems_of(wanted, GATE)


def test_tls_needs_its_gate_even_when_off() -> None:
    """Checklist 17."""
    wanted = cluster(tlsOptions={"enabled": False})

    assert problems_of(wanted) == [
        (
            "spec.tlsOptions",
            "spec.tlsOptions requires the RayClusterMTLS feature gate to be enabled",
        )
    ]
    assert found(wanted) == []


def test_variables_of_tls_are_ours() -> None:
    env = [{"name": "RAY_USE_TLS", "value": "1"}]
    own = template(container(env=env))

    wanted = cluster(
        tlsOptions={"enabled": True},
        headGroupSpec=head(template=own),
        workerGroupSpecs=[workers(template=own)],
        autoscalerOptions={"env": env},
    )

    start = "cannot set RAY_USE_TLS environment variable in"
    assert [message for _, message in found(wanted)] == [
        f"{start} head Pod {MANAGED} automatically",
        f'{start} worker group "small" {MANAGED} automatically',
        f"{start} autoscalerOptions.env {MANAGED} for the autoscaler automatically",
    ]


def test_mounts_of_tls_are_ours() -> None:
    mounts = [{"name": "ray-tls", "mountPath": "/etc/ray/tls"}]
    own = head(template=template(container(volumeMounts=mounts)))

    wanted = cluster(
        tlsOptions={"enabled": True},
        headGroupSpec=own,
        autoscalerOptions={"volumeMounts": mounts[:1]},
    )

    assert found(wanted) == [
        (
            f"{path}.volumeMounts",
            f"cannot use volume mount {what} in {place} {MANAGED} automatically",
        )
        for path, place in (
            ("spec.headGroupSpec.template.spec.containers[0]", "head Pod"),
            ("spec.autoscalerOptions", "autoscalerOptions.volumeMounts"),
        )
        for what in ('named "ray-tls"', 'at path "/etc/ray/tls"')
    ]
