"""How a receiver knows that we sent it, and when.

    Webhook-Signature: t=<unix seconds>,v1=<hex of HMAC-SHA256 over "<t>.<body>">

A receiver that refuses what is older than a few minutes, and drops ids that it has seen, cannot be
fooled by a request that somebody recorded. Only the body is covered: in binary mode the attributes
are headers, so sign in structured mode where they matter.
"""

import hashlib
import hmac
from datetime import datetime

HEADER = "Webhook-Signature"


def sign(key: bytes, body: bytes, at: datetime) -> str:
    """Return the header's value for a body that is sent now."""
    moment = str(int(at.timestamp()))
    digest = hmac.new(key, moment.encode() + b"." + body, hashlib.sha256)
    return f"t={moment},v1={digest.hexdigest()}"
