"""Which calls the API server notes: every write to what a test counts, once, without its body.

A test reads the log beside the kubeconfig: who made which call and what came of it, refused calls
included. Events of pods, leases and the like would only fill it.
"""

from pathlib import Path

import msgspec
import yaml

from tools.realkube.flags import Audit

LOG = "audit.log"
COUNTED = (
    ("", ["pods", "services"]),
    ("batch", ["jobs"]),
    ("ray.io", ["rayclusters", "rayclusters/status"]),
)
WRITES = ["create", "update", "patch", "delete", "deletecollection"]
BEFORE_THE_ANSWER = ["RequestReceived", "ResponseStarted"]


class Ref(msgspec.Struct, frozen=True, rename="camel"):
    """What a call was about."""

    resource: str = ""
    namespace: str = ""
    name: str = ""
    subresource: str = ""


class Who(msgspec.Struct, frozen=True):
    """Who made a call."""

    username: str = ""


class Answer(msgspec.Struct, frozen=True):
    """What came of a call."""

    code: int = 0


class Noted(msgspec.Struct, frozen=True, rename="camel"):
    """One call."""

    verb: str
    object_ref: Ref = Ref()
    user: Who = Who()
    response_status: Answer = Answer()


def write_policy(folder: Path) -> Audit:
    """Write which calls are noted; return what the API server is told of it."""
    rules = [
        {
            "level": "Metadata",
            "verbs": WRITES,
            "resources": [{"group": group, "resources": resources} for group, resources in COUNTED],
        },
        {"level": "None"},
    ]
    policy = {"apiVersion": "audit.k8s.io/v1", "kind": "Policy", "rules": rules}
    path = folder / "audit-policy.yaml"
    path.write_text(yaml.safe_dump({**policy, "omitStages": BEFORE_THE_ANSWER}), encoding="utf-8")
    return Audit(policy=str(path), log=str(folder / LOG))


def read_log(folder: Path, namespace: str) -> list[Noted]:
    """Return every call about a namespace so far, in the order of their ends."""
    path = folder / LOG
    lines = path.read_bytes().splitlines() if path.exists() else []
    calls = (msgspec.json.decode(line, type=Noted) for line in lines)
    return [call for call in calls if call.object_ref.namespace == namespace]
