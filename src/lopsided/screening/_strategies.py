"""Strategies: each is a short function that chooses the record to show next."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lopsided.screening._model import Fitted
from lopsided.screening._record import Reason

_RANDOM = 0.03  # share of random checks in "mixed"
_POOL = 59  # random records of which the one at the border is chosen: among them the best 5 % with 95 %


class Choice(NamedTuple):
    """A row and the reason for showing it."""

    row: int
    reason: Reason


Strategy = Callable[[Fitted, NDArray[np.intp], np.random.Generator], Choice]


def most_likely(model: Fitted, left: NDArray[np.intp], rng: np.random.Generator) -> Choice:
    """Choose the record with the highest score."""
    return Choice(int(left[model.ranking[left].argmax()]), "most likely")


def border(model: Fitted, left: NDArray[np.intp], rng: np.random.Generator) -> Choice:
    """Choose, of a random pool, the record that is as likely relevant as not: its label teaches most.

    The border of the model itself lies elsewhere, where nearly all are irrelevant: it ranks, and in it the
    relevant records weigh more. The pool keeps the records apart. Measured: docs/label.md
    """
    pool = rng.choice(left, size=min(_POOL, len(left)), replace=False)
    return Choice(int(pool[np.abs(model.probability(pool) - 0.5).argmin()]), "border")


def random(model: Fitted, left: NDArray[np.intp], rng: np.random.Generator) -> Choice:
    """Choose any record with equal probability."""
    return Choice(int(rng.choice(left)), "random check")


def mixed(model: Fitted, left: NDArray[np.intp], rng: np.random.Generator) -> Choice:
    """Choose the most likely record, and now and then any one.

    Which of the two is drawn before anything is looked at, so a random check is drawn from all records
    that are left with equal probability, whatever the model says.
    """
    return random(model, left, rng) if rng.random() < _RANDOM else most_likely(model, left, rng)


STRATEGIES: dict[str, Strategy] = {
    "mixed": mixed,
    "most likely": most_likely,
    "border": border,
    "random": random,
}
