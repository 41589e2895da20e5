"""A RayService on real Ray: an application answers, is replaced under load, changed in place.

Needs what `test_real_ray.py` needs, and is skipped where that is. Whoever asks is a pod, and asks
through the serve service as any client of a cluster would. At an upgrade two clusters of two nodes
stand side by side.
"""

import json
import os
import re
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import groupby

import pytest
from msgspec import Struct

from tests.e2e.jobs.desk import start_operator
from tests.e2e.services.counter import Counter
from tests.e2e.services.witness import Failed, Witness, account, witnessed
from tests.support.fleet import Json
from tests.support.kubes import installed
from tests.support.processes import Installation
from tests.support.realray import (
    RealPods,
    client_pod,
    descendants,
    rayservice,
    real_ray,
    scripts,
)

pytestmark = [pytest.mark.xdist_group("real ray"), pytest.mark.timeout(900)]
PATIENCE = 300.0
"""Two clusters at once come up in 60 s on two idle processors; they are seldom idle."""
NAME = "fruit"
SERVICE = f"{NAME}-serve-svc"
SERVICE_NAME = "kubernetes.io/service-name"
WAYS = {"fresh", "kept", "slow"}
"""How the client asks: a connection for each request, one for 3 seconds, answers that take long.

Whoever kept a connection for good would lose it with the old cluster, whose stay is there for
clients to move on.
"""
MANY = 300
NODES = 2
STALL = 8.0
"""Longer than every probe of a worker takes, and shorter than the patience with a silent head."""
ECHO = """
import asyncio
import os

from fastapi import FastAPI
from ray import serve

api = FastAPI()


@serve.deployment
@serve.ingress(api)
class Echo:
    def __init__(self, greeting="unset"):
        self.greeting = greeting

    def reconfigure(self, config):
        self.greeting = config["greeting"]

    @api.get("/")
    async def answer(self, takes: float = 0.0):
        await asyncio.sleep(takes)
        return {"greeting": self.greeting, "color": os.environ["COLOR"]}


app = Echo.bind()
"""
ASKS = """
import http.client
import json
import sys
import threading
import time

HOST, PORT = sys.argv[1], int(sys.argv[2])


def connect():
    return http.client.HTTPConnection(HOST, PORT, timeout=30)


def ask(connection, path):
    connection.request("GET", path)
    answer = connection.getresponse()
    body = answer.read().decode()
    if answer.status != 200:
        raise OSError(f"{answer.status}: {body}")
    return json.loads(body)


def fresh(path):
    connection = connect()
    try:
        return ask(connection, path)
    finally:
        connection.close()


class Kept:
    connection, until = None, 0.0

    def ask(self, path):
        if time.monotonic() > self.until:
            self.close()
            self.connection, self.until = connect(), time.monotonic() + 3
        try:
            return ask(self.connection, path)
        except Exception:
            self.close()
            raise

    def close(self):
        if self.connection is not None:
            self.connection.close()
        self.connection, self.until = None, 0.0


def go_on(way, call, path, pause):
    while True:
        try:
            told = {"answer": call(path)}
        except Exception as error:
            told = {"failed": repr(error)}
        print(json.dumps({"way": way, "at": time.time(), **told}), flush=True)
        time.sleep(pause)


for words in (
    ("fresh", fresh, "/", 0.1),
    ("kept", Kept().ask, "/", 0.1),
    ("slow", fresh, "/?takes=1.5", 0.1),
):
    threading.Thread(target=go_on, args=words).start()
"""


class Told(Struct, frozen=True):
    """What a client saw of one request: an answer, or why there was none."""

    way: str
    at: float
    answer: dict[str, str] | None = None
    failed: str | None = None


def serving(greeting: str, application: str = "echo:app") -> str:
    """Return a Serve configuration in which one application greets."""
    deployment = {
        "name": "Echo",
        "num_replicas": 1,
        "user_config": {"greeting": greeting},
        "ray_actor_options": {"num_cpus": 0.1},
    }
    app = {"name": "echo", "import_path": application, "route_prefix": "/"}
    return json.dumps({"applications": [{**app, "deployments": [deployment]}]})


