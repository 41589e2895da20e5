"""Time to records: timers that acts ask for, armed in the bus, fired back into the log.

`service.py` carries things in and out, `due.py` says what to arm and what to cancel.
"""
