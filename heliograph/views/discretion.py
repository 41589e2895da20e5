"""A redactor that knows the secrets of every spec in a history. Pure."""

from collections.abc import Iterable

from heliograph.views.redaction import Redactor
from shared.events.envelope import Record
from shared.events.objects import ResourceSeen


def redactor_for(records: Iterable[Record]) -> Redactor:
    """Learn every spec once, so that messages that repeat a secret of one can be told."""
    redactor, known = Redactor(), set()
    for record in records:
        body = record.envelope.body
        if isinstance(body, ResourceSeen) and (body.meta.uid, body.meta.generation) not in known:
            known.add((body.meta.uid, body.meta.generation))
            redactor.learn((body.spec,))
    return redactor
