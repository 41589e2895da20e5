"""Decision after decision on a screen: on a terminal one at a time, elsewhere all."""

import os
import sys
from collections.abc import Sequence

from heliograph.cli.printing import print_value
from heliograph.cli.render import Cell, Colour, Screen, fit, table
from heliograph.views.steps import Step

SHOWN_MAX = 12
COLOURS = {"identical": Colour.GREEN, "different": Colour.RED, "missing": Colour.YELLOW}
WORDS = {
    "identical": "decided the same now",
    "different": "decided otherwise now",
    "missing": "not compared: what it rests on is no longer in the log",
}


def show_steps(steps: Sequence[Step], form: str) -> None:
    """Print steps; wait for Enter between them where a person can press it."""
    if form != "table":
        print_value(steps, form)
        return
    screen = Screen(sys.stdout, os.environ)
    waits = screen.live and sys.stdin.isatty()
    for number, step in enumerate(steps, start=1):
        screen.write(step_lines(screen, step, f"{number} of {len(steps)}"))
        if waits and number < len(steps):
            sys.stdout.write(screen.paint("Enter goes on, Ctrl-D ends ", Colour.DIM))
            sys.stdout.flush()
            if not sys.stdin.readline():
                screen.write([""])
                return
    if not steps:
        screen.write(["the log holds no decisions there"])


def step_lines(screen: Screen, step: Step, place: str) -> list[str]:
    """Return one step as lines."""
    clock = step.at.strftime("%Y-%m-%d %H:%M:%S")
    title = f"act {step.sequence} of {step.resource}, {clock} ({place})"
    news = table(
        screen,
        [
            ["  ", Cell(str(moment.sequence), Colour.DIM), moment.what, moment.text]
            for moment in step.news
        ],
    )
    based = f"  based on record {step.based_on}"
    lines = [
        screen.paint(title, Colour.BOLD),
        screen.paint(f"{based}, since the last act:" if news else based, Colour.DIM),
        *news,
        f"  decided {screen.paint(step.decided, Colour.YELLOW)}",
        *(screen.paint(f"    because {reason}", Colour.DIM) for reason in step.because),
        f"  {screen.paint(WORDS[step.verdict], COLOURS[step.verdict])}",
        *(screen.paint(f"    {line}", None) for line in step.differences[:SHOWN_MAX]),
    ]
    left = len(step.differences) - SHOWN_MAX
    return [
        *(fit(line, screen.width) for line in lines),
        *([f"    and {left} more"] if left > 0 else []),
        "",
    ]
