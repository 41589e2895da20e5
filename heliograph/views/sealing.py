"""From a slice of the log to what a capsule holds: no secret, and decided the same. Pure.

Decisions hash what people wrote: into stamps of pods and clusters, names of configurations, their
own ids. A hash over a secret cannot stand beside its stand-in: it would no longer fit, and the
secret could be guessed from it. So records are redacted and decided again in order: an act that is
the same on the source, and the same but for such names over redacted records, is carried as it is
decided there, and its names replace the former ones in all that follows. Other acts are carried as
they were recorded, redacted; the manifest names those that redaction altered. See decision 0020.
"""

from collections.abc import Iterable, Iterator, Mapping

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from heliograph.views.capsule import Line, Slice, Tally
from heliograph.views.deciding import deciding, deciding_with
from heliograph.views.names import Names, alike, derived, learn, renamed, stamps_in
from heliograph.views.redaction import Redactor
from heliograph.views.replay import Replayer, Verdict, replay, settings_in
from services.reconciler.decisions.settings import DecisionSettings, digest_of
from shared.aggregates.view import View
from shared.events import subjects
from shared.events.codec import encode
from shared.events.decisions import Decided, SettingsUsed
from shared.events.envelope import Envelope, Record
from shared.events.objects import ResourceSeen
from shared.events.subjects import place_of
from shared.kernel.ids import content_id

STAMP = "hashes of specs that are not here"
ROUNDS_MAX = 4
"""How often everything is gone through until no name is new."""

_envelopes = msgspec.json.Decoder(Envelope)


class Sealed(Struct, frozen=True, kw_only=True):
    """Lines without secrets, and how decisions over them compare."""

    lines: tuple[Line, ...]
    on_source: Tally
    in_capsule: Tally
    altered: tuple[int, ...]
    redacted: dict[str, int]


def seal(cut: Slice) -> Sealed:
    """Redact a slice such that it is decided as it was."""
    source = {verdict.sequence: verdict for verdict in judged(cut.lines)}
    sealing = _Sealing(cut.lines, source)
    lines, altered = sealing.go_through()
    for _ in range(ROUNDS_MAX):
        known = dict(sealing.names)
        lines, altered = sealing.go_through()
        if sealing.names == known:
            break
    return Sealed(
        lines=lines,
        on_source=tally(source.values()),
        in_capsule=tally(judged(lines)),
        altered=altered,
        redacted=sealing.redactor.counts,
    )


def judged(lines: Iterable[Line]) -> Iterator[Verdict]:
    """Decide the acts of the range again; those of the base have nothing to rest on."""
    known = tuple(lines)
    records = tuple(line.record for line in known)
    left_out = {line.record.sequence for line in known if line.base or line.altered}
    for verdict in replay(records, deciding(records)):
        if verdict.sequence not in left_out:
            yield verdict


def tally(verdicts: Iterable[Verdict]) -> Tally:
    """Count verdicts."""
    found = tuple(verdicts)
    missing = sum(1 for verdict in found if verdict.missing)
    different = sum(1 for verdict in found if verdict.differences)
    return Tally(identical=len(found) - missing - different, different=different, missing=missing)


