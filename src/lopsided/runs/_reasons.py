"""The texts of records, read back: records that were kept have no other word on what went wrong."""

TOO_SLOW = "it took longer than"  # so begins the text of a unit that was ended


def was_too_slow(problem: str) -> bool:
    """Return whether a unit was ended because it took too long."""
    return problem.startswith(TOO_SLOW)


def reason_of(problem: str) -> str:
    """Return what went wrong in one line: of a traceback, the first line of the error's message.

    Examples
    --------
    >>> reason_of('Traceback (most recent call last):\\n  File "a.py"\\n    f()\\nOSError: no\\nand\\n')
    'OSError: no'
    >>> reason_of("it took longer than 10 min.")
    'it took longer than 10 min.'
    """
    lines = problem.strip().splitlines()
    last = max((i for i, line in enumerate(lines) if line.startswith('  File "')), default=-1)
    return next((line for line in lines[last + 1 :] if not line.startswith(" ")), lines[-1])
