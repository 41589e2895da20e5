"""What is wrong with an installation and what to do, judged from facts that others gathered. Pure.

facts.py      what was found out            checks.py    what is said of it
nats.py       server and streams            work.py      services, sessions, consumers
acts.py       what the last acts tell       resources.py what waits, versions
cluster.py    Kubernetes and definitions    access.py    permissions, other operators, webhooks
judging.py    all of it in order
"""
