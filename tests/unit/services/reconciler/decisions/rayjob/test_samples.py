"""KubeRay's samples, each lived to its end."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from shared.events.objects import Container
from shared.kernel.manifests import mapping_at
from shared.resources.defaulting import stored
from tests.support.builders import Raw, cluster_spec, group
from tests.support.jobstory import JobStory
from tests.support.rayjobs import cluster, head_with

SAMPLES = Path(__file__).resolve().parents[7] / "shared" / "data" / "kuberay-samples"
TEMPLATES = "{{"
"""What marks a file as one that somebody has to fill in first."""

pytestmark = pytest.mark.skipif(not SAMPLES.is_dir(), reason="../shared/data is not here")


def samples() -> Iterator[tuple[str, Raw]]:
    for path in sorted(SAMPLES.rglob("*.yaml")):
        text = path.read_text(encoding="utf-8")
        if "kind: RayJob" not in text or TEMPLATES in text:
            continue
        for raw in yaml.safe_load_all(text):
            if raw and raw.get("kind") == "RayJob":
                yield path.stem, stored(raw)


def lived(spec: Raw) -> JobStory:
    """The life of a RayJob of this spec, whose program does well."""
    story = JobStory(spec)
    chosen = mapping_at(spec, "clusterSelector").get("ray.io/cluster")
    if isinstance(chosen, str):
        story.clusters[chosen] = cluster(chosen, cluster_spec(group()), version=5, owned=False)
    story.goes_on()
    if story.phase == "Suspended":
        story.wishes(suspend=None)
        story.goes_on()
    story.cluster_is("ready")
    story.heads = (head_with(Container(name="ray-job-submitter", state="running")),)
    story.goes_on()
    if story.phase == "Waiting":
        story.wishes(jobId="by-hand")
        story.goes_on()
    assert story.phase == "Running", story.status
    ends(story)
    return story


def ends(story: JobStory) -> None:
    story.job_is("SUCCEEDED")
    if story.submitter is not None:
        story.submitter_ends()
    done = Container(
        name="ray-job-submitter", state="terminated", exit_code=0, finished_at=story.now
    )
    story.heads = (head_with(done),)
    story.goes_on()


@pytest.mark.parametrize(("name", "raw"), list(samples()) if SAMPLES.is_dir() else [])
def test_a_sample_runs_to_its_end(name: str, raw: Raw) -> None:
    """RayJob checklist 95: Complete and SUCCEEDED."""
    story = lived(dict(mapping_at(raw, "spec")))

    assert (story.phase, story.status["jobStatus"]) == ("Complete", "SUCCEEDED"), name


def test_there_are_samples_of_every_mode() -> None:
    modes = {mapping_at(raw, "spec").get("submissionMode") for _, raw in samples()}

    assert modes >= {"K8sJobMode", "InteractiveMode", "SidecarMode"}
