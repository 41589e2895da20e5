"""How Ray fares in a head pod: jobs, Serve applications and answers, by rules that a person writes.

The first rule that fits decides; what no rule fits goes well: a job succeeds after 1.3 s, an
application runs after 0.8 s, every request is answered at once. Spans are seconds. Read next:
scenario.py, which holds these; `sandbox.dashboard`, which plays them.
"""

from fnmatch import fnmatchcase
from typing import Literal, TypeAlias

import msgspec

AppStatus: TypeAlias = Literal[
    "NOT_STARTED", "DEPLOYING", "RUNNING", "DEPLOY_FAILED", "UNHEALTHY", "DELETING"
]


class Where(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which RayClusters a rule speaks of (globs)."""

    namespace: str = "*"
    cluster: str = "*"

    def here(self, namespace: str, cluster: str) -> bool:
        """Tell whether the rule speaks of this cluster."""
        return fnmatchcase(namespace, self.namespace) and fnmatchcase(cluster, self.cluster)


class JobRule(Where, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How a job fares: `pending_for`, then `runs_for` (null: for ever), then its exit code.

    `message` takes the place of what Ray says of a failed job; `logs` are what the job prints.
    """

    job: str = "*"
    entrypoint: str = "*"
    pending_for: float | None = 0.3
    runs_for: float | None = 1.0
    exit_code: int = 0
    message: str = ""
    logs: tuple[str, ...] = ()
    stop_after: float = 0.3


class AppStep(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """From `after` seconds past its deployment on, an application has this status."""

    after: float = 0.0
    status: AppStatus
    message: str = ""


GOES_WELL = (AppStep(status="DEPLOYING"), AppStep(after=0.8, status="RUNNING"))


class AppRule(Where, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How a Serve application fares after each change of its configuration."""

    app: str = "*"
    steps: tuple[AppStep, ...] = GOES_WELL


class AnswerRule(Where, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What becomes of requests, from `after` to `until` seconds past the start of the head.

    `delay` makes the answer late; `refuse` breaks the connection; a `status` is answered with
    `body` in place of the truth.
    """

    method: str = "*"
    path: str = "*"
    after: float = 0.0
    until: float | None = None
    delay: float = 0.0
    refuse: bool = False
    status: int | None = None
    body: str = ""

    def speaks_of(self, method: str, path: str, age: float) -> bool:
        """Tell whether the rule is about this request, so many seconds into the head's life."""
        in_time = self.after <= age and (self.until is None or age < self.until)
        return in_time and fnmatchcase(method, self.method) and fnmatchcase(path, self.path)


class HeadRule(Where, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How long a head takes to answer, and which Ray it says it is."""

    up_after: float = 0.1
    ray_version: str = "2.60.0"


class RayScript(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """All rules about Ray, first fit wins."""

    jobs: tuple[JobRule, ...] = ()
    apps: tuple[AppRule, ...] = ()
    answers: tuple[AnswerRule, ...] = ()
    heads: tuple[HeadRule, ...] = ()

    def job_rule(self, namespace: str, cluster: str, job: str, entrypoint: str) -> JobRule:
        """Find the rule for a job."""
        fitting = (
            rule
            for rule in self.jobs
            if rule.here(namespace, cluster)
            and fnmatchcase(job, rule.job)
            and fnmatchcase(entrypoint, rule.entrypoint)
        )
        return next(fitting, JobRule())

    def app_rule(self, namespace: str, cluster: str, app: str) -> AppRule:
        """Find the rule for an application."""
        fitting = (
            rule
            for rule in self.apps
            if rule.here(namespace, cluster) and fnmatchcase(app, rule.app)
        )
        return next(fitting, AppRule())

    def head_rule(self, namespace: str, cluster: str) -> HeadRule:
        """Find the rule for a head."""
        fitting = (rule for rule in self.heads if rule.here(namespace, cluster))
        return next(fitting, HeadRule())