class Square(Counter):
    """A user with a RayService that really serves, with clients, and with a witness."""

    witness: Witness

    def opens(self, greeting: str, color: str) -> str:
        """Serve, and wait until clients are answered in every way; return the cluster."""
        name = self.serve(rayservice(NAME, serving(greeting), COLOR=color))
        self.until(lambda: self.is_running(name), "it serves", PATIENCE)
        address = f"{SERVICE}.{self.namespace}.svc.cluster.local"
        self.ask("POST", self._path("pods"), client_pod("client", "asks", address, 8000))
        self.until_heard("the first cluster answers", greeting=greeting, color=color)
        return str(self.told(name)["activeServiceStatus"]["rayClusterName"])

    def becomes(self, config: str, color: str) -> None:
        """Change what is served, and the variable of every container."""
        self.patch("rayservices", NAME, {"spec": rayservice(NAME, config, COLOR=color)["spec"]})

    def pods_of(self, cluster: str) -> list[str]:
        """Name the pods of a cluster that are there, be it that they end."""
        pods = [each["metadata"] for each in self.all("pods") if each["metadata"].get("labels")]
        return [each["name"] for each in pods if each["labels"].get("ray.io/cluster") == cluster]

    def trouble(self) -> str:
        """Say why what shall take over cannot; empty if it can, or is on its way."""
        pending = self.told(NAME).get("pendingServiceStatus", {})
        app = pending.get("applicationStatuses", {}).get("echo", {})
        return str(app.get("message")) if app.get("status") == "DEPLOY_FAILED" else ""

    def heard(self) -> list[Told]:
        """Return what the client saw so far."""
        said = self.here.kubectl("logs", "-n", self.namespace, "client")
        return [Told(**json.loads(line)) for line in said.stdout.splitlines()]

    def until_heard(self, wish: str, **answer: str) -> None:
        """Wait until every way of asking has had this answer."""

        def holds() -> bool:
            return {each.way for each in self.heard() if has(each, answer)} == WAYS

        self.until(holds, wish, PATIENCE)

    def changes(self, heard: list[Told], word: str) -> dict[str, list[str]]:
        """Return for each way of asking what it heard in turn; nothing may have failed."""
        failed = [Failed(each.at, each.way, each.failed) for each in heard if each.failed]
        assert not failed, f"{account(self.witness.seen, failed)}\n{self.picture()}"
        said = {way: [each.answer or {} for each in heard if each.way == way] for way in WAYS}
        return {
            way: [key for key, _ in groupby(each[word] for each in told)]
            for way, told in said.items()
        }

    def slices(self) -> list[Json]:
        """Return the endpoint slices of the serve service."""
        found = self.all("endpointslices")
        return [each for each in found if each["metadata"]["labels"].get(SERVICE_NAME) == SERVICE]

    def proxies(self) -> list[int]:
        """Return the processes that take requests for Serve."""
        found = descendants(os.getpid())
        return [pid for pid, command in found.items() if "ProxyActor" in command]

    def left(self) -> list[str]:
        """Name everything that is still there, the client apart."""
        plurals = ("rayservices", "rayclusters", "services", "endpointslices", "pods")
        found = [
            (plural, each["metadata"]["name"]) for plural in plurals for each in self.all(plural)
        ]
        return [f"{plural}/{name}" for plural, name in found if name != "client"]


def has(told: Told, answer: dict[str, str]) -> bool:
    """Whether a request was answered so."""
    return told.answer is not None and answer.items() <= told.answer.items()


@contextmanager
def stopped(pids: list[int]) -> Iterator[None]:
    """Let processes do nothing while the block runs."""
    assert len(pids) == NODES
    for pid in pids:
        os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        for pid in pids:
            os.kill(pid, signal.SIGCONT)


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    """An installation whose pods really run."""
    ray = real_ray()
    with installed(tmp_path_factory.mktemp("serve"), RealPods(ray)) as made:
        start_operator(made)
        yield made


