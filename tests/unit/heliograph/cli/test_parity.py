"""What people see of a comparison, word for word, and with which code the command ends."""

from datetime import timedelta
from pathlib import Path

import pytest

from heliograph.cli.app import main
from shared.events import subjects
from shared.events.modes import ModeChosen
from tests.support.builders import failed, head, service, worker
from tests.support.shadows import Shadow, cluster
from tests.unit.heliograph.cli import recorded
from tests.unit.heliograph.cli.recorded import assert_golden

Captured = pytest.CaptureFixture[str]


def saved(shadow: Shadow, folder: Path) -> str:
    """Write what a shadow heard as a capsule, which needs no bus."""
    return str(recorded.saved(shadow.records, folder / "trial.capsule", ended_at=shadow.now))


def alike() -> Shadow:
    """Another operator does all that we would."""
    shadow = Shadow()
    shadow.sees(cluster(2))
    shadow.thinks()
    shadow.sees(service(), head("theirs"), worker("a"), worker("b"))
    shadow.thinks()
    shadow.passes(60)
    return shadow


def apart() -> Shadow:
    """Another operator leaves a failed worker alone, and makes one too many."""
    shadow = alike()
    shadow.sees(failed(worker("a", version=11), "OOMKilled"))
    shadow.thinks()
    shadow.passes(1)
    shadow.sees(worker("c"), worker("d"))
    shadow.thinks()
    shadow.passes(60)
    return shadow


@pytest.mark.parametrize(("name", "code"), [("alike", 0), ("apart", 1)])
@pytest.mark.parametrize("form", ["table", "json", "yaml"])
def test_the_comparison(name: str, code: int, form: str, tmp_path: Path, capsys: Captured) -> None:
    shadow = {"alike": alike, "apart": apart}[name]()
    capsule = saved(shadow, tmp_path)

    assert main(["parity", "-o", form, "--capsule", str(capsule)]) == code
    assert_golden(f"parity-{name}-{form}", capsys.readouterr().out)


def test_a_moment_after_everything_leaves_nothing_to_compare(
    tmp_path: Path, capsys: Captured
) -> None:
    capsule = saved(alike(), tmp_path)

    assert main(["parity", "--since", "5s", "--capsule", str(capsule)]) == 2
    said = capsys.readouterr()
    assert said.out == "nothing to compare yet\n"
    assert said.err.startswith("heliograph: the capsule covers record 1 (")


def test_one_resource_is_compared_alone(tmp_path: Path, capsys: Captured) -> None:
    capsule = saved(alike(), tmp_path)

    assert main(["parity", "raycluster/prod/demo", "--capsule", str(capsule)]) == 0
    assert capsys.readouterr().out.endswith("100 % of 4 decisions about 1 resource\n")
    assert main(["parity", "raycluster/prod/other", "--capsule", str(capsule)]) == 2


def test_the_log_of_an_installation_that_acts_is_refused(tmp_path: Path, capsys: Captured) -> None:
    shadow = alike()
    shadow.append(subjects.MODE, ModeChosen())

    assert main(["parity", "--capsule", saved(shadow, tmp_path)]) == 2
    assert "is of an installation that acts" in capsys.readouterr().err


@pytest.mark.parametrize("resource", [[], ["raycluster/prod/demo"]])
@pytest.mark.parametrize("until", [None, 20])
def test_a_capsule_of_an_installation_that_acts_is_refused(
    resource: list[str], until: int | None, tmp_path: Path, capsys: Captured
) -> None:
    """As `capsule save` writes it, also when the mark was written after the range."""
    plot = alike()
    acting = tuple(one for one in plot.records if one.subject != subjects.MODE)
    plot.append(subjects.MODE, ModeChosen())
    end = acting[0].at + timedelta(seconds=until) if until else None
    capsule = recorded.sealed((*acting, plot.records[-1]), tmp_path / "acting", until=end)

    assert main(["parity", *resource, "--capsule", str(capsule)]) == 2
    assert "this log is of an installation that acts" in capsys.readouterr().err


def test_a_capsule_of_a_shadow_is_compared(tmp_path: Path, capsys: Captured) -> None:
    capsule = recorded.sealed(alike().records, tmp_path / "shadow")
    again = tmp_path / "again"
    assert main(["capsule", "save", "--all", "--capsule", str(capsule), "-f", str(again)]) == 0
    assert "from log        log-1, of a shadow\n" in capsys.readouterr().out

    assert main(["parity", "--capsule", str(again)]) == 0


def test_a_capsule_that_does_not_say_whose_log_it_is_of_is_not_guessed_about(
    tmp_path: Path, capsys: Captured
) -> None:
    unmarked = tuple(one for one in alike().records if one.subject != subjects.MODE)
    capsule = recorded.sealed(unmarked, tmp_path / "unmarked")

    assert main(["parity", "--capsule", str(capsule)]) == 2
    told = capsys.readouterr().err
    assert "this capsule does not say whether its log is of a shadow" in told


def test_a_span_that_is_none_is_told(capsys: Captured) -> None:
    assert main(["parity", "--within", "soon"]) == 2
    assert capsys.readouterr().err.startswith("heliograph: --within: ")
