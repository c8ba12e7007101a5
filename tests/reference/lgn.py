"""LGN with the mean of each draw instead of the draw, one word and one document at a time."""

import math
from types import SimpleNamespace

from reference.naive_bayes import vocabulary_of


def lgn(known, new, *, entropy="counts", prior_ratio=1.0, draws="each", smoothing=1.0):
    """Everything LGN finds on its way, by name; words are columns, documents lists of counts."""
    V = vocabulary_of([*known, *new])
    p_known, p_new = share(known, V, smoothing), share(new, V, smoothing)
    entropies = {}
    for w in V:
        if entropy == "printed":
            parts = [p_known[w], p_new[w]]
        else:
            both = [p_known[w], p_new[w]] if entropy == "posterior" else [total(known, w), total(new, w)]
            parts = [part / sum(both) for part in both]
        entropies[w] = -sum(part * math.log(part) for part in parts if part > 0)
    most = max(entropies.values())
    q = {w: 1 - entropies[w] / most if most > 0 else 1.0 for w in V}
    df, mean, variance, n_draws, artificial = {}, {}, {}, {}, {}
    for w in V:
        used = [document[w] for document in new if document[w] > 0]
        df[w] = len(used)
        mean[w] = sum(used) / len(used) if used else 0.0
        variance[w] = sum((f - mean[w]) ** 2 for f in used) / (len(used) - 1) if len(used) > 1 else 0.0
        n_draws[w] = math.ceil(df[w] * q[w] - 1e-12)
        if draws == "one":
            n_draws[w] = min(n_draws[w], 1)
        artificial[w] = n_draws[w] * mean[w]
    p_negative = share([artificial], V, smoothing)

    def score(document):
        """Log odds of being expected."""
        odds = -math.log(prior_ratio)
        for w in V:
            odds += document[w] * (math.log(p_known[w]) - math.log(p_negative[w]))
        return odds

    return SimpleNamespace(**{name: value for name, value in locals().items() if name not in ("w", "used")})


def share(documents, V, smoothing):
    """Equation 2, of each word in some documents."""
    below = smoothing * len(V) + sum(total(documents, w) for w in V)
    return {w: (smoothing + total(documents, w)) / below for w in V}


def total(documents, w):
    return sum(document[w] for document in documents)
