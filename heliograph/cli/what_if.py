"""`heliograph what-if FILE`: fork a history, change a fact, and see what would have happened.

The log is read and nothing is written, to no bus and no cluster. Exit code 0 if the outcome is the
same, 1 if it differs, 2 if nobody can tell.
"""

import os
import sys
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections.abc import Iterator, Sequence
from datetime import timedelta
from pathlib import Path

import yaml

from heliograph.assembly.gathering import gather
from heliograph.cli.asking import unknown
from heliograph.cli.extent import past_of
from heliograph.cli.printing import add_output, print_value
from heliograph.cli.render import Cell, Colour, Progress, Screen
from heliograph.cli.source import add_source, reading, records_from
from heliograph.cli.timeline import COLOURS
from heliograph.cli.when import WHEN, span_of
from heliograph.cli.wrapping import Row, broken, wrapped
from heliograph.simulator.forking import Answer, Asked, what_if
from heliograph.simulator.questions import Question, QuestionError, read_question
from heliograph.views.outcomes import Comparison, Happened, alike
from shared.events.subjects import everything_of
from shared.runtime.failures import Exit, FatalError
from shared.runtime.spans import print_span

NOTICED = 1.0
"""Seconds from which on it is said that something happens later."""
EXAMPLES = f"""Both forks go on in a simulator: the rules are the real ones, Kubernetes and Ray
are imitated. Nothing is written to the log or to any cluster. WHEN is {WHEN}.

FILE says what is otherwise (- reads it from standard input), or is a manifest of the resource:

  resource: raycluster/default/first
  after: 30s                                  # so long after the moment (at once)
  groups: {{small: {{replicas: 0}}}}              # fields of worker groups, by name
  patch: {{spec: {{suspend: true}}}}              # a merge patch of the resource
  delete: true                                # the resource is deleted
  pods: [{{group: small, count: 1, fate: oom}}] # exit, oom, evict, delete, lose; or name: POD
  nodesLost: [node-7]
  dashboard: {{jobs: FAILED, after: 20s}}       # how jobs end: SUCCEEDED, FAILED, RUNNING
  dashboard: {{answers: hang, for: 5m}}         # or refuse; applications: {{app: UNHEALTHY}}
  operator: {{away: 10m}}                       # with --for 20m: what comes after the end
                                              # of the forks is refused
  settings: {{feature-gates: RayCronJob=true}}  # flags of the operator, without --

examples:
  heliograph what-if smaller.yaml --at 03:12 --for 20m
  heliograph what-if smaller.yaml --at 4711 --for 1h -o json
  heliograph what-if - --capsule incident.capsule < question.yaml

exit codes: 0 the same outcome, 1 another one, 2 it could not be found out."""


def add_arguments(parser: ArgumentParser) -> None:
    """Name the question, the moment, and how far to go on."""
    parser.formatter_class = RawDescriptionHelpFormatter
    parser.epilog = EXAMPLES
    parser.add_argument("file", metavar="FILE", help="What is to be otherwise.")
    parser.add_argument("--at", metavar="WHEN", help="Where to fork (now).")
    parser.add_argument(
        "--for", dest="lasts", metavar="SPAN", default="10m", help="How far to go on (10m)."
    )
    parser.add_argument(
        "--seed", type=int, default=0, metavar="NUMBER", help="The luck of both forks (0)."
    )
    add_output(parser)
    add_source(parser)


def run(args: Namespace) -> int:
    """Run both forks and tell where they part."""
    question = question_in(args.file)
    answer = _answered(args, question, span_of("--for", args.lasts))
    if args.output != "table":
        print_value(answer, args.output)
    else:
        screen = Screen(sys.stdout, os.environ)
        screen.write(list(answer_lines(screen, answer)))
    return Exit.DONE if answer.comparison.same else Exit.BROKEN


def question_in(file: str) -> Question:
    """Read a question from a file, or from standard input; say where it is wrong."""
    name = "standard input" if file == "-" else file
    try:
        text = sys.stdin.read() if file == "-" else Path(file).read_text(encoding="utf-8")
        return read_question(yaml.safe_load(text))
    except OSError as problem:
        raise FatalError(f"{name}: cannot be read: {problem.strerror}") from problem
    except UnicodeDecodeError as problem:
        raise FatalError(f"{name}: this is not text in UTF-8") from problem
    except yaml.YAMLError as problem:
        told = " ".join(str(problem).split())
        raise FatalError(f"{name}: this is not YAML: {told}") from problem
    except QuestionError as problem:
        raise FatalError(f"{name}: {problem}") from problem


