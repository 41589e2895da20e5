"""What is wrong with a Serve configuration, in the words of Ray's schema. Pure.

Ray reads it with pydantic and answers 400 with pydantic's report. Unknown fields are ignored.
Import paths and deployments are not looked at here: what is wrong with those shows later, in the
status of the application. Read next: serve_requests.py.
"""

from collections import Counter
from collections.abc import Iterator
from typing import Any

CAPACITY_MAX = 100
HELP = "    For further information visit https://errors.pydantic.dev/2.14/v"


def complaint(config: Any) -> str:
    """Return the report on a configuration; empty if there is nothing to complain about."""
    if not isinstance(config, dict):
        told = "Input should be a valid dictionary or instance of ServeDeploySchema"
        return _report([_problem("", told, "model_type", config)])
    found = list(_problems(config))
    return _report(found) if found else ""


def _report(problems: list[str]) -> str:
    count = len(problems)
    title = f"{count} validation error{'s' if count > 1 else ''} for ServeDeploySchema"
    return "\n".join((title, *problems))


def _problems(config: dict[str, Any]) -> Iterator[str]:
    apps = config.get("applications")
    if "applications" not in config:
        yield _problem("applications", "Field required", "missing", config)
    elif not isinstance(apps, list):
        yield _problem("applications", "Input should be a valid list", "list_type", apps)
    else:
        yield from _apps(apps)
    yield from _capacity(config.get("target_capacity"))
    yield from _http(config.get("http_options"))


def _apps(apps: list[Any]) -> Iterator[str]:
    shapes = [problem for index, app in enumerate(apps) for problem in _app(index, app)]
    yield from shapes
    if shapes:
        return
    names = Counter(app.get("name", "default") for app in apps)
    for name in (name for name, count in names.items() if count > 1):
        told = f'Found multiple configs for application "{name}". Please remove all duplicates.'
        yield _problem("applications", f"Value error, {told}", "value_error", apps)
        return
    routes = Counter(route for app in apps if (route := app.get("route_prefix", "/")) is not None)
    for route in (route for route, count in routes.items() if count > 1):
        told = (
            f'Found duplicate applications for route prefix "{route}". '
            "Please ensure each application's route_prefix is unique."
        )
        yield _problem("applications", f"Value error, {told}", "value_error", apps)


def _app(index: int, app: Any) -> Iterator[str]:
    place = f"applications.{index}"
    if not isinstance(app, dict):
        told = "Input should be a valid dictionary or instance of ServeApplicationSchema"
        yield _problem(place, told, "model_type", app)
    elif "import_path" not in app:
        yield _problem(f"{place}.import_path", "Field required", "missing", app)


def _capacity(capacity: Any) -> Iterator[str]:
    if capacity is None:
        return
    if isinstance(capacity, bool) or not isinstance(capacity, int | float):
        told = "Input should be a valid number, unable to parse string as a number"
        yield _problem("target_capacity", told, "float_parsing", capacity)
    elif capacity > CAPACITY_MAX:
        told = "Input should be less than or equal to 100"
        yield _problem("target_capacity", told, "less_than_equal", capacity)
    elif capacity < 0:
        told = "Input should be greater than or equal to 0"
        yield _problem("target_capacity", told, "greater_than_equal", capacity)


def _http(options: Any) -> Iterator[str]:
    if options is None:
        return
    if not isinstance(options, dict):
        told = "Input should be a valid dictionary or instance of HTTPOptionsSchema"
        yield _problem("http_options", told, "model_type", options)
        return
    port = options.get("port", 0)
    if isinstance(port, str) and not port.strip().lstrip("+-").isdecimal():
        told = "Input should be a valid integer, unable to parse string as an integer"
        yield _problem("http_options.port", told, "int_parsing", port)
    elif not isinstance(port, int | str):
        yield _problem("http_options.port", "Input should be a valid integer", "int_type", port)


def _problem(place: str, told: str, kind: str, given: Any) -> str:
    shown = repr(given)
    if len(shown) > 50:  # noqa: PLR2004 - where pydantic cuts
        shown = f"{shown[:25]}...{shown[-24:]}"
    about = f"[type={kind}, input_value={shown}, input_type={type(given).__name__}]"
    return f"{place}\n  {told} {about}\n{HELP}/{kind}"
