"""Pods that really run, plain programs in them: what is written is what happens.

Skipped with one line where namespaces are not permitted. No Ray is needed: an environment with an
empty `ray` in it will do.
"""

import asyncio
import os
from pathlib import Path

import aiohttp
import pytest

from sandbox.objects import dig, rows
from sandbox.ray.environment import HOME
from sandbox.ray.machine import MachineError, open_machine
from sandbox.ray.permission import refusal
from tests.support.realray import descendants
from tests.unit.sandbox.ray.pods import (
    PODS,
    SERVICES,
    WHOEVER,
    ask,
    codes,
    create,
    get,
    gone,
    phase,
    ready,
    run_pod,
    shell,
    until,
)

pytestmark = [
    pytest.mark.skipif(bool(refusal()), reason=refusal() or "permitted"),
    pytest.mark.xdist_group("real pods"),
]
SERVES = "exec python -m http.server 8080"


async def test_each_container_ends_with_its_own_code(api: aiohttp.ClientSession) -> None:
    killed = shell("kill -9 $$; sleep 1") | {"name": "killed"}
    await run_pod(api, "one", shell("exit 3"), shell("true") | {"name": "fine"}, killed)

    pod = await phase(api, "one", "Failed", "Succeeded")

    assert dig(pod, "status.phase") == "Failed"
    assert codes(pod)["main"] == 3
    assert codes(pod)["fine"] == 0


async def test_it_sees_its_variables_and_files_and_prints(api: aiohttp.ClientSession) -> None:
    code = {"metadata": {"name": "code"}, "data": {"say.sh": 'echo "$1 from $(hostname)"'}}
    await create(api, "/api/v1/namespaces/default/configmaps", code)
    main = shell(f"sh {HOME}/samples/say.sh $(GREETING); pwd; ls /var/tmp; touch /usr/x")
    main |= {
        "env": [{"name": "GREETING", "value": "hello"}],
        "volumeMounts": [{"name": "code", "mountPath": f"{HOME}/samples"}],
    }
    await run_pod(api, "one", main, volumes=[{"name": "code", "configMap": {"name": "code"}}])
    await phase(api, "one", "Failed", "Succeeded")

    lines = (await ask(api, f"{PODS}/one/log")).splitlines()

    assert lines[:2] == ["hello from one", HOME]
    assert "Read-only" in lines[-1]
    assert len(lines) == 3


async def test_containers_begin_when_every_init_container_is_done(
    api: aiohttp.ClientSession,
) -> None:
    shared = {"volumeMounts": [{"name": "box", "mountPath": "/box"}]}
    inits = [
        shell("sleep 0.3; echo one >> /box/order") | shared | {"name": "first"},
        shell("test -e /box/tried || { touch /box/tried; exit 1; }; echo two >> /box/order")
        | shared
        | {"name": "second"},
    ]
    main = shell("cat /box/order") | shared
    more = {"volumes": [{"name": "box", "emptyDir": {}}], "restartPolicy": "OnFailure"}
    await run_pod(api, "one", main, initContainers=inits, **more)

    await phase(api, "one", "Succeeded")

    assert await ask(api, f"{PODS}/one/log") == "one\ntwo\n"


async def test_an_init_container_that_fails_ends_the_pod_that_never_restarts(
    api: aiohttp.ClientSession,
) -> None:
    await run_pod(api, "one", shell("true"), initContainers=[shell("exit 4") | {"name": "first"}])

    pod = await phase(api, "one", "Failed")

    assert "init container first ended with 4" in dig(pod, "status.message")
    init = next(rows(pod, "status.initContainerStatuses"))
    assert dig(init, "state.terminated.exitCode") == 4


async def test_a_container_that_ends_is_started_again(api: aiohttp.ClientSession) -> None:
    main = shell("echo run; exit 1")
    await run_pod(api, "one", main, restartPolicy="Always")

    async def restarted() -> bool:
        status = next(rows(await get(api, "one"), "status.containerStatuses"), {})
        return bool(status.get("restartCount")) and bool(dig(status, "lastState.terminated"))

    await until(restarted)

    assert await ask(api, f"{PODS}/one/log", params={"previous": "true"}) == "run\n"


