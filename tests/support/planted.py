"""Histories with secrets in every place where people keep them, decided by the real rules.

Each is a whole life: what is made is seen with the stamps and labels that it was made with. The
values are in `SECRETS`; nothing else in these histories contains one of them.
"""

from msgspec.structs import replace

from services.reconciler.decisions.settings import digest_of
from services.reconciler.service import as_plain
from shared.actions.objects import CreateObject
from shared.actions.outcomes import Done, Refused
from shared.events import subjects
from shared.events.decisions import Decided, SettingsUsed
from shared.events.envelope import Record
from shared.events.objects import Meta, PodSeen, ResourceSeen
from shared.kernel.manifests import mapping_at, text_at, texts_at
from shared.resources.labels import REDIS_CLEANUP_FINALIZER
from tests.support.builders import SETTINGS, Raw, cluster_spec, group, owner, resource
from tests.support.history import History
from tests.support.jobstory import JobStory
from tests.support.plot import Plot
from tests.support.rayjobs import job_spec
from tests.support.steppingstory import SteppingStory, stepped_spec

ENV, SHORT, REDIS, PARAM = "env-literal-4711", "kurz", "redis-parole-12", "start-parole-13"
TOKEN, INLINE, FLAG, ANNOTATED = "hf-inline-987", "inline-parole-14", "flag-parole-15", "note-pw-16"
RUNTIME, SERVE, ARGUMENT, HEADER = "runtime-value-17", "serve-value-18", "arg-key-19", "Hdr.val20AB"
URL = "url-parole-21"
SECRETS = (
    *(ENV, SHORT, REDIS, PARAM, TOKEN, INLINE, FLAG, ANNOTATED, RUNTIME, SERVE, ARGUMENT),
    *(HEADER, URL),
)

ENTRYPOINT = (
    f"HF_TOKEN={TOKEN} python main.py --password {FLAG} --store redis://me:{URL}@store:6379"
)
RUNTIME_ENV = f"# {RUNTIME} is ours\nenv_vars:\n  DATABASE: {RUNTIME}\npip: [torch]\n"
CONFIG = f"""applications:
- name: stand
  import_path: fruit.stand
  args: {{api_key: {ARGUMENT}, max_tokens: 512}}
  runtime_env: {{env_vars: {{DATABASE: {SERVE}}}}}
"""


def secretive(value: str = ENV) -> Raw:
    """A pod template with secrets."""
    environment = [
        {"name": "DATABASE", "value": value},
        {"name": "LEVEL", "value": SHORT},
        {"name": "SAFE", "valueFrom": {"secretKeyRef": {"name": "safe", "key": "password"}}},
    ]
    arguments = [f"API_TOKEN={INLINE} prepare", f"curl -H 'Authorization: Bearer {HEADER}'"]
    container = {
        "name": "ray",
        "image": "rayproject/ray:2.46.0",
        "env": environment,
        "lifecycle": {"postStart": {"exec": {"command": ["sh", "-c", *arguments]}}},
    }
    return {
        "metadata": {"annotations": {"team/password": ANNOTATED}},
        "spec": {"containers": [container]},
    }


def secret_cluster(value: str = ENV, **more: object) -> Raw:
    """A cluster spec with secrets; the password of Redis among the parameters of `ray start`."""
    head = {"rayStartParams": {"redis-password": PARAM}, "template": secretive(value)}
    return cluster_spec(
        group("small", 1, template=secretive(value)), **{"headGroupSpec": head, **more}
    )


def safe_cluster(value: str = ENV, **more: object) -> Raw:
    """A cluster spec with secrets, whose state is in Redis."""
    redis = {"redisAddress": "redis:6379", "redisPassword": {"value": REDIS}}
    head = {"rayStartParams": {}, "template": secretive(value)}
    return secret_cluster(value, headGroupSpec=head, gcsFaultToleranceOptions=redis, **more)


def _settings(story: History) -> None:
    used = SettingsUsed(digest=digest_of(SETTINGS), settings=as_plain(SETTINGS))
    story.append(subjects.settings(used.digest), used)


