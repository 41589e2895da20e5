"""What everybody is told of a RayCronJob: which runs were made and which were not."""

from shared.events.lifecycle import LifeTold
from tests.support.crons import CronPlot, cron, name_at


def told(plot: CronPlot) -> list[tuple[str, object]]:
    bodies = (record.envelope.body for record in plot.records)
    return [
        (body.what, body.data.get("run", body.data["because"]))
        for body in bodies
        if isinstance(body, LifeTold)
    ]


def test_tells_of_each_run() -> None:
    plot = CronPlot()
    plot.announces()
    plot.commits()
    for minutes in (5, 10):
        plot.at(minutes)
        plot.works()
        plot.announces()

    assert told(plot)[1:] == [("fired", name_at(5)), ("fired", name_at(10))]


def test_tells_of_runs_that_were_skipped() -> None:
    plot = CronPlot()
    plot.announces()
    plot.commits()
    plot.at(16)
    plot.works()
    plot.announces()

    assert [what for what, _ in told(plot)] == ["created", "skipped", "fired"]
    assert told(plot)[1][1] == (
        "the runs of 2030-01-01T12:05:00Z, 2030-01-01T12:10:00Z were skipped"
    )
    assert told(plot)[2][1] == name_at(15)


def test_tells_of_a_suspension_and_its_end() -> None:
    plot = CronPlot()
    plot.announces()
    plot.sees(cron(suspend=True, generation=2))
    plot.announces()
    plot.sees(cron(generation=3))
    plot.announces()

    assert [what for what, _ in told(plot)] == ["created", "suspended", "resumed"]