@pytest.mark.parametrize("api", WHOEVER, indirect=True, ids=str)
async def test_readiness_is_asked_and_liveness_ends(api: aiohttp.ClientSession) -> None:
    quick = {"periodSeconds": 1, "timeoutSeconds": 10}
    nobody_answers = ["bash", "-c", "! : 2> /dev/null < /dev/tcp/localhost/8080"]
    probes = {
        "readinessProbe": {"httpGet": {"port": 8080}, **quick},
        "livenessProbe": {"exec": {"command": nobody_answers}, "failureThreshold": 5, **quick},
    }
    await run_pod(api, "one", shell(f"sleep 1; {SERVES}", **probes))

    assert not await ready(api, "one")
    await until(lambda: ready(api, "one"))
    pod = await phase(api, "one", "Failed")

    assert codes(pod) == {"main": 137}


@pytest.mark.parametrize("api", WHOEVER, indirect=True, ids=str)
async def test_services_are_found_by_name_and_through_the_proxy(api: aiohttp.ClientSession) -> None:
    await run_pod(api, "web", shell(f"echo welcome > index.html; {SERVES}"))
    ports = [{"port": 8080, "name": "http"}]
    service = {
        "metadata": {"name": "web"},
        "spec": {"clusterIP": "None", "selector": {"app": "web"}, "ports": ports},
    }
    await create(api, SERVICES, service)
    asks = "import urllib.request as u; print(u.urlopen('http://web.default.svc:8080').read())"
    script = f'until python -c "{asks}" 2> /dev/null; do sleep 0.2; done'
    await run_pod(api, "client", shell(script))

    await phase(api, "client", "Succeeded")
    through = "/api/v1/namespaces/default/services/web:http/proxy/index.html"

    assert "welcome" in await ask(api, f"{PODS}/client/log")
    assert await ask(api, through) == "welcome\n"
    assert await ask(api, f"{PODS}/web:8080/proxy/index.html") == "welcome\n"


async def test_a_deleted_pod_may_take_its_grace(api: aiohttp.ClientSession) -> None:
    polite = "trap 'sleep 1; echo bye; exit 0' TERM; echo up; while true; do sleep 0.1; done"
    await run_pod(api, "one", shell(polite))
    await phase(api, "one", "Running")

    async def up() -> bool:
        return "up" in await ask(api, f"{PODS}/one/log")

    await until(up)
    following = asyncio.create_task(ask(api, f"{PODS}/one/log", params={"follow": "true"}))
    async with api.delete(f"{PODS}/one") as answer:
        assert answer.status == 200

    assert (await following).splitlines() == ["up", "bye"]
    await until(lambda: gone(api, "one"))


async def test_a_deaf_pod_is_killed_when_its_grace_is_over(api: aiohttp.ClientSession) -> None:
    deaf = shell("trap '' TERM; while true; do sleep 0.1; done")
    await run_pod(api, "one", deaf, terminationGracePeriodSeconds=1)
    await phase(api, "one", "Running")

    async with api.delete(f"{PODS}/one"):
        await until(lambda: gone(api, "one"))


async def test_a_pod_that_is_removed_at_once_leaves_no_process(api: aiohttp.ClientSession) -> None:
    before = set(descendants(os.getpid()))
    await run_pod(api, "one", shell("trap '' TERM; while true; do sleep 0.1; done"))
    await phase(api, "one", "Running")

    async with api.delete(f"{PODS}/one", params={"gracePeriodSeconds": "0"}):
        pass

    async def quiet() -> bool:
        return not set(descendants(os.getpid())) - before

    await until(quiet)


async def test_a_container_waits_for_what_its_environment_lacks(
    api: aiohttp.ClientSession,
) -> None:
    wanted = {"name": "late", "key": "color"}
    env = [{"name": "COLOR", "valueFrom": {"configMapKeyRef": wanted}}]
    await run_pod(api, "one", shell("echo $COLOR", env=env))
    await asyncio.sleep(0.5)
    late = {"metadata": {"name": "late"}, "data": {"color": "green"}}
    await create(api, "/api/v1/namespaces/default/configmaps", late)

    await phase(api, "one", "Succeeded")

    assert await ask(api, f"{PODS}/one/log") == "green\n"


async def test_only_a_command_can_be_run(api: aiohttp.ClientSession) -> None:
    await run_pod(api, "one", {"name": "main", "image": "redis"})

    pod = await phase(api, "one", "Failed")

    assert codes(pod) == {"main": 128}
    assert "images are not pulled here" in await ask(api, f"{PODS}/one/log")


async def test_says_where_ray_is_missing(tmp_path: Path) -> None:
    with pytest.raises(MachineError, match="there is no Ray in"):
        await open_machine(tmp_path)
