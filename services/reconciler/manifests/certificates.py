"""What a cluster with mutual TLS has of cert-manager: an authority of its own, two certificates.

A self-signed issuer signs the authority's certificate, an issuer of that authority signs one
certificate for the head and one that all workers share. Nodes know each other by address, so both
certificates name the addresses of their pods and are changed as these come and go. The Secrets are
made empty beforehand and filled by cert-manager: so they belong to the cluster and go with it,
keys and all.
"""

from collections.abc import Iterable

from services.reconciler.manifests.names import head_fqdn
from services.reconciler.manifests.owners import metadata_of, owner_reference
from services.reconciler.manifests.settings import ManifestSettings
from shared.resources import labels as words
from shared.resources.raycluster import RayCluster

_API = "cert-manager.io"
_COMPONENT = "app.kubernetes.io/component"
_LOCAL_NAME = "localhost"
_LOCAL_ADDRESS = "127.0.0.1"
_UID_LENGTH = 8


def selfsigned_issuer_name(cluster: RayCluster) -> str:
    """Return the issuer that signs the authority."""
    return f"ray-selfsigned-issuer-{cluster.name}"


def ca_issuer_name(cluster: RayCluster) -> str:
    """Return the issuer that signs in the authority's name."""
    return f"ray-ca-issuer-{cluster.name}"


def ca_certificate_name(cluster: RayCluster) -> str:
    """Return the authority's certificate."""
    return f"ray-ca-certificate-{cluster.name}"


def certificate_name(cluster: RayCluster, node_type: str) -> str:
    """Return the certificate of the head, or of all workers."""
    return f"ray-{node_type}-cert-{cluster.name}"


def ca_secret_name(cluster: RayCluster) -> str:
    """Return the Secret with the authority's key; no two clusters of a name share one."""
    return f"{cluster.name}-ca-secret-{cluster.uid[:_UID_LENGTH]}"


def certificate_secret_name(cluster: RayCluster, node_type: str) -> str:
    """Return the Secret that nodes of this type mount."""
    return f"ray-{node_type}-secret-{cluster.name}"


def secret_names(cluster: RayCluster) -> tuple[str, ...]:
    """Return every Secret that cert-manager fills for the cluster."""
    return (
        ca_secret_name(cluster),
        certificate_secret_name(cluster, words.HEAD),
        certificate_secret_name(cluster, words.WORKER),
    )


def selfsigned_issuer(cluster: RayCluster) -> dict[str, object]:
    """Return the issuer from which everything begins."""
    name = selfsigned_issuer_name(cluster)
    return _object(cluster, "Issuer", name, "selfsigned-issuer", {"selfSigned": {}})


def ca_issuer(cluster: RayCluster) -> dict[str, object]:
    """Return the issuer that has the authority's key."""
    spec: dict[str, object] = {"ca": {"secretName": ca_secret_name(cluster)}}
    return _object(cluster, "Issuer", ca_issuer_name(cluster), "ca-issuer", spec)


def ca_certificate(cluster: RayCluster) -> dict[str, object]:
    """Return the authority."""
    spec: dict[str, object] = {
        "isCA": True,
        "commonName": f"ray-ca-{cluster.name}",
        "secretName": ca_secret_name(cluster),
        "privateKey": {"algorithm": "RSA", "size": 4096},
        "duration": "87600h0m0s",
        "renewBefore": "720h0m0s",
        "usages": ["cert sign", "crl sign"],
        "issuerRef": _issuer(selfsigned_issuer_name(cluster)),
    }
    name = ca_certificate_name(cluster)
    return _object(cluster, "Certificate", name, "ca-certificate", spec)


def node_certificate(
    cluster: RayCluster, settings: ManifestSettings, node_type: str, addresses: Iterable[str]
) -> dict[str, object]:
    """Return the certificate of the head, or of all workers, for pods at these addresses."""
    head = [head_fqdn(cluster, settings.cluster_domain)] if node_type == words.HEAD else []
    spec: dict[str, object] = {
        "secretName": certificate_secret_name(cluster, node_type),
        "duration": "2160h0m0s",
        "renewBefore": "360h0m0s",
        "dnsNames": sorted({_LOCAL_NAME, *head}),
        "ipAddresses": sorted({_LOCAL_ADDRESS, *addresses}),
        "usages": ["digital signature", "key encipherment", "server auth", "client auth"],
        "issuerRef": _issuer(ca_issuer_name(cluster)),
    }
    name = certificate_name(cluster, node_type)
    return _object(cluster, "Certificate", name, f"{node_type}-certificate", spec)


def empty_secret(cluster: RayCluster, name: str) -> dict[str, object]:
    """Return a Secret for cert-manager to fill.

    The cluster owns it and does not control it: cert-manager may be told to control what it fills.
    """
    return {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {
            "name": name,
            "namespace": cluster.namespace,
            "labels": {words.CLUSTER: cluster.name},
            "ownerReferences": [{**owner_reference(cluster), "controller": False}],
        },
        "type": "kubernetes.io/tls",
        "stringData": {"tls.crt": "", "tls.key": ""},
    }


def _issuer(name: str) -> dict[str, object]:
    return {"name": name, "kind": "Issuer", "group": _API}


def _object(
    cluster: RayCluster, kind: str, name: str, component: str, spec: dict[str, object]
) -> dict[str, object]:
    labels = {
        words.CLUSTER: cluster.name,
        words.APP_NAME: words.APP,
        words.CREATED_BY: words.CREATOR,
        _COMPONENT: component,
    }
    return {
        "apiVersion": f"{_API}/v1",
        "kind": kind,
        "metadata": metadata_of(cluster, name, labels),
        "spec": spec,
    }
