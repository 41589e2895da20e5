"""What the heads of a moment knew, as far as the log heard of it: jobs and applications. Pure."""

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta

import yaml

from sandbox.dashboard.jobs import Job
from sandbox.dashboard.memory import App, Memory
from shared.aggregates.rayservice import last_served
from shared.aggregates.view import View
from shared.events.told import FOUND, JobTold
from shared.kernel.manifests import entries_at, text_at

Memories = dict[tuple[str, str], Memory]
LONG = timedelta(hours=1)
"""How long applications that run count as deployed."""


def memories_of(views: Iterable[View], moment: datetime) -> Memories:
    """Return what each head knew, by namespace and name of its cluster."""
    found: Memories = {}
    for view in views:
        if view.key.kind == "rayjob":
            found |= _of_job(view, moment)
        elif view.key.kind == "rayservice":
            found |= _of_service(view, moment)
    return found


def _of_job(view: View, moment: datetime) -> Memories:
    cluster = text_at(view.status, "rayClusterName")
    entrypoint = text_at(view.own.spec, "entrypoint") if view.own else ""
    jobs = {
        told.job_id: Job(
            submission_id=told.job_id,
            entrypoint=entrypoint,
            submitted_at=told.started_at or moment,
        )
        for heard in view.told.values()
        if isinstance(told := heard.body, JobTold) and told.answer == FOUND
    }
    if not cluster or not jobs:
        return {}
    known = Memory(incarnation="", jobs=jobs, submissions=len(jobs))
    return {(view.key.namespace, cluster): known}


def _of_service(view: View, moment: datetime) -> Memories:
    configs = applications_in(text_at(view.own.spec, "serveConfigV2")) if view.own else {}
    found: Memories = {}
    for part in ("activeServiceStatus", "pendingServiceStatus"):
        cluster = text_at(view.status, part, "rayClusterName")
        told = last_served(view, cluster) if cluster else None
        if told is None or not told.applications:
            continue
        apps = {
            name: App(config=configs[name], deployed_at=moment - LONG)
            for name in told.applications
            if name in configs
        }
        known = Memory(incarnation="", apps=apps, serve_since=moment - LONG)
        found[view.key.namespace, cluster] = known
    return found


def applications_in(config: str) -> Mapping[str, dict[str, object]]:
    """Read what Serve was told to run; nothing if that cannot be read."""
    try:
        document = yaml.safe_load(config)
    except yaml.YAMLError:
        return {}
    rows = entries_at(document, "applications")
    return {name: {"name": name, **row} for row in rows if (name := text_at(row, "name"))}
