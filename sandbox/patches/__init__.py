"""The four ways to change part of an object, as pure functions.

apply.py       the door: content type in, patched object out
merge.py       RFC 7396                      operations.py  RFC 6902
strategic.py   Kubernetes' own, with keys    serverside.py  field ownership and conflicts
shapes.py      which lists merge, by which keys
fieldsets.py, ownership.py, conflicts.py     the parts of server-side apply
"""
