"""Say what must hold; stop if it does not.

A broken invariant is not an outcome: nobody catches it but the supervisor
(`shared.runtime.supervision`).
"""


class InvariantError(AssertionError):
    """Something that cannot be, is."""


def invariant(condition: object, sentence: str) -> None:
    """Raise unless the condition holds; the sentence says what should have been true."""
    if not condition:
        raise InvariantError(sentence)
