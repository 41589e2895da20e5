"""From records to what people see: conditions and the written `*/status`.

`service.py` carries things in and out, `conditions/` assesses what is, `patch.py` finds the
smallest change, `urgency.py` says whether it may wait, `metrics/` shows clusters under KubeRay's
names. The only writer of `*/status`.
"""
