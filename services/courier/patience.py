"""When to try again: Knative's two policies, what the sink asked for, and a bound on both."""

from datetime import UTC, datetime, timedelta

from services.courier.subscriptions import Subscription

LONGEST = timedelta(minutes=5)
"""No policy waits longer between two tries."""
ASKED_MOST = timedelta(hours=1)
"""Nor can a sink ask for more than this."""
_DOUBLINGS_MAX = 20
_HTTP_DATE = "%a, %d %b %Y %H:%M:%S GMT"


def pause(subscription: Subscription, failures: int, asked: timedelta | None) -> timedelta:
    """Return how long to wait after so many failures in a row (1, 2, ...)."""
    if subscription.backoff_policy == "linear":
        step = subscription.backoff_delay * failures
    else:
        step = subscription.backoff_delay * (1 << min(failures - 1, _DOUBLINGS_MAX))
    return max(min(step, LONGEST), min(asked or timedelta(), ASKED_MOST))


def retry_after(text: str, now: datetime) -> timedelta | None:
    """Read a Retry-After header: seconds, or a moment; None for anything else."""
    text = text.strip()
    if text.isascii() and text.isdigit():
        return timedelta(seconds=min(int(text[:9]), ASKED_MOST.total_seconds()))
    try:
        moment = datetime.strptime(text, _HTTP_DATE).replace(tzinfo=UTC)
    except ValueError:
        return None
    return max(moment - now, timedelta())
