"""The two faces of one event: `v1` and `events.k8s.io/v1` name the same fields differently.

Events are stored as `v1`, where some fields are there even when they are blank. Invariant: turning
one into the other and back changes nothing but the `apiVersion` and blanks.
"""

from sandbox.objects import Object

NEW_API = "events.k8s.io/v1"
NEW_NAMES = {
    "involvedObject": "regarding",
    "message": "note",
    "source": "deprecatedSource",
    "firstTimestamp": "deprecatedFirstTimestamp",
    "lastTimestamp": "deprecatedLastTimestamp",
    "count": "deprecatedCount",
    "reportingComponent": "reportingController",
}
BLANKS: Object = {
    "eventTime": None,
    "firstTimestamp": None,
    "lastTimestamp": None,
    "reportingComponent": "",
    "reportingInstance": "",
    "source": {},
}
OLD_NAMES = {new: old for old, new in NEW_NAMES.items()}


def as_new(event: Object) -> Object:
    """Show a stored event as `events.k8s.io/v1` does."""
    renamed = {
        NEW_NAMES.get(field, field): value
        for field, value in event.items()
        if value or field not in {"reportingComponent", "reportingInstance"}
    }
    return {**renamed, "apiVersion": NEW_API}


def as_stored(event: Object) -> Object:
    """Return the event as it is stored, whichever face it has."""
    if event.get("apiVersion") != NEW_API:
        return event
    renamed = {OLD_NAMES.get(field, field): value for field, value in event.items()}
    return {**renamed, "apiVersion": "v1"}