class _Sealing:
    """One slice on its way: who stands for what, and what was named anew."""

    def __init__(self, lines: tuple[Line, ...], source: Mapping[int, Verdict]) -> None:
        self._lines = lines
        self._source = source
        self.redactor = Redactor()
        raws = {line.record.sequence: _raw(line.record.envelope) for line in lines}
        self.redactor.learn(raws.values())
        self._plain = {at: self.redactor.redacted(raw) for at, raw in raws.items()}
        self.names: Names = {}
        self._fresh: Decided | None = None
        for line in lines:
            self._seed(line.record)
        for line in lines:
            for stamp in stamps_in(line.record.envelope.body):
                if stamp not in self.names:
                    self.names[stamp] = self.redactor.stand_in(stamp, STAMP)

    def _seed(self, record: Record) -> None:
        """Learn what the hashes over a spec, and the names of settings, become."""
        body, place = record.envelope.body, place_of(record.subject)
        if isinstance(body, SettingsUsed):
            new = _renamed(self._redacted(record).envelope.body)
            self.names[body.digest] = new
        elif isinstance(body, ResourceSeen) and place is not None:
            plain = self._redacted(record).envelope.body
            after = derived(place.rest[0], plain.spec) if isinstance(plain, ResourceSeen) else ()
            self.names |= dict(zip(derived(place.rest[0], body.spec), after, strict=False))

    def go_through(self) -> tuple[tuple[Line, ...], tuple[int, ...]]:
        """Redact every line, oldest first; decide every act of the range again."""
        settings = settings_in(self._beside(line.record) for line in self._lines)
        decided = deciding_with(settings)

        def again(view: View, act: Decided) -> Decided | None:
            self._fresh = decided(view, act)
            return self._fresh

        replayer = Replayer(again, settings)
        lines: list[Line] = []
        altered: list[int] = []
        for line in self._lines:
            record = self._line(line, replayer, altered)
            replayer.take(record, judge=False)
            changed = line.record.sequence in altered
            lines.append(Line(record=record, base=line.base, altered=changed))
        return tuple(lines), tuple(altered)

    def _line(self, line: Line, replayer: Replayer, altered: list[int]) -> Record:
        record, body = line.record, line.record.envelope.body
        if isinstance(body, SettingsUsed):
            return self._beside(record)
        plain = self._redacted(record)
        act = plain.envelope.body
        if not isinstance(body, Decided) or not isinstance(act, Decided):
            return plain
        carried = _identified(record.subject, act)
        verdict = self._source.get(record.sequence)
        if verdict is not None and not verdict.missing and not verdict.differences:
            fresh = self._decided_again(replayer, plain)
            if fresh is not None and alike(_raw(act), self.redactor.redacted(_raw(fresh))):
                carried = fresh
            else:
                altered.append(record.sequence)
        self.names[body.id] = carried.id
        learn(self.names, _raw(body), _raw(carried))
        envelope = replace(plain.envelope, id=carried.id, body=carried)
        return replace(plain, envelope=envelope)

    def _decided_again(self, replayer: Replayer, record: Record) -> Decided | None:
        """Return what is decided over redacted records where this act stands."""
        self._fresh = None
        replayer.judge(record)
        return self._fresh

    def _beside(self, record: Record) -> Record:
        """Return settings without secrets, under the name that they have then."""
        body = record.envelope.body
        plain = self._redacted(record) if isinstance(body, SettingsUsed) else record
        found = plain.envelope.body
        if not isinstance(found, SettingsUsed):
            return plain
        digest = _renamed(found)
        envelope = replace(plain.envelope, body=replace(found, digest=digest))
        return replace(plain, subject=subjects.settings(digest), envelope=envelope)

    def _redacted(self, record: Record) -> Record:
        """Return a record without secrets and with the new names; its id says nothing."""
        raw = renamed(self._plain[record.sequence], self.names)
        envelope = _envelopes.decode(encode(raw))
        named = content_id("capsule", record.subject, record.sequence)
        return replace(record, envelope=replace(envelope, id=named, trace=""))


def _identified(subject: str, act: Decided) -> Decided:
    """Give a redacted act the id that its content has now."""
    bare = replace(act, id="")
    return replace(act, id=content_id(subject, act.fence, encode(bare)))


def _renamed(body: object) -> str:
    """Return the name that settings have; the former one if this version cannot read them."""
    if not isinstance(body, SettingsUsed):
        return ""
    try:
        return digest_of(msgspec.convert(body.settings, DecisionSettings))
    except msgspec.ValidationError:
        return body.digest


def _raw(value: object) -> object:
    return msgspec.json.decode(encode(value))
