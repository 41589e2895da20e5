"""What people see of a diagnosis, word for word, and what the command ends with."""

import io
import json

import pytest
import yaml
from msgspec.structs import replace

from heliograph.cli.app import main
from heliograph.cli.doctor import CODES, lines_of, verdict_words
from heliograph.cli.printing import print_value
from heliograph.cli.render import Screen
from heliograph.views.doctor.checks import Diagnosis, Verdict
from heliograph.views.doctor.facts import (
    Acts,
    Consumer,
    Definition,
    Difference,
    Facts,
    Holder,
    Lacking,
    Operator,
    Presence,
    Stream,
    Unknown,
    Waiting,
)
from heliograph.views.doctor.judging import judged
from shared.bus.server import NatsServer
from tests.support.examinations import BUS, CLUSTER, HEALTHY, LISTED, NOW, PRESENCE, STREAMS
from tests.unit.heliograph.cli.recorded import assert_golden

Captured = pytest.CaptureFixture[str]
NOWHERE = ("--nats-url", "nats://127.0.0.1:1", "--within", "1s")
LACKING = Holder(
    services=("executor",),
    account="system:serviceaccount:heliograph:heliograph-executor",
    deployed=True,
    asked=80,
    lacking=(Lacking(verb="create", resource="pods"), Lacking(verb="delete", resource="pods")),
)


def sick() -> Facts:
    """Return an installation with something wrong in every area."""
    wait = Waiting(
        resource="raycluster/default/first", since=NOW.replace(hour=2), words="2 actions"
    )
    changed = Difference(setting="deny_delete", now="false", asked="true")
    bus = replace(
        BUS,
        account=Unknown("no answer within 10 s"),
        streams={**STREAMS, "RAYPUB": Stream(name="RAYPUB", differences=(changed,))},
        consumers={**BUS.consumers, "executor": Consumer(name="executor", pending=12)},
        presence=Presence(members={"status": ("one",)}, leases=PRESENCE.leases[:1]),
        listed=LISTED[:1],
        acts=Acts(count=1, unanswered=(wait,), rules=2),
    )
    cluster = replace(
        CLUSTER,
        definitions={
            "rayclusters.ray.io": Definition(
                name="rayclusters.ray.io", missing=("spec.networkPolicy",), versions=("v1",)
            ),
            "rayjobs.ray.io": Definition(name="rayjobs.ray.io", there=False),
        },
        holders=(LACKING,),
        operators=(Operator(name="KubeRay", namespace="ray-system", evidence="its lease"),),
    )
    return replace(HEALTHY, bus=bus, cluster=cluster)


def page(found: Diagnosis, width: int | None = None) -> str:
    return "\n".join(lines_of(Screen(io.StringIO(), {}, width=width), found)) + "\n"


def test_a_healthy_installation_on_paper() -> None:
    assert_golden("doctor-well", page(judged(HEALTHY)))


@pytest.mark.parametrize("form", ["json", "yaml"])
def test_a_sick_one_for_programs(form: str, capsys: Captured) -> None:
    print_value(judged(sick()), form)

    assert_golden(f"doctor-sick-as-{form}", capsys.readouterr().out)


def test_a_sick_one_on_paper_and_on_a_narrow_terminal() -> None:
    assert_golden("doctor-sick", page(judged(sick())))
    narrow = page(judged(sick()), width=80)

    assert_golden("doctor-sick-at-80", narrow)
    assert max(map(len, narrow.splitlines())) <= 80


@pytest.mark.parametrize(
    ("verdict", "code"),
    [(Verdict.WELL, 0), (Verdict.WARNINGS, 1), (Verdict.BLIND, 2), (Verdict.WRONG, 3)],
)
def test_every_verdict_has_its_exit_code(verdict: Verdict, code: int) -> None:
    assert CODES[verdict] == code


def test_the_last_line_counts_what_is_not_well() -> None:
    assert verdict_words(judged(sick())).startswith("7 wrong, ")
    assert verdict_words(judged(HEALTHY)).startswith("all is well (")


def test_without_nats_and_without_kubernetes_nothing_could_be_looked_at(capsys: Captured) -> None:
    assert main(("doctor", *NOWHERE, "--no-kube")) == 2
    told = capsys.readouterr()

    assert told.out.endswith("nothing could be looked at\n")
    assert "Connect call failed" in told.out
    assert told.err == ""


def test_a_kubeconfig_that_is_not_there_is_wrong_and_none_at_all_one_line(
    capsys: Captured, monkeypatch: pytest.MonkeyPatch, nats: NatsServer
) -> None:
    monkeypatch.setenv("HOME", "/nowhere")
    monkeypatch.delenv("KUBECONFIG", raising=False)

    assert main(("doctor", "--nats-url", nats.url, "-q", "--kubeconfig", "/nowhere/x")) == 3
    assert "there is no kubeconfig at /nowhere/x" in capsys.readouterr().out
    assert main(("doctor", "--nats-url", nats.url, "-q")) == 3
    assert "not looked at: there is no kubeconfig here" in capsys.readouterr().out


@pytest.mark.parametrize("form", ["json", "yaml"])
def test_programs_get_every_check(form: str, capsys: Captured, nats: NatsServer) -> None:
    assert main(("doctor", "--nats-url", nats.url, "--no-kube", "-o", form)) == 3

    text = capsys.readouterr().out
    told = json.loads(text) if form == "json" else yaml.safe_load(text)
    missing = [one["what"] for one in told["checks"] if one["mark"] == "wrong"]
    assert told["verdict"] == "wrong"
    assert missing == ["RAYTIME", "RAYLOG", "RAYPUB", "KV_raymembers"]
    assert told["counts"]["wrong"] == 4


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--no-bus", "--no-kube"), "leave nothing to look at"),
        (("--within", "soon"), "--within: 'soon' must be a span"),
        (("--within", "0s"), "--within: '0s' must be longer than nothing"),
    ],
)
def test_a_mistake_is_one_sentence(
    arguments: tuple[str, ...], words: str, capsys: Captured
) -> None:
    assert main(("doctor", *arguments)) == 2
    assert words in capsys.readouterr().err
