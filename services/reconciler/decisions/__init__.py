"""What to do, as pure functions of a view.

`decide.py` picks the decider of a kind, `decision.py` turns a draft into an act, one folder per
kind holds its concerns, one file each.
"""
