"""How many of a thing, in words. Pure."""


def counted(number: int, thing: str) -> str:
    """Return a number of things: `1 act`, `2 acts`."""
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"
