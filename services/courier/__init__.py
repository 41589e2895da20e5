"""Carries lifecycle events to whoever asked for them over HTTP.

`subscriptions.py` says who asked, `filters.py` for what, `signature.py` and `posting.py` what is
sent, `verdict.py` what an answer means, `patience.py` when to try again; these are pure.
`loading.py` reads the file, `sink.py` speaks HTTP, `lanes.py` keeps the order, `round.py` serves
one subscription, `letters.py` keeps what was not taken, `service.py` runs them all.
"""
