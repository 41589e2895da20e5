"""What the operator is told, and why: everything else is KubeRay's own default. Pure.

Invariant: it listens on loopback only, and reaches Ray dashboards through the proxy that is given.
"""

from collections.abc import Mapping, Sequence

GATES = (
    "GCSFaultToleranceEmbeddedStorage=true",
    "RayClusterHistoryServer=true",
    "RayClusterMTLS=true",
    "RayClusterNetworkPolicy=true",
    "RayCronJob=true",
)
"""Off by default, and without them there is nothing to compare with; none needs another project."""


def words(*, metrics: int, probes: int, namespace: str = "") -> Sequence[str]:
    """Return the operator's flags."""
    options = {
        "metrics-addr": f"127.0.0.1:{metrics}",
        "health-probe-bind-address": f"127.0.0.1:{probes}",
        "enable-leader-election": "false",  # nobody else is there to wait for
        "enable-metrics": "true",
        "feature-gates": ",".join(GATES),
        "watch-namespace": namespace,
        "reconcile-concurrency": "8",
        "qps": "200",
        "burst": "400",
    }
    return tuple(f"--{name}={value}" for name, value in options.items())


def environment(kubeconfig: str, proxy: str = "") -> Mapping[str, str]:
    """Return what the operator finds in its environment.

    Go takes the proxy for plain HTTP, hence for dashboards, and never for the API server.
    """
    return {"KUBECONFIG": kubeconfig, **({"HTTP_PROXY": proxy, "NO_PROXY": ""} if proxy else {})}
