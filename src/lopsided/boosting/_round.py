"""The roundest number between two."""

import math


def round_between(low: float, high: float) -> float:
    """Return the number t with low <= t < high that is shortest to write.

    Any such t parts the same numbers, so that a reader may as well get a short one.

    Examples
    --------
    >>> round_between(41.7, 44.2), round_between(3, 4), round_between(0.1234, 0.1261)
    (42.0, 3.0, 0.124)
    >>> round_between(-math.inf, 5.0), round_between(7.5, math.inf)
    (4.0, 10.0)
    """
    if high == math.inf:
        high = low + max(1.0, abs(low)) if low > -math.inf else 1.0
    if low == -math.inf:
        low = high - 1.0 if high - 1.0 < high else math.nextafter(high, -math.inf)
    largest = max(abs(low), abs(high))
    if low <= 0 < high or not math.isfinite(high) or not math.isfinite(low):
        return 0.0 if low <= 0 < high else float(low)
    for decimals in range(-math.floor(math.log10(largest)), 18 - math.floor(math.log10(largest))):
        t = round(low, decimals)
        for candidate in (t, round(t + 10.0**-decimals, decimals)):
            if low <= candidate < high:
                return float(candidate)
    return float(low)