def _made(act: Decided, action: CreateObject, version: int) -> PodSeen:
    """A pod as it is seen after it was made."""
    manifest = act.manifests[action.manifest]
    meta = Meta(
        name=action.name,
        namespace="prod",
        uid=f"uid-of-{action.name}",
        resource_version=version,
        labels={**texts_at(manifest, "metadata", "labels"), **action.labels},
        annotations={
            **texts_at(manifest, "metadata", "annotations"),
            "heliograph.dev/act": act.id,
        },
        owners=(owner(),),
    )
    restart = text_at(mapping_at(manifest, "spec"), "restartPolicy")
    return PodSeen(meta=meta, phase="Running", restart_policy=restart, ray_container="ray")


def cluster_recreated() -> Plot:
    """A cluster comes up, its environment changes, and it is made anew; a quota is in the way."""
    plot = Plot()
    _settings(plot)
    recreate = {"type": "Recreate"}
    plot.sees(_marked(resource(safe_cluster(upgradeStrategy=recreate))))
    _rounds(plot, 2000)
    plot.passes(60)
    changed = safe_cluster(f"{ENV}-more", upgradeStrategy=recreate)
    plot.sees(_marked(resource(changed, generation=2, version=3000)))
    _rounds(plot, 4000, refusing=True)
    return plot


def _marked(seen: ResourceSeen) -> ResourceSeen:
    marks = {"team/token": ANNOTATED}
    return replace(
        seen, meta=replace(seen.meta, annotations=marks, finalizers=(REDIS_CLEANUP_FINALIZER,))
    )


def _rounds(plot: Plot, version: int, *, refusing: bool = False) -> None:
    """Decide and do for a while; pods that are made are seen, and one creation is refused."""
    for number in range(4):
        act = plot.decides()
        if act is None:
            return
        plot.acts(act)
        made = [action for action in act.actions if isinstance(action, CreateObject)]
        if refusing and number == 0:
            words = f"invalid: env[0].value: {ENV}-more is too long"
            refused = Refused(code=403, reason="Forbidden", message=words)
            plot.answers(act, *(refused for _ in act.actions))
            continue
        versions = range(version + number * 100, version + number * 100 + len(act.actions))
        outcomes = (
            Done(uid=f"uid-of-{getattr(action, 'name', '')}", resource_version=each)
            for action, each in zip(act.actions, versions, strict=True)
        )
        plot.answers(act, *outcomes)
        pods = [action for action in made if action.kind == "pod"]
        plot.sees(*(_made(act, pod, version + number * 100 + 50) for pod in pods))


def job_done(mode: str = "HTTPMode") -> JobStory:
    """A job is submitted, runs and ends with a message that repeats a secret."""
    spec = job_spec(
        mode,
        entrypoint=ENTRYPOINT,
        runtimeEnvYAML=RUNTIME_ENV,
        rayClusterSpec=secret_cluster(),
    )
    story = JobStory(spec)
    _settings(story)
    story.goes_on()
    story.cluster_is("ready")
    story.goes_on()
    story.job_is("RUNNING")
    story.goes_on()
    story.job_is("FAILED", f"cannot log in with {RUNTIME}")
    story.goes_on()
    return story


def service_upgraded() -> SteppingStory:
    """A service is upgraded in steps, with what it accepted kept in marks."""
    story = SteppingStory(stepped_spec(config=CONFIG, rayClusterConfig=_scaling("2.46.0")))
    _settings(story)
    story.starts = "RUNNING"
    story.goes_on()
    story.head_comes_up(story.pending)
    story.goes_on()
    story.wishes(rayClusterConfig=_scaling("2.47.0"))
    story.goes_on()
    story.head_comes_up(story.pending)
    story.goes_on()
    story.wishes(serveConfigV2=CONFIG.replace("512", "1024"))
    story.goes_on()
    for _ in range(6):
        story.time_passes(15)
    return story


def _scaling(version: str) -> Raw:
    return secret_cluster(rayVersion=version, enableInTreeAutoscaling=True)


def histories() -> dict[str, list[Record]]:
    """Every history, by name."""
    return {
        "cluster": cluster_recreated().records,
        "job by HTTP": job_done().records,
        "job by a submitter": job_done("K8sJobMode").records,
        "service": service_upgraded().records,
    }
