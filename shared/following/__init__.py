"""How a service keeps up with the resources it owns.

`follower.py` loads and follows owned partitions and hands each resource with news to its service,
one at a time; `sessions.py` tells whether the watchers have listed everything; `queue.py` is the
queue of resources with news. Used by reconciler and status.
"""
