"""From a URL's path to what it names."""

import pytest

from sandbox.api.paths import Target, target
from sandbox.errors import ApiError


@pytest.mark.parametrize(
    ("rest", "named"),
    [
        ("pods", {"plural": "pods"}),
        ("nodes/n1", {"plural": "nodes", "name": "n1"}),
        ("nodes/n1/status", {"plural": "nodes", "name": "n1", "subresource": "status"}),
        ("namespaces", {"plural": "namespaces"}),
        ("namespaces/a", {"plural": "namespaces", "name": "a"}),
        ("namespaces/a/status", {"plural": "namespaces", "name": "a", "subresource": "status"}),
        ("namespaces/a/pods", {"namespace": "a", "plural": "pods"}),
        ("namespaces/a/pods/p", {"namespace": "a", "plural": "pods", "name": "p"}),
        (
            "namespaces/a/pods/p/status",
            {"namespace": "a", "plural": "pods", "name": "p", "subresource": "status"},
        ),
    ],
)
def test_reads_a_path(rest: str, named: dict[str, str]) -> None:
    assert target("", "v1", rest) == Target(group="", version="v1", **named)


@pytest.mark.parametrize("rest", ["", "pods/a/b/c", "namespaces/a/pods/p/status/more"])
def test_refuses_a_path_that_names_nothing(rest: str) -> None:
    with pytest.raises(ApiError, match="could not find the requested resource"):
        target("", "v1", rest)
