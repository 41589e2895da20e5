"""Run every benchmark and print one table: what, how much, against what.

Absolute figures depend on the machine and on what else it does; the ratios of one run are the
result. Figures worth keeping go to `benchmarks/README.md`, with their machine.
"""

import asyncio
import os
import sys
from argparse import ArgumentParser

from benchmarks import bus, deciding, fleet, jobs, reading, replaying, scale, services, timers
from heliograph.cli.render import Screen, table


def main() -> int:
    """Measure and print."""
    parser = ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--clusters", type=int, default=50, help="RayClusters in the fleet.")
    parser.add_argument("--messages", type=int, default=5000, help="Messages on the bus.")
    parser.add_argument("--timers", type=int, default=100_000, help="Timers armed at once.")
    parser.add_argument("--services", type=int, default=100, help="RayServices at rest.")
    parser.add_argument("--records", type=int, default=1_000_000, help="Records of a large log.")
    args = parser.parse_args()
    screen = Screen(sys.stdout, os.environ)
    for title, rows in (
        ("Reading what users write", reading.measure()),
        ("Fold, decide, assess", deciding.measure()),
        ("One large cluster", scale.measure()),
        ("Bus", asyncio.run(bus.measure(args.messages))),
        ("A thousand jobs", asyncio.run(jobs.measure())),
        ("RayServices at rest", asyncio.run(services.measure(args.services))),
        ("Deciding history again", asyncio.run(replaying.measure(args.records))),
        ("Timers", asyncio.run(timers.measure(args.timers))),
        ("Fleet on the sandbox", asyncio.run(fleet.measure(args.clusters))),
    ):
        screen.write(["", title, *table(screen, rows, headings=("what", "figure", "against"))])
    return 0


sys.exit(main())
