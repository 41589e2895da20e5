"""Probes: what a container's spec asks for, and what a row of answers means. Pure.

A probe changes its mind only after so many equal answers in a row. Read next: keeping.py, which
asks.
"""

from collections.abc import Sequence

from msgspec import Struct

from sandbox.objects import Object, dig, rows

PERIOD, TIMEOUT, FAILURES = 10.0, 1.0, 3


class Probe(Struct, frozen=True, kw_only=True):
    """When to ask, how often, and what: one of `command`, `path` with `port`, `port` alone."""

    delay: float = 0.0
    period: float = PERIOD
    timeout: float = TIMEOUT
    failures: int = FAILURES
    successes: int = 1
    command: tuple[str, ...] = ()
    path: str = ""
    port: int = 0


class Verdict(Struct, frozen=True, kw_only=True):
    """What is held to be true, and how many answers in a row have spoken against it."""

    well: bool | None = None
    against: int = 0

    def after(self, probe: Probe, *, answer: bool) -> "Verdict":
        """Take one more answer in."""
        if answer is self.well:
            return Verdict(well=self.well)
        against = self.against + 1
        enough = probe.successes if answer else probe.failures
        if against >= enough:
            return Verdict(well=answer)
        return Verdict(well=self.well, against=against)


def read_probe(container: Object, field: str) -> Probe | None:
    """Read a probe of a container; None if there is none that can be asked."""
    said = container.get(field)
    if not said:
        return None
    ways = ("httpGet", "tcpSocket", "grpc")
    port = next((dig(said, f"{way}.port") for way in ways if way in said), None)
    found = Probe(
        delay=float(said.get("initialDelaySeconds") or 0),
        period=float(said.get("periodSeconds") or PERIOD),
        timeout=float(said.get("timeoutSeconds") or TIMEOUT),
        failures=int(said.get("failureThreshold") or FAILURES),
        successes=int(said.get("successThreshold") or 1),
        command=tuple(str(word) for word in dig(said, "exec.command") or ()),
        path=str(dig(said, "httpGet.path") or "/") if "httpGet" in said else "",
        port=port_number([container], port),
    )
    return found if found.command or found.port else None


def port_number(containers: Sequence[Object], port: int | str | None) -> int:
    """Find the number of a port by its number or name; 0 if nobody declares that name."""
    if isinstance(port, int) or (port or "").isdigit():
        return int(port or 0)
    declared = (entry for each in containers for entry in rows(each, "ports"))
    found = (int(entry["containerPort"]) for entry in declared if entry.get("name") == port)
    return next(found, 0)
