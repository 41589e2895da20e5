"""Words that are planted where secrets stand, to be looked for where none may be.

What a user writes as plain text is in the log by design, but never in a line that a service writes.
The value of a Secret is in neither.
"""

ENV_MARKER = "planted-in-the-environment-7f3a"
SECRET_MARKER = "planted-in-a-secret-9c1e"
SECRET_NAME = "planted"
