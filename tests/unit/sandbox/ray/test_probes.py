"""What probes ask, and what a row of answers means."""

import pytest

from sandbox.ray.probes import Probe, Verdict, port_number, read_probe

PORTS = {"name": "main", "ports": [{"name": "http", "containerPort": 8080}]}


def held(probe: Probe, begins: bool | None, answers: str) -> list[bool | None]:
    verdict, found = Verdict(well=begins), []
    for answer in answers:
        verdict = verdict.after(probe, answer=answer == "+")
        found.append(verdict.well)
    return found


def test_one_bad_answer_changes_nothing() -> None:
    assert held(Probe(failures=3), True, "--+--") == [True] * 5


def test_so_many_in_a_row_do() -> None:
    assert held(Probe(failures=3), True, "----+") == [True, True, False, False, True]
    assert held(Probe(successes=2), False, "+-++") == [False, False, False, True]


def test_nothing_is_held_before_enough_answers() -> None:
    assert held(Probe(failures=2), None, "--") == [None, False]
    assert held(Probe(failures=2), None, "-+") == [None, True]


def test_times_and_counts_are_those_of_kubernetes_if_not_written() -> None:
    found = read_probe({**PORTS, "livenessProbe": {"tcpSocket": {"port": 80}}}, "livenessProbe")

    assert found == Probe(delay=0, period=10, timeout=1, failures=3, successes=1, port=80)


@pytest.mark.parametrize(
    ("said", "asked"),
    [
        ({"exec": {"command": ["a", "b"]}}, Probe(command=("a", "b"))),
        ({"httpGet": {"port": "http"}}, Probe(path="/", port=8080)),
        (
            {"httpGet": {"port": 1, "path": "/x"}, "periodSeconds": 5},
            Probe(path="/x", port=1, period=5),
        ),
        ({"grpc": {"port": 9}}, Probe(port=9)),
        ({"httpGet": {"port": "other"}}, None),
        ({}, None),
    ],
)
def test_every_way_of_asking_is_understood(said: dict[str, object], asked: Probe | None) -> None:
    assert read_probe({**PORTS, "readinessProbe": said}, "readinessProbe") == asked


def test_ports_are_found_by_name_and_number() -> None:
    assert [port_number([PORTS], port) for port in (80, "81", "http", "x", None)] == [
        *(80, 81, 8080, 0, 0)
    ]
