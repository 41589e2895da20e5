"""A redactor that knows the secrets of every spec in a history. Pure."""

from collections.abc import Iterable, Iterator

from heliograph.views.redaction import Redactor
from shared.events.envelope import Record
from shared.events.objects import ResourceSeen
from shared.kernel.manifests import text_at


def redactor_for(records: Iterable[Record]) -> Redactor:
    """Learn every spec once, so that messages that repeat a secret of one can be told."""
    redactor, known = Redactor(), set()
    for record in records:
        body = record.envelope.body
        if isinstance(body, ResourceSeen) and (body.meta.uid, body.meta.generation) not in known:
            known.add((body.meta.uid, body.meta.generation))
            redactor.learn((body.spec,), names=names_in(body))
    return redactor


def names_in(seen: ResourceSeen) -> Iterator[str]:
    """Yield what a resource and its Ray job are called: submitters carry it in their variables."""
    yield seen.meta.name
    yield from (text_at(part, "jobId") for part in (seen.spec, seen.status))
