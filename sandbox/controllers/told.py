"""What is written on a pod about its processes, by whoever plays them. Pure.

A process whose end is not planned by a rule (a submitter that follows a job) is ended by a note on
the pod; the kubelet reads it as one more exit. So everything a kubelet knows stays on the pod.
Read next: kubelet.py; `sandbox.dashboard.submitters` writes the notes.
"""

from datetime import datetime

import msgspec

from sandbox.controllers.scenario import ContainerExit
from sandbox.objects import Object, metadata, with_metadata

EXITS = "sandbox.heliograph.dev/exits"


def told_exits(pod: Object) -> tuple[ContainerExit, ...]:
    """Read the ends that are noted on a pod; nothing if somebody wrote nonsense there."""
    text = (metadata(pod).get("annotations") or {}).get(EXITS)
    if not text:
        return ()
    try:
        return msgspec.json.decode(text, type=tuple[ContainerExit, ...])
    except msgspec.DecodeError:
        return ()


def with_exit(pod: Object, container: str, at: datetime, exit_code: int) -> Object:
    """Note on a pod that the process of a container ended."""
    ends = (*told_exits(pod), ContainerExit(container=container, at=at, exit_code=exit_code))
    return with_note(pod, EXITS, msgspec.json.encode(ends).decode())


def with_note(pod: Object, key: str, text: str) -> Object:
    """Return the pod with one more annotation."""
    return with_metadata(pod, annotations={**(metadata(pod).get("annotations") or {}), key: text})
