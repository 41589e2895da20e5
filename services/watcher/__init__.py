"""The watcher: what happens in Kubernetes becomes facts in the log.

`service.py` runs one task for each kind, told in `sources/`: whoever holds the kind's lease
compares a list with what the log says (`gaps.py`), then follows the watch. Raw objects become facts
in `translate/`, facts become entries in `entries.py` and reach the log through `publishing.py`,
which never lets an older version cover a newer one. `metrics.py` is what is counted.
"""