def _answered(args: Namespace, question: Question, lasts: timedelta) -> Answer:
    key, at = question.key, past_of(args, "what-if", "--at", args.at)
    if not records_from(args, "what-if", (everything_of(key),)):
        raise unknown(args, "what-if", key)
    records = reading(args, "what-if", lambda read: gather(read, (key,)))
    asked = Asked(question=question, at=at, lasts=lasts, seed=args.seed)
    screen = Screen(sys.stderr, os.environ)
    with Progress(screen) as progress:

        def tell(done: float) -> None:
            if screen.live:
                progress.show((f"two forks of {print_span(lasts)}: {done:.0%}",))

        try:
            return what_if(records, asked, tell)
        except QuestionError as problem:
            name = "standard input" if args.file == "-" else args.file
            raise FatalError(f"{name}: {problem}") from problem


def answer_lines(screen: Screen, answer: Answer) -> Iterator[str]:
    """Yield an answer as a page: the verdict, what differs, then both timelines."""
    clock = answer.moment.strftime("%Y-%m-%d %H:%M:%S")
    title = f"{answer.resource} at record {answer.record}, {clock}: what if"
    for line in broken(title, screen.width):
        yield screen.paint(line, Colour.BOLD)
    for change in answer.changes or ("nothing is otherwise",):
        yield from broken(f"  {change}", screen.width)
    found = answer.comparison
    yield ""
    words = verdict_words(found, timedelta(seconds=answer.seconds))
    for line in broken(words, screen.width):
        yield screen.paint(line, Colour.GREEN if found.same else Colour.YELLOW)
    yield from _endings(screen, found)
    yield from _only(screen, "only if it is changed", found.only_other)
    yield from _only(screen, "only if nothing is changed", found.only_base)
    yield from _side_by_side(screen, found)
    yield ""
    yield from broken(f"real: {answer.real}", screen.width)
    for one in answer.imitated:
        yield from broken(f"imitated: {one}", screen.width)


def verdict_words(found: Comparison, lasts: timedelta) -> str:
    """Say in a sentence how the forks compare."""
    span = print_span(lasts)
    if not found.ends_alike:
        return f"another outcome after {span}"
    if not found.same:
        return f"another way to the same end after {span}"
    if abs(found.later) < NOTICED:
        return f"the same outcome after {span}"
    when = "later" if found.later > 0 else "sooner"
    return f"the same outcome after {span}, up to {abs(found.later):.1f} s {when}"


def _endings(screen: Screen, found: Comparison) -> Iterator[str]:
    yield ""
    yield screen.paint("how it ends", Colour.BOLD)
    for one in found.endings:
        never = f"{one.resource} is never there"
        rows: list[Row] = [["  unchanged", one.base or never], ["  changed", one.other or never]]
        if alike(one.base) == alike(one.other):
            rows = [["  both", one.base]]
        yield from wrapped(screen, rows)


def _only(screen: Screen, title: str, lines: Sequence[Happened]) -> Iterator[str]:
    if not lines:
        return
    yield ""
    yield screen.paint(title, Colour.BOLD)
    rows: list[Row] = []
    for one in lines:
        after = one.base if one.base is not None else one.other
        rows.append([f"  {_seconds(after)}", Cell(one.what, COLOURS[one.what]), one.text])
        rows.extend(["", "", Cell(f"  because {why}", Colour.DIM)] for why in one.because)
    yield from wrapped(screen, rows)


def _side_by_side(screen: Screen, found: Comparison) -> Iterator[str]:
    if not found.timeline:
        return
    yield ""
    several = len({one.resource for one in found.timeline}) > 1
    rows: list[Row] = []
    for one in found.timeline:
        name = [one.resource.rpartition("/")[2]] if several else []
        times = [_seconds(one.base), _seconds(one.other)]
        rows.append([*times, *name, Cell(one.what, COLOURS[one.what]), one.text])
    names = ["resource"] if several else []
    yield from wrapped(screen, rows, headings=("unchanged", "changed", *names, "what", ""))


def _seconds(after: float | None) -> str:
    return "" if after is None else f"+{after:.1f} s"
