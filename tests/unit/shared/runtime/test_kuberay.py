"""KubeRay's flags and variables: each is translated or told to have no effect, never lost."""

from pathlib import Path

import pytest

from shared.kernel.features import GATES
from shared.runtime.kuberay import PODS, THEIRS, VARIABLES, notices, translated
from shared.runtime.options import OPTIONS

SPEC = Path(__file__).resolve().parents[5] / "shared" / "spec" / "raycluster.md"


def test_every_row_does_something_or_says_why_not() -> None:
    assert [one for one in THEIRS if bool(one.translate) == bool(one.because)] == []
    assert [one for one in THEIRS if not one.flag and not one.field] == []


def test_no_name_is_both_ours_and_without_effect() -> None:
    flags = {option.flag for option in OPTIONS}

    assert {f"--{one.flag}" for one in THEIRS if one.flag} & flags == set()
    assert {option.variable for option in OPTIONS} & VARIABLES.keys() == set()


@pytest.mark.parametrize(
    ("flag", "text", "ours"),
    [
        ("metrics_addr", ":8081", {"http_port": "8081"}),
        ("metrics_addr", "[::1]:0", {"http_port": "0", "http_host": "::1"}),
        ("log_stdout_encoder", "console", {"log_format": "text"}),
        ("zap_log_level", "5", {"log_level": "debug"}),
        ("zap_log_level", "panic", {"log_level": "error"}),
    ],
)
def test_translates_what_we_call_otherwise(flag: str, text: str, ours: dict[str, str]) -> None:
    name = f"--{flag.replace('_', '-')}"

    assert translated({flag: text, "http_port": None}) == {
        option: (name, value) for option, value in ours.items()
    }


def test_a_level_that_nobody_knows_is_told_by_the_flag() -> None:
    with pytest.raises(ValueError, match="--zap-log-level: must be debug, info, error, panic or"):
        translated({"zap_log_level": "0"})


def test_tells_once_of_each_that_has_no_effect() -> None:
    flags = {"enable_leader_election": "true", "qps": "1", "metrics_addr": ":1"}
    told = list(notices(flags, {"ENABLE_WEBHOOKS": "true", "ENABLE_ZERO_DOWNTIME": ""}))

    assert [one.setting for one in told] == ["--enable-leader-election", "ENABLE_WEBHOOKS"]
    assert told[1].because == "the webhook is a service of its own: heliograph run webhook"


def test_every_flag_field_and_variable_of_the_specification_is_known() -> None:
    if not SPEC.exists():
        pytest.skip("no ../shared/spec beside this checkout")
    tables = SPEC.read_text().split("### 11.1")[1].split("### 11.3")[0]
    cells = [row.split("|")[1:3] for row in tables.splitlines() if row.startswith("| ")]
    ours = {option.flag for option in OPTIONS} | {option.variable for option in OPTIONS}
    known = (
        ours
        | {f"--{one.flag}" for one in THEIRS}
        | {one.field for one in THEIRS}
        | PODS.keys()
        | VARIABLES.keys()
    )

    names = {
        word.strip(" `")
        for flag, field in cells
        for word in (*flag.split(","), *field.split(","))
        if word.strip().startswith(("`--", "`ENABLE_", "`RAY", "`CLUSTER", "`DELETE", "`USE_"))
        or (word.strip()[:1].islower() and word.strip().isalpha())
    }
    assert len(names) > 40
    assert names - known - {"on", "off"} == set()


def test_the_gates_are_those_of_the_specification() -> None:
    if not SPEC.exists():
        pytest.skip("no ../shared/spec beside this checkout")
    table = SPEC.read_text().split("### 11.3")[1].split("### 11.4")[0]
    rows = [row.split("|")[1:4] for row in table.splitlines() if row.startswith("| ")]
    told = [tuple(cell.strip() for cell in row) for row in rows if "Gate" not in row[0]]

    assert told == [
        (name, gate.stage.value, str(gate.enabled).lower()) for name, gate in GATES.items()
    ]
