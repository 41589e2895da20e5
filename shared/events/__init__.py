"""Facts, and everything else that stands in the log.

`envelope.py` is what every record carries, `bodies.py` the union of what it can say, `subjects.py`
where it stands, `codec.py` how it becomes bytes, `upcasting.py` how yesterday's bytes become
today's record.
"""
