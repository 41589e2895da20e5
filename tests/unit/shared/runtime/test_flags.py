"""Command lines as Go's flag package takes them."""

import pytest

from shared.runtime.flags import rewritten


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("all -metrics-addr :8080", "all --metrics-addr :8080"),
        ("-metrics-addr=:8080 all", "--metrics-addr=:8080 all"),
        ("-feature-gates RayCronJob=true", "--feature-gates RayCronJob=true"),
        ("-enable-leader-election all", "--enable-leader-election=true all"),
        ("--enable-leader-election", "--enable-leader-election=true"),
        ("--enable-leader-election=false all", "--enable-leader-election=false all"),
        ("--enable-login-shell true all", "--enable-login-shell true all"),
        ("-enable-login-shell F all", "--enable-login-shell F all"),
        ("-config f.yaml", "--config f.yaml"),
        ("-f file -o json", "-f file -o json"),
        ("-ojson --qps 3", "-ojson --qps 3"),
        ("---qps 3", "---qps 3"),
        ("-reconcile-concurency 3", "-reconcile-concurency 3"),
        ("all -- -qps", "all -- -qps"),
    ],
)
def test_one_dash_is_as_good_as_two_and_a_switch_needs_no_value(given: str, meant: str) -> None:
    assert rewritten(given.split()) == meant.split()


def test_nothing_stays_nothing() -> None:
    assert rewritten([]) == []
