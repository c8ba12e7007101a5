"""Streams on which learners that see only what they show come to a halt (Sculley 2007, figure 8)."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from lopsided._validation import as_generator

_CONSTANT = 3.0
# For each case its bands: share of the stream, from, to, label. u is uniform within a band.
_BANDS = {
    "separable": ((0.5, -2.0, 1.0, 1), (0.5, -4.0, -2.5, 0)),
    "gap": ((0.1, 1.5, 2.0, 1), (0.4, -2.0, -1.0, 1), (0.5, -4.0, -3.0, 0)),
    "stripe": ((0.1, 1.0, 2.0, 1), (0.05, -0.5, 0.5, 0), (0.5, -2.0, -1.0, 1), (0.35, -4.0, -3.0, 0)),
    "malicious": ((0.5, 1.0, 2.0, 1), (0.5, -2.0, -1.0, 0)),
    "overshoot": ((0.5, -2.0, -1.0, 1), (0.5, -4.0, -3.0, 0)),
}
_CASES = (*_BANDS, "overlap")
_LIES = 20  # positives called negative at the head of "malicious"
_LEAD = 0.025  # share of "overshoot" before its first negative


def make_one_sided(
    case: str = "separable", n_samples: int = 2000, *, random_state: Any = None
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Make a stream that defeats a learner which gets labels only for what it shows, and can be cured.

    Each row is (3, u, v): a constant, so that no intercept is needed, the place u that decides about the
    label, and v, uniform in [-0.5, 0.5], that says nothing. The first row is positive. Whatever positive p is
    learned first and whatever negative q next, a perceptron is at w = p - q, whose constant is 0: it shows
    what has u > 0 (but for v). What then happens is the case [1]_:

    "separable"
        positive: u in [-2, 1]; negative: u in [-4, -2.5]. A perceptron gets no reason to move from u = 0 and
        misses two positives in three. A margin is the cure: positives just above 0 push the plane down.
    "gap"
        positive: [1.5, 2] (one row in ten) and [-2, -1]; negative: [-4, -3]. No positive that is shown lies
        within the margin 2, and nothing calls for those below. Cures: a larger margin, costs, an explorer.
    "stripe"
        positive: [1, 2] (one row in ten) and [-2, -1]; negative: [-4, -3] and the stripe [-0.5, 0.5] (one row
        in twenty), which drives the plane back. Cures: a much larger margin, high costs, an explorer, or a
        kernel for which the stripe is no obstacle.
    "malicious"
        positive: [1, 2]; negative: [-2, -1]. Behind the first row stand 20 positives called negative. No
        margin helps, an explorer does.
    "overshoot"
        positive: [-2, -1], and the first fortieth of the stream is positive; negative: [-4, -3]. One step for
        the first negative throws the plane past all positives. Cures: smaller steps, costs, an explorer.
    "overlap"
        u normal around -1 (positive) and -3 (negative) with deviation 1; rows are multiplied by 0.2. Each
        negative among the positives drives a perceptron further up, and nothing brings it down. Cures: a
        margin, an explorer.

    Half of the rows are positive (in the stripe, six in ten).

    Parameters
    ----------
    case : {"separable", "gap", "stripe", "malicious", "overshoot", "overlap"}, default="separable"
        What goes wrong.
    n_samples : int, default=2000
        Number of rows; at least 100, or the case is not what it says.
    random_state : None, int, Generator or RandomState, default=None
        Equal ints give equal streams.

    Returns
    -------
    X : array of shape (n_samples, 3)
        In the order of the stream.
    y : array of shape (n_samples,)
        1 for positive, 0 for negative.

    References
    ----------
    .. [1] D. Sculley, "Practical Learning from One-Sided Feedback", KDD 2007. Figure 8 and the
       text around it; the places of the bands are ours.

    Examples
    --------
    >>> X, y = make_one_sided("gap", random_state=0)
    >>> X.shape, y[0].item(), bool((X[y == 1, 1] > 0).mean() < 0.25)
    ((2000, 3), 1, True)
    """
    if case not in _CASES:
        raise ValueError(f"case must be one of {', '.join(map(repr, _CASES))}. Got {case!r}.")
    if not (isinstance(n_samples, int | np.integer) and n_samples >= 100):
        raise ValueError(f"n_samples must be a whole number, at least 100; got {n_samples!r}.")
    generator = as_generator(random_state)
    if case == "overlap":
        y = generator.integers(2, size=n_samples)
        u = np.where(y == 1, -1.0, -3.0) + generator.standard_normal(n_samples)
    else:
        share, low, high, label = np.array(_BANDS[case]).T
        band = generator.choice(len(share), n_samples, p=share)
        u = generator.uniform(low[band], high[band])
        y = label[band].astype(np.int64)
    X = np.column_stack([np.full(n_samples, _CONSTANT), u, generator.uniform(-0.5, 0.5, n_samples)])
    if case == "overlap":
        X *= 0.2
    n_ahead = {"malicious": 1 + _LIES, "overshoot": round(_LEAD * n_samples)}.get(case, 1)
    ahead = np.flatnonzero(y == 1)[:n_ahead]
    if case == "malicious":
        y[ahead[1:]] = 0
    order = np.concatenate([ahead, np.setdiff1d(np.arange(n_samples), ahead)])
    return X[order], y[order]
