"""The status of a RayJob. All pure.

`table.py` is the list of phases and of the ways from one to another; `steps.py` and `endings.py`
say when each is taken and what it writes, `found.py` what they may look at, `assess.py` puts the
status together.
"""
