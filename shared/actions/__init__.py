"""Requests: what a decision asks the executor to do, and what came of it.

`objects.py` holds the actions, `outcomes.py` their outcomes.
"""
