"""One class against the rest, with the parameters of the machine that is to learn it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from lopsided.problems._records import Split
from lopsided.problems.digits import read_mnist, read_usps
from lopsided.problems.reuters import read_tfidf
from lopsided.problems.uci import read_letter_split, read_split


@dataclass(frozen=True, eq=False)
class RareProblem:
    """A rare class (1) against the rest (0), already split, with the parameters of the machine."""

    name: str
    X_train: Any
    y_train: NDArray[Any]
    X_test: Any
    y_test: NDArray[Any]
    C: float
    gamma: float

    @property
    def n_train(self) -> int:
        """Number of training examples."""
        return len(self.y_train)

    @property
    def ratio(self) -> float:
        """Negatives for each positive in the training set."""
        n_positive = int(self.y_train.sum())
        return (self.n_train - n_positive) / n_positive


@dataclass(frozen=True)
class ProblemSource:
    """The source of a problem: how it is read, and what is known of it before that."""

    group: str
    """The collection that it is from."""
    read: Callable[[], Split]
    C: float
    gamma: float
    deviation: str = ""
    """What differs from the data of the paper that has the problem."""


def load_problem(name: str, sources: Mapping[str, ProblemSource], where: str) -> RareProblem:
    """Read a problem of some sources; ``where`` says in the error message what these are."""
    if name not in sources:
        raise ValueError(f"no problem {name!r} {where}. Choose one of {', '.join(sources)}.")
    source = sources[name]
    return RareProblem(name, *source.read(), C=source.C, gamma=source.gamma)


READERS: dict[str, Callable[[Any], Split]] = {
    "letter": lambda letter: read_letter_split().one_class(letter),
    "satimage": lambda soil: read_split("satimage").one_class(soil),
    "USPS": lambda digit: read_usps().one_class(digit),
    "MNIST": lambda digit: read_mnist().one_class(digit),
    "Reuters": lambda topic: read_tfidf().one_topic(topic),
}
"""Collection -> a function that returns one of its classes against the rest."""
