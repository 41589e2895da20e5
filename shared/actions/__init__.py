"""Requests: what a decision asks the executor to do, and what came of it.

`objects.py` holds actions on objects, `jobs.py` those at Ray dashboards, `outcomes.py` what came of
them.
"""