@pytest.fixture
def desk(here: Installation, request: pytest.FixtureRequest) -> Iterator[Square]:
    """A user with a namespace of its own, in which nothing runs afterwards."""
    words = re.sub(r"[^a-z0-9]+", "-", str(request.node.name).removeprefix("test_").lower())
    made = Square(here, words[:40].strip("-"))
    made.create(scripts(echo=ECHO, asks=ASKS))
    with witnessed(made.slices) as made.witness:
        yield made
    for plural in ("rayservices", "rayclusters", "pods"):
        for each in made.all(plural):
            here.kubectl("delete", plural, each["metadata"]["name"], "-n", made.namespace)
    made.until(lambda: not made.all("pods"), "every pod is gone", PATIENCE)


def test_a_new_cluster_takes_over_and_no_request_fails(desk: Square) -> None:
    """RayService checklist 29: answers come from the old cluster, then from the new one."""
    old = desk.opens("hello", "green")

    desk.becomes(serving("hello"), "red")
    desk.until_heard("the new cluster answers", color="red")
    desk.until(lambda: not desk.pods_of(old), "the old cluster is gone", PATIENCE)
    heard = desk.heard()

    assert desk.changes(heard, "color") == {way: ["green", "red"] for way in WAYS}
    assert len(heard) > MANY
    status = desk.told(NAME)
    assert status["activeServiceStatus"]["rayClusterName"] != old
    assert desk.is_running(NAME)


def test_a_proxy_that_is_slow_to_answer_fails_no_request(desk: Square) -> None:
    """On a machine that stalls every probe is lost; whoever asked waits, and is answered."""
    only = desk.opens("hello", "green")
    desk.until(lambda: len(desk.endpoints(SERVICE)) == NODES, "both nodes serve", PATIENCE)

    with stopped(desk.proxies()):
        time.sleep(STALL)
    begun = len(desk.heard())
    desk.until(lambda: len(desk.heard()) > begun + MANY, "clients go on", PATIENCE)

    assert desk.changes(desk.heard(), "color") == {way: ["green"] for way in WAYS}
    assert "does not answer" in desk.timeline(NAME, "rayservice")
    assert desk.reasons(NAME).count("UpdatedHeadPodServeLabel") == 1, "the head stays where it is"
    assert desk.active(NAME) == only


def test_what_cannot_run_takes_no_requests_until_it_is_mended(desk: Square) -> None:
    """RayService checklist 27: the old cluster answers while the new one has nothing to run."""
    desk.opens("hello", "green")

    desk.becomes(serving("hello", "nowhere:app"), "red")
    desk.until(desk.trouble, "the new one fails", PATIENCE)
    assert "No module named 'nowhere'" in desk.trouble()
    desk.becomes(serving("welcome"), "red")
    desk.until_heard("the new cluster answers", color="red", greeting="welcome")
    heard = desk.heard()

    assert desk.changes(heard, "color") == {way: ["green", "red"] for way in WAYS}
    assert desk.changes(heard, "greeting") == {way: ["hello", "welcome"] for way in WAYS}


def test_a_configuration_is_changed_in_place_and_deleting_leaves_nothing(desk: Square) -> None:
    """RayService checklist 26 and 34: the same pods give another answer; then all is gone."""
    only = desk.opens("hello", "green")
    pods = {each["metadata"]["uid"] for each in desk.all("pods")}
    at = f"/api/v1/namespaces/{desk.namespace}/services/{SERVICE}:8000/proxy/"
    assert desk.ask("GET", at) == {"greeting": "hello", "color": "green"}

    desk.patch("rayservices", NAME, {"spec": {"serveConfigV2": serving("welcome")}})
    desk.until_heard("the change shows", greeting="welcome")

    assert desk.changes(desk.heard(), "greeting") == {way: ["hello", "welcome"] for way in WAYS}
    assert [each["metadata"]["name"] for each in desk.all("rayclusters")] == [only]
    assert {each["metadata"]["uid"] for each in desk.all("pods")} == pods
    assert [reason for reason, _ in desk.events(NAME)].count("UpdatedServeApplications") == 2
    desk.delete("rayservices", NAME)
    desk.until(lambda: desk.left() == [], "nothing of it is left", PATIENCE)
