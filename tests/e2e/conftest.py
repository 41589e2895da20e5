"""Which Kubernetes the tests speak to, and what is shown when one fails.

`pytest tests/e2e --kube real` runs them on the real control plane, `--kube sandbox` (the default)
on the sandbox.
"""

import os
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest

from tests.support.kubes import Kube, chosen_kube
from tests.support.processes import open_installations
from tests.support.realkube import LATER


def pytest_addoption(parser: pytest.Parser) -> None:
    """Let the user choose."""
    parser.addoption("--kube", choices=("sandbox", "real"), default="sandbox")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out, on the real control plane, what has no use for it.

    On the sandbox leave to a later run on the real one what can run on either, if there is one.
    """
    real = config.getoption("--kube", "sandbox") == "real"
    if not (real or os.environ.get(LATER)):
        return
    here = Path(__file__).parent
    either = {item for item in items if "kube" in getattr(item, "fixturenames", ())}
    chosen = [item for item in items if (item in either) == real or here not in item.path.parents]
    config.hook.pytest_deselected(items=[item for item in items if item not in chosen])
    items[:] = chosen


@pytest.fixture(scope="session")
def kube(pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kube]:
    """Give the Kubernetes of this session."""
    with chosen_kube(pytestconfig.getoption("--kube", "sandbox"), tmp_path_factory) as chosen:
        yield chosen


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
