"""An early word: what the reconciler would refuse is refused when it is written.

Needs no log and no rights. `messages.py` reads and writes what the API server speaks, `verdict.py`
says what may pass, `cautions.py` what is only warned of; these are pure. `certificate.py` and
`service.py` serve it over TLS.
"""
