"""Pages of the commands that need a server or a file of their own, and that no command lacks one.

As in test_golden.py: delete a page that is to change, run again, and read it.
"""

import asyncio
import re
from pathlib import Path

import pytest
import yaml

from heliograph import __version__
from heliograph.cli.app import COMMANDS, main
from shared.bus.server import NatsServer
from shared.kernel.keys import ResourceKey
from tests.support.tellings import Telling, tell
from tests.unit.heliograph.cli.recorded import GOLDEN, assert_golden, capsule_of

Captured = pytest.CaptureFixture[str]
FIRST = "raycluster/default/first"
CLUSTER = ResourceKey("raycluster", "default", "first")
JOB = ResourceKey("rayjob", "team.a", "train")
STORY: tuple[Telling, ...] = (
    (CLUSTER, "provisioning", 1, "it was written by kubectl", "structured"),
    (CLUSTER, "ready", 2, "head and worker are ready", "binary"),
    (JOB, "failed", 1, "exit code 1: boom", "structured"),
)
STAYING = frozenset({"run", "up", "demo", "sandbox"})
"""They run until told to stop: tests/e2e reads what they print."""
WRITTEN = frozenset({"crds", "completion"})
"""They print files, which are compared as such (test_crds.py, test_asking.py)."""
SUBSCRIPTIONS = {
    "subscriptions": [
        {"name": "chat", "url": "http://sink/"},
        {
            "name": "pager",
            "url": "http://sink/",
            "filter": {"subjects": ["pub.team-a.>"], "cel": "event.subject == 'train'"},
        },
    ]
}
BROKEN = """apiVersion: ray.io/v1
kind: RayCluster
metadata: {name: demo}
spec:
  suspended: true
  headGroupSpec: {template: {spec: {containers: [{name: ray, image: ray}]}}}
"""


@pytest.fixture(scope="module")
def told(nats: NatsServer) -> str:
    """Make the streams and tell a story; return where."""
    assert main(["init", "--nats-url", nats.url]) == 0
    asyncio.run(tell(nats, *STORY))
    return nats.url


@pytest.mark.parametrize("form", ["table", "json", "cloudevents"])
def test_lifecycle_events(form: str, told: str, capsys: Captured) -> None:
    flags = ("--since", "beginning", "--count", "3", "-o", form, "--nats-url", told)
    capsys.readouterr()

    assert main(["subscribe", *flags]) == 0
    assert_golden(f"subscribe-as-{form}", capsys.readouterr().out)


def test_the_streams(nats: NatsServer, told: str, capsys: Captured) -> None:
    capsys.readouterr()

    assert main(["init", "--nats-url", told]) == 0
    assert_golden("init-again", capsys.readouterr().out)


@pytest.mark.parametrize("form", ["table", "json", "yaml"])
def test_a_file_of_webhooks(form: str, tmp_path: Path, capsys: Captured) -> None:
    file = tmp_path / "subscriptions.yaml"
    file.write_text(yaml.safe_dump(SUBSCRIPTIONS), encoding="utf-8")

    assert main(["subscriptions", "check", str(file), "-o", form]) == 0
    assert_golden(f"subscriptions-check-as-{form}", capsys.readouterr().out)


@pytest.mark.parametrize("form", ["text", "json"])
def test_a_manifest_with_a_mistake(
    form: str, tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("broken.yaml").write_text(BROKEN, encoding="utf-8")

    assert main(["validate", "-f", "broken.yaml", "-o", form]) == 2
    assert_golden(f"validate-as-{form}", capsys.readouterr().out)


@pytest.mark.parametrize("form", ["table", "json", "yaml"])
def test_a_capsule_that_is_saved(form: str, tmp_path: Path, capsys: Captured) -> None:
    capsule = str(capsule_of("worker-failed", tmp_path))
    saving = ["capsule", "save", FIRST, "-f", str(tmp_path / "new"), "--capsule", capsule]

    assert main([*saving, "-o", form]) == 0
    told = capsys.readouterr().out.replace(f"heliograph {__version__}", "heliograph VERSION")
    assert_golden(f"capsule-save-as-{form}", re.sub(r"[0-9a-f]{64}", "CHECKSUM", told))


@pytest.mark.parametrize("form", ["json", "yaml"])
def test_a_fork_for_programs(form: str, tmp_path: Path, capsys: Captured) -> None:
    question = tmp_path / "question.yaml"
    wish = {"resource": FIRST, "pods": [{"group": "small", "count": 1, "fate": "evict"}]}
    question.write_text(yaml.safe_dump(wish), encoding="utf-8")
    capsule = str(capsule_of("worker-failed", tmp_path))
    flags = ("--at", "30", "--for", "30s", "-o", form, "--capsule", capsule)

    assert main(["what-if", str(question), *flags]) == 1
    assert_golden(f"what-if-as-{form}", capsys.readouterr().out)


def test_every_command_has_a_page() -> None:
    pages = [path.name for path in GOLDEN.iterdir()]
    without = [
        command
        for command in COMMANDS
        if not any(page.startswith((f"{command}-", f"{command}.")) for page in pages)
    ]

    assert set(without) == STAYING | WRITTEN
