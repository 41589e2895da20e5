"""A share of the trials on the sandbox finds nothing, and what is broken on purpose is found.

The whole of it: `python -m tests.fuzzing`, `docs/internals/fuzzing.md`.
"""

import logging
from collections.abc import Iterator, Sequence

import pytest
from msgspec.structs import replace

from services.reconciler.decisions.decide import decide
from services.reconciler.decisions.decision import Context
from services.reconciler.decisions.raycluster import decide as concerns
from services.status.conditions import raycluster as assessing
from shared.aggregates.view import View
from tests.fuzzing import hearing
from tests.fuzzing.__main__ import main
from tests.fuzzing.bases import BASES, KINDS
from tests.fuzzing.changes import Change
from tests.fuzzing.markers import ENV_MARKER
from tests.fuzzing.running import run_alone, run_world
from tests.fuzzing.shrinking import culprits, kind_of, shrunk
from tests.fuzzing.trials import Shape, Trial, trials

SHARE = {"RayCluster": 16, "RayJob": 10, "RayService": 8, "RayCronJob": 8}
SEEDS = (100, 101)
SCALED = Change(path=("workerGroupSpecs", 0, "replicas"), value=3)
ASLEEP = Change(
    path=("submitterPodTemplate",),
    value={
        "spec": {
            "containers": [{"name": "own", "image": "mine", "command": ["sleep", "infinity"]}],
            "restartPolicy": "Never",
        }
    },
)
VERSION = Change(path=("rayVersion",), value="2.53.0")


def trial(*changes: Change, kind: str = "RayCluster", base: str = "", number: int = 0) -> Trial:
    """A trial that changes a resource at rest."""
    return Trial(
        seed=100,
        number=number,
        kind=kind,
        base=base or next(iter(BASES[kind])),
        shape=Shape.CHANGE,
        changes=changes,
        pause=0.0,
    )


@pytest.fixture(autouse=True)
def _own_lines() -> Iterator[None]:
    """Leave the levels of loggers as they were."""
    loggers = [logging.getLogger(name) for name in ("services", "shared", "heliograph")]
    levels = [each.level for each in loggers]
    yield
    for each, level in zip(loggers, levels, strict=True):
        each.setLevel(level)


def test_every_base_is_well_and_finds_back() -> None:
    every = [(kind, base) for kind in KINDS for base in BASES[kind]]

    seen = run_world(
        [trial(kind=kind, base=base, number=at) for at, (kind, base) in enumerate(every)]
    )

    assert seen.findings == ()
    assert [one for outcome in seen.outcomes for one in outcome.findings] == []


@pytest.mark.parametrize("seed", SEEDS)
def test_a_share_of_the_trials_finds_nothing(seed: int) -> None:
    chosen = [one for kind, count in SHARE.items() for one in trials(kind, seed, count)]

    seen = run_world(chosen)

    broken = {one.trial.told(): one.findings for one in seen.outcomes if one.findings}
    assert broken == {}
    assert seen.findings == ()
    assert {one.verdict for one in seen.outcomes} >= {"reached", "said why", "refused"}


def test_a_group_that_does_not_grow_in_silence_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(concerns, "PODS", concerns.PODS[:-1])

    seen, moments = run_alone(trial(SCALED))

    assert "silent: 3 pods of small are wished, 0 there, 0 ready" in seen.outcomes[0].findings
    assert any("pod ray-head" in one.text for one in moments)


def test_a_submitter_that_never_submits_is_told_of_with_its_field() -> None:
    seen, _ = run_alone(replace(trial(ASLEEP, kind="RayJob"), shape=Shape.BORN))

    outcome = seen.outcomes[0]
    assert (outcome.findings, outcome.verdict) == ((), "said why")
    assert any("spec.submitterPodTemplate" in one for one in outcome.said)


def test_a_cluster_of_a_service_keeps_the_replicas_that_it_was_made_with() -> None:
    none = Change(path=("rayClusterConfig", *SCALED.path), value=0)

    seen, _ = run_alone(replace(trial(none, kind="RayService"), shape=Shape.BORN))

    assert (seen.outcomes[0].findings, seen.outcomes[0].verdict) == ((), "reached")


