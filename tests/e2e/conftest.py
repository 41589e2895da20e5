"""When a test fails, show what every process of its installation wrote last."""

from collections.abc import Generator

import pytest

from tests.support.processes import open_installations


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Add the ends of the log files to the report of a failed step."""
    report = yield
    if report.failed:
        report.sections.extend(
            (f"end of {name}.log", text)
            for installation in open_installations()
            for name, text in installation.told()
        )
    return report
