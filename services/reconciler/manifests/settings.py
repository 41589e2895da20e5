"""What the operator's own configuration says about the objects it makes.

Read once at the door and handed in: nothing under `manifests` looks at the environment.
"""

from collections.abc import Mapping

from msgspec import UNSET, Struct, UnsetType, field
from msgspec.structs import replace

from shared.kernel.manifests import Raw


class ManifestSettings(Struct, frozen=True, kw_only=True):
    """One installation's ways of making objects; the defaults are KubeRay's."""

    version: str
    cluster_domain: str = "cluster.local"
    injects_probes: bool = True
    injects_init_containers: bool = True
    login_shell: bool = False
    deterministic_head_pod_name: bool = False
    head_cluster_ip_service: bool = False
    default_container_envs: tuple[Raw, ...] = ()
    default_pod_labels: Mapping[str, str] = field(default_factory=dict)
    default_pod_annotations: Mapping[str, str] = field(default_factory=dict)
    head_sidecars: tuple[Raw, ...] = ()
    worker_sidecars: tuple[Raw, ...] = ()
    batch_scheduler: str | UnsetType = UNSET
    """The chosen one as `shared.kernel.schedulers` calls it; left out of records if there is none,
    so that settings from before it was known keep their digest."""

    @property
    def shell(self) -> list[str]:
        """The command that runs one line of shell, read as a login shell if so configured."""
        return ["/bin/bash", "-cl" if self.login_shell else "-c", "--"]

    @property
    def scheduler(self) -> str:
        """The batch scheduler in use; empty for none."""
        return self.batch_scheduler or ""

    def without_scheduler(self) -> "ManifestSettings":
        """Return the settings for pods that belong to no gang."""
        return replace(self, batch_scheduler=UNSET)
