"""KubeRay runs as it comes, listens on loopback, and takes the door to Ray that it is given."""

from tools.kuberay.flags import environment, words


def test_every_port_is_on_loopback() -> None:
    told = dict(word.split("=", 1) for word in words(metrics=1, probes=2))

    assert told["--metrics-addr"] == "127.0.0.1:1"
    assert told["--health-probe-bind-address"] == "127.0.0.1:2"


def test_watches_every_namespace_unless_told_otherwise() -> None:
    assert "--watch-namespace=" in words(metrics=1, probes=2)
    assert "--watch-namespace=a,b" in words(metrics=1, probes=2, namespace="a,b")


def test_dashboards_are_reached_through_the_proxy_and_only_if_there_is_one() -> None:
    assert environment("mine") == {"KUBECONFIG": "mine"}
    assert environment("mine", "http://127.0.0.1:9")["HTTP_PROXY"] == "http://127.0.0.1:9"
