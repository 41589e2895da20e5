"""An asker that is told to end while news arrive begins nothing more, and nobody complains."""

import asyncio
import logging
from contextlib import suppress

import pytest
from msgspec.structs import replace

from shared.events import subjects
from tests.support.builders import act
from tests.support.rayjobs import KEY, job_spec, rayjob
from tests.unit.services.watcher.asking.test_asker import HERE, Stage, want
from tests.unit.shared.following.followed import Owning


@pytest.mark.parametrize("later", range(20))
async def test_nothing_breaks_however_many_steps_after_the_news_it_is_told_to_end(
    later: int, caplog: pytest.LogCaptureFixture
) -> None:
    stage = Stage()
    await stage.append(subjects.own(KEY), rayjob(job_spec()))
    running = asyncio.create_task(stage.asker(Owning(HERE)).run())
    await asyncio.sleep(1)
    with caplog.at_level(logging.ERROR):
        news = asyncio.create_task(stage.append(subjects.act(KEY), replace(act(), wants=(want(),))))
        for _ in range(later):
            await asyncio.sleep(0)
        running.cancel()
        with suppress(asyncio.CancelledError):
            await running
        await news

    assert [one.message for one in caplog.records] == []
