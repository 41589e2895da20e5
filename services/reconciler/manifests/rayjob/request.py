"""What Ray's job API is sent to submit a job over HTTP."""

import json

from services.reconciler.manifests.rayjob.command import runtime_env
from shared.resources.rayjob import RayJob

LARGEST = 3.4e38
"""The largest number that KubeRay and Ray take: that of a float of 32 bits."""


def submit_request(job: RayJob) -> dict[str, object] | str:
    """Return the request without its id; a sentence if no request can be made of the spec."""
    spec = job.spec
    request: dict[str, object] = {"entrypoint": spec.entrypoint or ""}
    if spec.metadata:
        request["metadata"] = dict(spec.metadata)
    if spec.runtime_env_yaml:
        request["runtime_env"] = runtime_env(spec.runtime_env_yaml)
    if (spec.entrypoint_num_cpus or 0) > 0:
        request["entrypoint_num_cpus"] = spec.entrypoint_num_cpus
    if (spec.entrypoint_num_gpus or 0) > 0:
        request["entrypoint_num_gpus"] = spec.entrypoint_num_gpus
    if spec.entrypoint_resources:
        resources = _resources(spec.entrypoint_resources)
        if isinstance(resources, str):
            return resources
        request["entrypoint_resources"] = resources
    return request


def _resources(text: str) -> dict[str, float] | str:
    try:
        found = json.loads(text)
    except ValueError as problem:
        return f"spec.entrypointResources is no JSON: {problem}"
    except RecursionError:
        return "spec.entrypointResources is nested too deeply"
    if not isinstance(found, dict):
        return "spec.entrypointResources must be a JSON object of numbers"
    wrong = [key for key, value in found.items() if not _is_number(value)]
    if wrong:
        return f"spec.entrypointResources: {', '.join(sorted(wrong))} must be a number"
    return {key: float(value) for key, value in found.items()}


def _is_number(value: object) -> bool:
    """Whether Ray can take it: finite, and no larger than its own numbers."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return -LARGEST <= value <= LARGEST
