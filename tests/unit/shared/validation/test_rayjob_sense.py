"""What several rules about a RayJob come to: what is fine, what comes first, whose path it is."""

import pytest

from shared.kernel.features import Features
from shared.resources.problem import Problem
from shared.resources.rayjob import RayJob
from shared.validation.rayjob import told, validate
from tests.support.rayclusters import container, head, template, workers
from tests.unit.shared.validation.test_rayjob import (
    CHOSEN,
    CLUSTER,
    LOST,
    WON,
    Fields,
    job,
    legacy,
    rule,
    rules,
)

PREFIX = "The RayJob spec is invalid: "
FT_TWICE = (
    "ray.io/ft-enabled annotation and GcsFaultToleranceOptions are both set. Please use only "
    "GcsFaultToleranceOptions to configure GCS fault tolerance"
)


def ids(wanted: RayJob) -> list[str]:
    return [problem.rule for problem in validate(wanted, Features())]


@pytest.mark.parametrize(
    "fields",
    [
        {},
        CHOSEN,
        {"suspend": True, "shutdownAfterJobFinishes": True},
        {"ttlSecondsAfterFinished": 5, "shutdownAfterJobFinishes": True},
        {"submissionMode": "InteractiveMode", "backoffLimit": 0},
        {"submissionMode": "InteractiveMode", "backoffLimit": None},
        {"submissionMode": ""},
        {"backoffLimit": 3},
        {"runtimeEnvYAML": ""},
        {"runtimeEnvYAML": "# nothing"},
        {"runtimeEnvYAML": "pip: [requests]\nenv_vars: {A: b}"},
        legacy("DeleteCluster", "DeleteNone"),
        {"shutdownAfterJobFinishes": True, **legacy("DeleteWorkers", "DeleteCluster")},
        {**CHOSEN, **legacy("DeleteSelf", "DeleteNone")},
        rules(rule("DeleteWorkers", 1, **WON), rule("DeleteCluster", 1, **WON)),
        rules(rule("DeleteSelf", 1, **WON), rule("DeleteSelf", 0, **LOST)),
        rules(rule("DeleteNone", 9, **WON), rule("DeleteSelf", 1, **WON)),
    ],
)
def test_this_is_fine(fields: Fields) -> None:
    assert ids(job(**fields)) == []


def test_the_first_failure_comes_first() -> None:
    wanted = job(
        name="a.b",
        suspend=True,
        ttlSecondsAfterFinished=1,
        deletionStrategy={},
        rayClusterSpec=None,
        submissionMode="Odd",
        runtimeEnvYAML="[]",
        activeDeadlineSeconds=-1,
        backoffLimit=-1,
    )

    assert ids(wanted) == [
        "RayJob.name-letters",
        "RayJob.suspend-shutdown",
        "RayJob.ttl-shutdown",
        "RayJob.deletion-empty",
        "RayJob.cluster",
        "RayJob.runtime-env",
        "RayJob.active-deadline",
        "RayJob.backoff",
        "RayJob.submission-mode",
    ]


def test_the_rules_of_a_cluster_hold_with_the_paths_of_the_job() -> None:
    wanted = job(
        annotations={"ray.io/ft-enabled": "true"},
        rayClusterSpec={
            "headGroupSpec": head(template={}),
            "workerGroupSpecs": [workers(minReplicas=9)],
            "gcsFaultToleranceOptions": {},
        },
    )

    found = validate(wanted, Features())

    at = "spec.rayClusterSpec"
    assert [(each.path, each.message) for each in found] == [
        (
            f"{at}.headGroupSpec.template.spec.containers",
            f"{PREFIX}headGroupSpec should have at least one container",
        ),
        (
            f"{at}.workerGroupSpecs[0].minReplicas",
            f"{PREFIX}worker group small has minReplicas 9 greater than maxReplicas 3",
        ),
        ("metadata.annotations['ray.io/ft-enabled']", f"{PREFIX}{FT_TWICE}"),
    ]
    assert {each.reason for each in found} == {"InvalidRayJobSpec"}


def test_an_upgrade_strategy_of_the_cluster_is_refused_at_once() -> None:
    wanted = job(rayClusterSpec={**CLUSTER, "upgradeStrategy": {"type": "Recreate"}})

    (problem,) = validate(wanted, Features())
    assert problem.path == "spec.rayClusterSpec.upgradeStrategy.type"
    assert problem.message == (
        f"{PREFIX}upgradeStrategy cannot be set when RayCluster is created by RayJob"
    )


def test_a_faulty_rule_is_left_out_when_rules_are_compared() -> None:
    wanted = job(
        **rules(
            rule("DeleteCluster", -1, **WON),
            rule("DeleteSelf", 1, **WON),
            rule("DeleteSelf", 0, **WON),
            rule("DeleteWorkers", 1, **WON),
        )
    )

    assert ids(wanted) == ["RayJob.rule-ttl", "RayJob.rule-once"]


def test_each_outcome_has_an_order_of_its_own() -> None:
    falling = (rule("DeleteWorkers", 3, **LOST), rule("DeleteCluster", 2, **LOST))
    wanted = job(**rules(*falling, rule("DeleteSelf", 1, **LOST), rule("DeleteSelf", 0, **WON)))

    assert [problem.message for problem in validate(wanted, Features())] == [
        "for JobDeploymentStatus 'Failed': DeleteCluster TTL (2) must be >= DeleteWorkers TTL (3)",
        "for JobDeploymentStatus 'Failed': DeleteSelf TTL (1) must be >= DeleteCluster TTL (2)",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "a: [hunter2",
        "hunter2",
        "- hunter2",
        "a: *hunter2",
        "!hunter2 x",
        "a: 'hunter2",
        "hunter2: a: b",
        "\ud800hunter2",
        "\x00hunter2",
        "[" * 5000,
        "a: !!timestamp hunter2",
        "a: !!bool hunter2",
        "a: !!int ''  # hunter2",
        "hunter2: &a [*a]",
    ],
)
def test_what_a_runtime_environment_says_is_never_repeated(text: str) -> None:
    (problem,) = validate(job(runtimeEnvYAML=text), Features())

    assert problem.rule == "RayJob.runtime-env"
    assert "hunter2" not in str(problem)


def test_a_broken_runtime_environment_is_told_with_its_line() -> None:
    (problem,) = validate(job(runtimeEnvYAML="pip:\n- a\nb: [\n"), Features())

    assert problem.message.startswith("failed to unmarshal RuntimeEnvYAML: line ")
    assert problem.message.endswith(": this is not YAML")


def test_a_runtime_environment_that_blows_up_is_refused_at_once() -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{at}: &a{at} [{', '.join([f'*a{at - 1}'] * 10)}]" for at in range(1, 30)]

    (problem,) = validate(job(runtimeEnvYAML="\n".join(lines)), Features())
    assert problem.message == "failed to unmarshal RuntimeEnvYAML: it repeats itself too often"


def test_an_event_about_the_shape_names_the_path() -> None:
    problem = Problem(path="spec.suspend", message="should be true or false, not text")

    assert (
        told(problem, "lab", "demo") == "lab/demo: spec.suspend: should be true or false, not text"
    )


def test_a_restarting_head_matters_in_sidecar_mode_only() -> None:
    restarting = head(template=template(container(), restartPolicy="OnFailure"))

    assert ids(job(rayClusterSpec={"headGroupSpec": restarting})) == []
