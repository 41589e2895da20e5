"""`heliograph rehearse`: what other rules would have decided, and how bad that is."""

from collections.abc import Iterator

import msgspec
import pytest

from heliograph.cli.app import main
from services.reconciler.decisions.raycluster import decide as rules
from services.reconciler.decisions.raycluster import unhealthy
from services.reconciler.decisions.raycluster.situation import Situation
from shared.actions.objects import Action
from shared.events.objects import PodSeen
from tests.support.builders import deletion

Captured = pytest.CaptureFixture[str]


def test_a_changed_rule_is_told_by_replay_and_by_rehearsal(
    failed: str, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    kept = tuple(one for one in rules.PODS if one.__module__ != unhealthy.__name__)
    monkeypatch.setattr(rules, "PODS", kept)

    assert main(["capsule", "replay", failed]) == 1
    replayed = capsys.readouterr().out.splitlines()
    assert replayed[0] == "1 of 2 decisions of 1 resource are identical"
    assert replayed[-1] == "1 differ"
    assert main(["rehearse", "--capsule", failed]) == 1
    assert capsys.readouterr().out.splitlines() == [
        "heliograph 0.1.0 decided 2 decisions of 1 resource again",
        "harmless, rule unhealthy: 1",
        "  raycluster/default/first, act 34, 2030-01-01 00:01:20",
        "    would not delete pod first-small-worker-bn2nt",
        "1 differ, harmlessly",
    ]


def test_a_rule_that_newly_deletes_ends_with_3(
    failed: str, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    def greedy(found: Situation) -> Iterator[Action]:
        for (kind, name), seen in found.view.children.items():
            if kind == "pod" and isinstance(seen, PodSeen) and "head" in name:
                yield msgspec.structs.replace(deletion(name), uid=seen.meta.uid, rule="greedy")

    monkeypatch.setattr(rules, "PODS", (greedy, *rules.PODS))

    assert main(["rehearse", "--capsule", failed]) == 3
    told = capsys.readouterr().out.splitlines()
    assert told[1] == "destructive, rule greedy: 1"
    assert told[3].startswith("    would delete pod first-head-")
    assert told[-1] == "1 differ, 1 of them destructively"
    assert main(["rehearse", "--capsule", failed, "-o", "json"]) == 3
    assert msgspec.json.decode(capsys.readouterr().out)["destructive"] == 1


def test_nothing_differs_and_rehearsal_ends_with_0(service: str, capsys: Captured) -> None:
    assert main(["rehearse", "--capsule", service, "--from", "7d"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "heliograph 0.1.0 decided 30 decisions of 1 resource again",
        "identical",
    ]
