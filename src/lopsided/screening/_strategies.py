"""Strategies: each is a short function that chooses the record to show next."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lopsided.screening._model import Fitted
from lopsided.screening._record import Reason

_RANDOM = 0.03  # share of random checks in "mixed"


class Choice(NamedTuple):
    """A row and the reason for showing it."""

    row: int
    reason: Reason


Strategy = Callable[[Fitted, NDArray[np.intp], np.random.Generator], Choice]


def most_likely(model: Fitted, left: NDArray[np.intp], rng: np.random.Generator) -> Choice:
    """Choose the record with the highest score."""
    return Choice(int(left[model.ranking[left].argmax()]), "most likely")


def border(model: Fitted, left: NDArray[np.intp], rng: np.random.Generator) -> Choice:
    """Choose the record that lies closest to the border."""
    return Choice(int(left[np.abs(model.scores[left]).argmin()]), "border")


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
