"""KubeRay's own RayJob and RayCronJob samples, and how each is to end."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml
from msgspec import Struct

SAMPLES = Path(__file__).resolve().parents[4] / "shared" / "data" / "kuberay-samples"
KINDS = ("RayJob", "RayCronJob")
SELECTS = "ray-job.use-existing-raycluster.yaml"
INTERACTIVE = "ray-job.interactive-mode.yaml"
YUNIKORN = "ray-job.yunikorn-scheduler.yaml"


class Sample(Struct, frozen=True, kw_only=True):
    """One file: its resource, and what comes beside it."""

    file: str
    resource: Mapping[str, Any]
    others: tuple[Mapping[str, Any], ...]

    @property
    def namespace(self) -> str:
        """A namespace of its own: two files use one name."""
        stem = self.file.rpartition("/")[2].removesuffix(".yaml")
        return stem.replace(".", "-").replace("_", "-").lower()

    @property
    def spec(self) -> Mapping[str, Any]:
        """What the user wants."""
        found: Mapping[str, Any] = self.resource["spec"]
        return found

    @property
    def gone(self) -> bool:
        """Whether the RayJob itself goes in the end."""
        rules = self.spec.get("deletionStrategy", {}).get("deletionRules", [])
        return any(rule["policy"] == "DeleteSelf" for rule in rules)

    @property
    def cluster_goes(self) -> bool:
        """Whether its cluster goes within the patience of a test."""
        ttl = self.spec.get("ttlSecondsAfterFinished", 0)
        return bool(self.spec.get("shutdownAfterJobFinishes")) and ttl <= MOST_TTL


MOST_TTL = 60


def samples() -> list[Sample]:
    """Read every sample that holds a RayJob or a RayCronJob."""
    found = []
    for path in sorted(SAMPLES.rglob("*.yaml")):
        documents = [each for each in yaml.safe_load_all(path.read_text()) if each]
        ours = [each for each in documents if each["kind"] in KINDS]
        if ours:
            others = tuple(each for each in documents if each["kind"] not in KINDS)
            file = str(path.relative_to(SAMPLES))
            found.append(Sample(file=file, resource=ours[0], others=others))
    return found


def sample(file: str) -> Sample:
    """Read one sample."""
    return next(each for each in samples() if each.file == file)


def cluster_named(name: str) -> dict[str, Any]:
    """Return KubeRay's sample of a RayCluster under another name."""
    [document] = [
        each
        for each in yaml.safe_load_all((SAMPLES / "ray-cluster.sample.yaml").read_text())
        if each and each["kind"] == "RayCluster"
    ]
    return {**document, "metadata": {"name": name}}