def test_a_job_that_ray_takes_and_never_finds_is_told_of() -> None:
    """Its id has a slash: Ray never finds it, and was asked to take it as fast as it answered."""
    slashed = trial(Change(path=("jobId",), value="a/b"), kind="RayJob", base="forever")
    (outcome,) = run_alone(replace(slashed, shape=Shape.BORN))[0].outcomes

    assert outcome.findings == ()


def test_who_decides_without_a_pause_breaks_and_time_goes_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(hearing, "MOST", 0)
    (outcome,) = (seen := run_alone(trial(SCALED))[0]).outcomes

    assert any("times in one moment" in told for told in (*seen.findings, *outcome.findings))


def test_what_was_handed_to_another_operator_is_not_ours_to_let_go() -> None:
    handed = Change(path=("managedBy",), value="kueue.x-k8s.io/multikueue")

    seen, _ = run_alone(replace(trial(handed, kind="RayService"), shape=Shape.CUT))

    assert (seen.outcomes[0].findings, seen.outcomes[0].verdict) == ((), "deleted")


def test_a_service_that_breaks_and_what_it_wrote_are_found(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def breaks(view: View, context: Context) -> object:
        if view.own is not None and view.own.spec.get("rayVersion") == "2.53.0":
            raise LookupError(ENV_MARKER)
        return decide(view, context)

    monkeypatch.setattr("services.reconciler.service.decide", breaks)

    seen = run_world([trial(VERSION)])

    assert {kind_of(one) for one in seen.findings} == {"crash", "leak"}


def test_a_status_that_stays_behind_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    assess = assessing.assess_raycluster

    def stays(*given: object, **more: object) -> object:
        return {**assess(*given, **more), "observedGeneration": 1}  # type: ignore[arg-type] # passed on

    monkeypatch.setattr("services.status.assessing.assess_raycluster", stays)

    seen = run_world([trial(SCALED)])

    assert "silent: generation 2 is there, 1 was observed" in seen.outcomes[0].findings


def test_a_finding_is_made_small() -> None:
    large = replace(trial(VERSION, SCALED, base="rich"), shape=Shape.HURRY)

    def finds(one: Trial) -> tuple[str, ...]:
        return ("silent: x",) if SCALED in one.changes else ("left: y",)

    small, found = shrunk(large, "silent: x", finds)

    assert (small.changes, small.base, small.shape) == ((SCALED,), "plain", Shape.CHANGE)
    assert found == ("silent: x",)
    assert shrunk(large, "crash: z", finds) == (large, ())


def test_who_does_harm_to_a_world_is_found_by_halves() -> None:
    every = [trial(number=number) for number in range(9)]
    asked: list[int] = []

    def bad(some: Sequence[Trial]) -> bool:
        asked.append(len(some))
        return any(one.number in {2, 7} for one in some)

    assert [one.number for one in culprits(every, bad)] == [2, 7]
    assert max(asked) == 9


def test_the_command_tells_a_table_and_that_all_is_well(capsys: pytest.CaptureFixture[str]) -> None:
    code = main(["--kind", "RayCluster", "--seed", "100", "--count", "2", "--field", "rayVersion"])

    told = capsys.readouterr()
    assert code == 0
    assert "RayCluster         2       1" in told.out
    assert "2 trials, 0 with findings, 0 of whole worlds" in told.out
    assert "2 of 2 trials" in told.err


def test_more_worlds_than_one_process_plays_are_all_played(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("tests.fuzzing.__main__.TOGETHER", 1)
    monkeypatch.setattr("tests.fuzzing.__main__.WORLDS", 1)

    main(["--kind", "RayCronJob", "--seed", "100", "--count", "2", "--field", "timeZone"])

    assert "2 trials, 0 with findings, 0 of whole worlds" in capsys.readouterr().out


def test_a_field_that_nobody_has_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(["--field", "colour"])

    assert "no field begins with colour" in capsys.readouterr().err
