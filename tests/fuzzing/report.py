"""What is told at the end: a table of verdicts by kind, and each finding made small."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from heliograph.views.timeline import Moment
from tests.fuzzing.changes import as_patch
from tests.fuzzing.playing import Outcome
from tests.fuzzing.trials import Trial

VERDICTS = ("reached", "said why", "refused", "went back", "deleted", "finding")
MOMENTS = 40


def table(outcomes: Iterable[Outcome]) -> Iterator[str]:
    """Yield a line for each kind: trials, fields, and what became of the changes."""
    counts: dict[str, Counter[str]] = {}
    fields: dict[str, set[str]] = {}
    for one in outcomes:
        kind = one.trial.kind
        counts.setdefault(kind, Counter())[one.verdict] += 1
        counts[kind]["trials"] += 1
        counts[kind]["broken"] += bool(one.findings)
        fields.setdefault(kind, set()).update(change.field for change in one.trial.changes)
    yield f"{'kind':<12}{'trials':>8}{'fields':>8}" + "".join(f"{one:>11}" for one in VERDICTS)
    for kind, count in sorted(counts.items()):
        shown = {**count, "finding": count["broken"]}
        cells = "".join(f"{shown.get(one, 0):>11}" for one in VERDICTS)
        yield f"{kind:<12}{count['trials']:>8}{len(fields[kind]):>8}{cells}"


def described(
    trial: Trial, findings: Sequence[str], said: Sequence[str], moments: Sequence[Moment]
) -> Iterator[str]:
    """Yield what a person needs to see a finding again, and what happened."""
    yield trial.told()
    yield from (f"  {one}" for one in findings)
    yield from (f"  said: {one}" for one in said)
    yield f"  from the base {trial.base!r}, in the order {trial.shape.value!r}:"
    yield from (f"    {line}" for line in as_patch(trial.changes).splitlines())
    for one in moments[-MOMENTS:]:
        yield f"  {one.sequence:>6} {one.at:%H:%M:%S} {one.what:<8} {one.text}"
        yield from (f"{'':>25}because {reason}" for reason in one.because)
