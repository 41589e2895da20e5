"""What would have happened: a history forked, and gone on with in virtual time.

The operator's services are the real ones; Kubernetes is the sandbox, the bus is in memory. Nothing
here can reach a living bus or cluster. Read next: forking.py, then world.py.
"""
