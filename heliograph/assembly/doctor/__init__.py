"""Gather what `heliograph doctor` judges: read only, each question bounded in time.

asking.py   one question, or why it was not answered     gathering.py  everything, in order
nats.py     server, streams, consumers, members, acts    cluster.py    Kubernetes
"""
