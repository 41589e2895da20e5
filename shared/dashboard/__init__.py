"""What Ray dashboards answer: the adapter of `shared.ports.dashboard`.

`client.py` makes the calls, `doors.py` knows the ways in (straight, or through the API server),
`answers.py` reads what comes back. Nothing is retried here: whoever calls knows what may be.
"""
