"""From records to what people see: conditions and the written `*/status`.

`service.py` carries things in and out, `conditions/` assesses what is, `patch.py` finds the
smallest change. The only writer of `*/status`.
"""
