"""Raw objects to facts. Pure.

`facts.py` is the door: one raw object, every fact it makes. `routing.py` says whom it concerns,
`pods.py`, `services.py` and `resources.py` slim each kind, `metadata.py` what all have.
"""
