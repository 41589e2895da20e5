"""Formats of texts that the API server checks: moments, addresses, ids, spans.

Formats that are not here say nothing, as with the real one: it ignores those it does not know.
"""

import re
from collections.abc import Callable, Mapping
from datetime import date, datetime
from ipaddress import IPv4Address, IPv6Address, ip_network

from sandbox.errors import Cause
from sandbox.schemas.wording import spelled

MOMENT = re.compile(r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)")
UUID = re.compile(r"[0-9a-f]{8}-?([0-9a-f]{4}-?){3}[0-9a-f]{12}", re.IGNORECASE)
SPAN = re.compile(r"[-+]?(\d+(\.\d*)?(ns|us|µs|ms|s|m|h|d|w))+")


def fits(form: str, text: str) -> bool:
    """Tell whether a text has the form it should have."""
    check = CHECKS.get(form)
    if check is None:
        return True
    try:
        return bool(check(text))
    except ValueError:
        return False


def unfit(field: str, text: str, form: str) -> Cause:
    """Refuse a text that has not the form it should have."""
    told = f"Invalid value: {spelled(text)}: {field} in body must be of type {form}: "
    return Cause(reason="FieldValueTypeInvalid", field=field, message=told + spelled(text))


def _moment(text: str) -> bool:
    return MOMENT.fullmatch(text) is not None and bool(datetime.fromisoformat(text.upper()))


CHECKS: Mapping[str, Callable[[str], object]] = {
    "date-time": _moment,
    "datetime": _moment,
    "date": date.fromisoformat,
    "ipv4": IPv4Address,
    "ipv6": IPv6Address,
    "cidr": lambda text: "/" in text and ip_network(text, strict=False),
    "uuid": UUID.fullmatch,
    "duration": SPAN.fullmatch,
}
