"""The error of the commands."""


class Problem(Exception):
    """Says in one line why something cannot be read."""
