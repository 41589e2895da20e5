"""What Ray's schema says of a Serve configuration, whatever is in it."""

from typing import Any

import pytest

from sandbox.dashboard.serve_schema import complaint

APPS: dict[str, Any] = {"applications": []}


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"port": "many"}, "http_options.port\n  Input should be a valid integer, unable to parse"),
        ({"port": None}, "http_options.port\n  Input should be a valid integer [type=int_type"),
        ([1], "http_options\n  Input should be a valid dictionary or instance of HTTPOptions"),
    ],
)
def test_http_options_that_make_no_sense_are_refused(options: object, told: str) -> None:
    said = complaint({**APPS, "http_options": options})

    assert said.startswith("1 validation error for ServeDeploySchema\n" + told)


@pytest.mark.parametrize("options", [None, {}, {"port": 8001}, {"port": "8001"}])
def test_http_options_that_make_sense_are_taken(options: object) -> None:
    assert complaint({**APPS, "http_options": options}) == ""
