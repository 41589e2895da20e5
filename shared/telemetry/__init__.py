"""What a running service tells about itself.

`logs` writes lines, `context` binds what the current work is about to every line below it, and
`metrics` holds the registry behind `/metrics`.
"""
