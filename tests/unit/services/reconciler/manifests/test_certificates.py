"""What a cluster with mutual TLS asks of cert-manager."""

import pytest

from services.reconciler.manifests.certificates import (
    ca_certificate,
    ca_issuer,
    empty_secret,
    node_certificate,
    secret_names,
    selfsigned_issuer,
)
from services.reconciler.manifests.owners import owner_reference
from services.reconciler.manifests.settings import ManifestSettings
from shared.kernel.manifests import mapping_at
from tests.support.rayclusters import HOST, SETTINGS, UID, cluster

WANTED = cluster(tlsOptions={"enabled": True})
CA_SECRET = f"demo-ca-secret-{UID[:8]}"


def metadata(name: str, component: str) -> dict[str, object]:
    return {
        "name": name,
        "namespace": "lab",
        "labels": {
            "app.kubernetes.io/component": component,
            "app.kubernetes.io/created-by": "kuberay-operator",
            "app.kubernetes.io/name": "kuberay",
            "ray.io/cluster": "demo",
        },
        "ownerReferences": [owner_reference(WANTED)],
    }


def issuer(name: str) -> dict[str, object]:
    return {"name": name, "kind": "Issuer", "group": "cert-manager.io"}


def test_a_self_signed_issuer_is_where_it_begins() -> None:
    assert selfsigned_issuer(WANTED) == {
        "apiVersion": "cert-manager.io/v1",
        "kind": "Issuer",
        "metadata": metadata("ray-selfsigned-issuer-demo", "selfsigned-issuer"),
        "spec": {"selfSigned": {}},
    }


def test_it_signs_the_clusters_own_authority() -> None:
    assert ca_certificate(WANTED) == {
        "apiVersion": "cert-manager.io/v1",
        "kind": "Certificate",
        "metadata": metadata("ray-ca-certificate-demo", "ca-certificate"),
        "spec": {
            "isCA": True,
            "commonName": "ray-ca-demo",
            "secretName": CA_SECRET,
            "privateKey": {"algorithm": "RSA", "size": 4096},
            "duration": "87600h0m0s",
            "renewBefore": "720h0m0s",
            "usages": ["cert sign", "crl sign"],
            "issuerRef": issuer("ray-selfsigned-issuer-demo"),
        },
    }


def test_the_authority_signs_through_an_issuer_of_its_own() -> None:
    assert ca_issuer(WANTED) == {
        "apiVersion": "cert-manager.io/v1",
        "kind": "Issuer",
        "metadata": metadata("ray-ca-issuer-demo", "ca-issuer"),
        "spec": {"ca": {"secretName": CA_SECRET}},
    }


@pytest.mark.parametrize(
    ("node_type", "names"), [("head", [HOST, "localhost"]), ("worker", ["localhost"])]
)
def test_a_nodes_certificate_names_itself_and_its_addresses(
    node_type: str, names: list[str]
) -> None:
    addresses = ["10.0.0.9", "10.0.0.10", "10.0.0.9"]

    assert node_certificate(WANTED, SETTINGS, node_type, addresses) == {
        "apiVersion": "cert-manager.io/v1",
        "kind": "Certificate",
        "metadata": metadata(f"ray-{node_type}-cert-demo", f"{node_type}-certificate"),
        "spec": {
            "secretName": f"ray-{node_type}-secret-demo",
            "duration": "2160h0m0s",
            "renewBefore": "360h0m0s",
            "dnsNames": names,
            "ipAddresses": ["10.0.0.10", "10.0.0.9", "127.0.0.1"],
            "usages": ["digital signature", "key encipherment", "server auth", "client auth"],
            "issuerRef": issuer("ray-ca-issuer-demo"),
        },
    }


def test_the_heads_name_follows_the_domain() -> None:
    settings = ManifestSettings(version="v0", cluster_domain="example.org")

    made = node_certificate(WANTED, settings, "head", ())

    names = ["demo-head-svc.lab.svc.example.org", "localhost"]
    assert mapping_at(made, "spec")["dnsNames"] == names


def test_secrets_are_made_empty_and_go_with_the_cluster() -> None:
    """cert-manager may be told to control what it fills, so the cluster is a plain owner."""
    assert secret_names(WANTED) == (CA_SECRET, "ray-head-secret-demo", "ray-worker-secret-demo")
    assert empty_secret(WANTED, "ray-head-secret-demo") == {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {
            "name": "ray-head-secret-demo",
            "namespace": "lab",
            "labels": {"ray.io/cluster": "demo"},
            "ownerReferences": [{**owner_reference(WANTED), "controller": False}],
        },
        "type": "kubernetes.io/tls",
        "stringData": {"tls.crt": "", "tls.key": ""},
    }
