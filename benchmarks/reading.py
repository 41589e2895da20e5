"""What reading a resource costs, against decoding its text, and how it grows with the groups.

Reading happens once for each change of a spec, in every service that looks at it; spelling out the
definitions only in a command. Pod templates stay raw, so their size should not matter.
"""

from collections.abc import Iterator
from functools import partial

import msgspec

from benchmarks.deciding import timed
from shared.kernel.manifests import Raw
from shared.resources.crd import definitions
from shared.resources.reading import read

GROUPS = (2, 100)
CONTAINER = {
    "name": "ray",
    "image": "rayproject/ray:2.52.0",
    "env": [{"name": f"VARIABLE_{number}", "value": "value"} for number in range(20)],
    "resources": {"limits": {"cpu": "4", "memory": "16Gi"}, "requests": {"cpu": "4"}},
    "volumeMounts": [{"name": "tmp", "mountPath": "/data"}],
}
TEMPLATE = {"spec": {"containers": [CONTAINER], "volumes": [{"name": "tmp", "emptyDir": {}}]}}


def measure() -> list[list[str]]:
    """Return rows for each kind and size, and for the definitions."""
    spelled = timed(definitions)
    rows = [row for groups in GROUPS for row in _rows(groups)]
    return [*rows, ["definitions of all kinds", f"{spelled * 1e3:.0f} ms", "once in a command"]]


def _rows(groups: int) -> Iterator[list[str]]:
    for word, raw in _resources(groups).items():
        text = msgspec.json.encode(raw)
        decoding = timed(partial(msgspec.json.decode, text))
        reading = timed(partial(read, word, raw))
        yield [
            f"read a {word}, {groups} groups",
            f"{reading * 1e6:.0f} us",
            f"{reading / decoding:.1f} x the cost of decoding its {len(text) / 1000:.0f} kB",
        ]


def _resources(groups: int) -> dict[str, Raw]:
    cluster = {
        "headGroupSpec": {"rayStartParams": {"num-cpus": "0"}, "template": TEMPLATE},
        "workerGroupSpecs": [
            {"groupName": f"group-{number}", "replicas": 1, "template": TEMPLATE}
            for number in range(groups)
        ],
    }
    job = {"entrypoint": "python job.py", "rayClusterSpec": cluster}
    specs = {
        "raycluster": cluster,
        "rayjob": job,
        "rayservice": {"serveConfigV2": "applications: []", "rayClusterConfig": cluster},
        "raycronjob": {"schedule": "@hourly", "jobTemplate": job},
    }
    return {word: {"metadata": {"name": "measured"}, "spec": spec} for word, spec in specs.items()}
