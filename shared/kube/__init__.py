"""Kubernetes over HTTP: the adapters of `shared.ports.cluster`.

`kinds.py` names what we speak of, `paths.py` where it is found. `session.py` makes calls with the
credentials of `credentials.py`, `errors.py` turns failures into ours. `reading.py` lists,
`watching.py` follows, `writing.py` changes; `projection.py` says how much of an object is read at
all, `lines.py` cuts a stream into events, `limits.py` keeps writes below a rate.
"""
