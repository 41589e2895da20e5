"""What each program is told: its command line. Pure.

Defaults stay defaults, so that the API server behaves like anybody's: admission, feature gates,
watch cache. What differs is said here, with the reason.
"""

from collections.abc import Mapping, Sequence

import msgspec

from tools.realkube.certificates import KUBELETS, Certificates

LOOPBACK = "127.0.0.1"
SERVICE_ADDRESSES = "10.96.0.0/16"
ISSUER = "https://kubernetes.default.svc"
# Nobody keeps nodes alive: without these controllers, a node that a test makes stays as it is.
NODES = ("node-ipam-controller", "node-lifecycle-controller", "taint-eviction-controller")


class Ports(msgspec.Struct, frozen=True, kw_only=True):
    """Where the two servers listen on loopback."""

    etcd: int
    api: int

    @property
    def etcd_url(self) -> str:
        """The address of the store."""
        return f"http://{LOOPBACK}:{self.etcd}"

    @property
    def api_url(self) -> str:
        """The address of the API server."""
        return f"https://{LOOPBACK}:{self.api}"


class Audit(msgspec.Struct, frozen=True, kw_only=True):
    """Where it says which writes are noted, and where they are."""

    policy: str
    log: str


def etcd(ports: Ports, folder: str) -> Sequence[str]:
    """Return what etcd is told: nothing has to outlive the process."""
    return _words(
        {
            "data-dir": folder,
            "listen-client-urls": ports.etcd_url,
            "advertise-client-urls": ports.etcd_url,
            "listen-peer-urls": f"http://{LOOPBACK}:0",
            "unsafe-no-fsync": "true",
            "log-level": "warn",
        }
    )


def api_server(ports: Ports, certificates: Certificates, audit: Audit) -> Sequence[str]:
    """Return what kube-apiserver is told.

    Endpoints of the `kubernetes` service may not be on loopback, hence nobody keeps them.
    """
    return _words(
        {
            "etcd-servers": ports.etcd_url,
            "bind-address": LOOPBACK,
            "advertise-address": LOOPBACK,
            "secure-port": str(ports.api),
            "tls-cert-file": certificates.certificate("server"),
            "tls-private-key-file": certificates.key("server"),
            "client-ca-file": certificates.authority,
            "kubelet-client-certificate": certificates.certificate(KUBELETS),
            "kubelet-client-key": certificates.key(KUBELETS),
            "authorization-mode": "RBAC",
            "service-account-issuer": ISSUER,
            "service-account-key-file": certificates.service_accounts,
            "service-account-signing-key-file": certificates.service_accounts,
            "service-cluster-ip-range": SERVICE_ADDRESSES,
            "endpoint-reconciler-type": "none",
            "allow-privileged": "true",
            "audit-policy-file": audit.policy,
            "audit-log-path": audit.log,
        }
    )


def controllers(certificates: Certificates, kubeconfig: str) -> Sequence[str]:
    """Return what kube-controller-manager is told: each controller under a role of its own.

    Tests wait for controllers, hence those need not hold back.
    """
    left_out = ",".join(f"-{name}" for name in NODES)
    return _words(
        {
            "kubeconfig": kubeconfig,
            "controllers": f"*,{left_out}",
            "leader-elect": "false",
            "use-service-account-credentials": "true",
            "service-account-private-key-file": certificates.service_accounts,
            "root-ca-file": certificates.authority,
            "cluster-signing-cert-file": certificates.authority,
            "cluster-signing-key-file": certificates.key("authority"),
            "service-cluster-ip-range": SERVICE_ADDRESSES,
            "kube-api-qps": "500",
            "kube-api-burst": "1000",
            "secure-port": "0",
        }
    )


def _words(options: Mapping[str, str]) -> Sequence[str]:
    return tuple(f"--{name}={value}" for name, value in options.items())
