"""Where facts come from.

`kinds.py` names what is watched. `reign.py` competes for a kind's lease and begins sessions;
`session.py` is one of them, from list to end; `marks.py` numbers sessions and says in the log which
of them has listed; `pauses.py` is how long to wait after a failure.
"""
