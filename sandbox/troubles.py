"""Troubles of the API server on purpose, by rules: refusals, delays, stale lists, lost watches.

Pure. Beside `faults.py`, which simulations use in process, this is what clients over HTTP suffer.
Which request suffers follows from the rules, their seed and the request's number, so a run of the
same requests repeats. Read next: `sandbox.api.suffering`, which carries it out.
"""

from datetime import datetime, timedelta
from fnmatch import fnmatchcase
from hashlib import sha256

import msgspec
from msgspec import Struct

from sandbox.errors import ApiError

PER_MILLE = 1000


class Call(Struct, frozen=True, kw_only=True):
    """What a rule looks at."""

    verb: str
    resource: str
    namespace: str = ""
    name: str = ""


class Trouble(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What happens to the calls that fit `verb`, `resource` and `namespace` (globs).

    Of a thousand fitting calls `per_mille` suffer, `times` at most, within `lasts` seconds of the
    rule's making. `code` refuses; `delay` makes late; `hang` keeps silent so long and then breaks
    the connection; `lose_answer` does the deed and breaks the connection; `stale_by` lists from so
    many revisions ago. Watches: `end_after` seconds they end, `abruptly` or in order, and `lag`
    holds each event back.
    """

    verb: str = "*"
    resource: str = "*"
    namespace: str = "*"
    per_mille: int = PER_MILLE
    times: int | None = None
    lasts: float | None = None
    code: int | None = None
    delay: float = 0.0
    hang: float | None = None
    lose_answer: bool = False
    stale_by: int = 0
    end_after: float | None = None
    abruptly: bool = False
    lag: float = 0.0

    def fits(self, call: Call) -> bool:
        """Tell whether the rule speaks of this call."""
        plural = call.resource.partition(".")[0]
        return (
            fnmatchcase(call.verb, self.verb)
            and any(fnmatchcase(name, self.resource) for name in (call.resource, plural))
            and fnmatchcase(call.namespace, self.namespace)
        )


NO_TROUBLE = Trouble()


class Standing:
    """A rule since it was made, and how often it struck."""

    def __init__(self, rule: Trouble, made_at: datetime) -> None:
        self.rule = rule
        self.struck = 0
        self._made_at = made_at

    def over(self, now: datetime) -> bool:
        """Tell whether the rule will strike no more."""
        worn = self.rule.times is not None and self.struck >= self.rule.times
        lasts = self.rule.lasts
        return worn or (lasts is not None and self._made_at + timedelta(seconds=lasts) <= now)


class Troubles:
    """All rules in force, and whether the server is down."""

    def __init__(self, seed: str = "troubles") -> None:
        self._seed = seed
        self._standing: list[Standing] = []
        self._calls = 0
        self._down_until: datetime | None = None

    def add(self, rule: Trouble, now: datetime) -> None:
        """Put a rule in force."""
        self._standing.append(Standing(rule, now))

    def clear(self) -> None:
        """Let everything go well again."""
        self._standing.clear()
        self._down_until = None

    def go_down(self, seconds: float, now: datetime) -> None:
        """Let the server break every connection for a while."""
        self._down_until = now + timedelta(seconds=seconds)

    def is_down(self, now: datetime) -> bool:
        """Tell whether nobody is let in."""
        return self._down_until is not None and now < self._down_until

    def rules(self, now: datetime) -> list[Trouble]:
        """Return the rules that can still strike."""
        self._standing = [each for each in self._standing if not each.over(now)]
        return [each.rule for each in self._standing]

    def fate(self, call: Call, now: datetime) -> Trouble:
        """Say what this call suffers: the first rule in force that fits and strikes."""
        self._calls += 1
        for number, each in enumerate(self._standing):
            if each.rule.fits(call) and not each.over(now) and self._strikes(each.rule, number):
                each.struck += 1
                return each.rule
        return NO_TROUBLE

    def _strikes(self, rule: Trouble, number: int) -> bool:
        if rule.per_mille >= PER_MILLE:
            return True
        digest = sha256(f"{self._seed}/{number}/{self._calls}".encode()).digest()
        return int.from_bytes(digest[:4], "big") % PER_MILLE < rule.per_mille


def refusal(rule: Trouble, call: Call) -> ApiError | None:
    """Return the error that a rule answers with."""
    plural, _, group = call.resource.partition(".")
    match rule.code:
        case None:
            return None
        case 409:
            return ApiError.conflict(plural, call.name, group=group)
        case 429:
            return ApiError.too_many_requests()
        case 500:
            return ApiError.internal("injected fault")
        case 504:
            told = "Timeout: request did not complete within the allotted timeout"
            return ApiError(504, "Timeout", told)
        case code:
            return ApiError(code, "ServiceUnavailable", "injected fault")


def read_trouble(document: bytes) -> Trouble:
    """Read a rule from JSON; raises `ApiError` (400) that names the place of a mistake."""
    try:
        return msgspec.json.decode(document or b"{}", type=Trouble)
    except msgspec.DecodeError as error:
        raise ApiError.bad_request(f"the rule cannot be read: {error}") from error
