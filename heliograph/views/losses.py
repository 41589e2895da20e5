"""What was lost before something else: the resource above, a head, pods of a group. Pure."""

from datetime import timedelta

from heliograph.views.chronicle import Chapter
from heliograph.views.prompts import DELETED, POD_ENDED, POD_ILL, POD_LEFT, kind_of
from shared.aggregates.raycluster import group_of
from shared.events.envelope import Record
from shared.events.objects import ObjectGone, PodSeen
from shared.resources.labels import HEAD_GROUP

BEFORE = timedelta(minutes=15)
"""How long before a job failed its head may have been lost, to be the reason."""


def gone_before(chapter: Chapter, record: Record) -> Record | None:
    """Return the record with which a resource began to go, if it did before this record."""
    for one in chapter.itself:
        if one.sequence <= record.sequence and kind_of(chapter, one) == DELETED:
            return one
    return None


def head_lost(chapter: Chapter, record: Record) -> Record | None:
    """Return the last that befell a head shortly before something else failed."""
    for one in reversed(chapter.records):
        early = one.sequence < record.sequence and one.at >= record.at - BEFORE
        ill = early and kind_of(chapter, one) in (POD_ENDED, POD_ILL, POD_LEFT)
        if ill and _group(chapter, one) == HEAD_GROUP:
            return one
    return None


def of_group(chapter: Chapter, record: Record, group: str) -> bool:
    """Whether a record may concern pods of a group: what is about no pod may concern any."""
    found = _group(chapter, record)
    return not group or found is None or found in (group, "")


def _group(chapter: Chapter, record: Record) -> str | None:
    body = record.envelope.body
    if isinstance(body, PodSeen):
        return group_of(body.meta)
    if not isinstance(body, ObjectGone) or body.kind != "pod":
        return None
    bodies = (one.envelope.body for one in chapter.sights("pod", body.name))
    return next((group_of(one.meta) for one in bodies if isinstance(one, PodSeen)), "")
