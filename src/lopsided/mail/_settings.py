"""Learners and explorers by name, and what a new state is made with."""

import math
from dataclasses import dataclass

LEARNERS = {
    "relaxed-svm": "an SVM of the last 250 labels; 3 MB, and 4 in memory",
    "margin-perceptron": "a step for each mistake and for what is right by less than a margin; 1 MB",
}
# name -> (parameter if none is given, what it does)
EXPLORERS = {
    "none": (0.0, "never shows what would be hidden; nobody can say then what is missed"),
    "epsilon-greedy": (0.005, "shows one in so many of what would be hidden, anything alike"),
    "label-efficient": (1e-4, "shows what is near the border; a parameter of 1e-5 to 1e-2"),
    "apple-tasting": (0.0, "shows much at first, then less, and more again if that finds something"),
    "softmax": (0.1, "by the score; the parameter is a temperature"),
}
_WITHOUT_PARAMETER = ("none", "apple-tasting")


@dataclass(frozen=True)
class Settings:
    """The parts that a filter is made of. Explorer and guard can be changed later, the learner cannot.

    Examples
    --------
    >>> Settings.of("margin-perceptron", "epsilon-greedy:0.02").parameter
    0.02
    >>> Settings.of("bayes")
    Traceback (most recent call last):
        ...
    ValueError: no learner 'bayes'. There are: relaxed-svm, margin-perceptron.
    """

    learner: str = "relaxed-svm"
    explorer: str = "epsilon-greedy"
    parameter: float = 0.005
    guard: bool = True
    n_features: int = 2**18

    def __post_init__(self) -> None:
        if self.learner not in LEARNERS:
            raise ValueError(f"no learner '{self.learner}'. There are: {', '.join(LEARNERS)}.")
        if self.explorer not in EXPLORERS:
            raise ValueError(f"no explorer '{self.explorer}'. There are: {', '.join(EXPLORERS)}.")
        if type(self.n_features) is not int or not 2**10 <= self.n_features <= 2**24:
            raise ValueError(f"features from 2**10 to 2**24; got {self.n_features!r}.")
        if not isinstance(self.guard, bool):
            raise ValueError(f"guard must be True or False; got {self.guard!r}.")
        p = self.parameter
        if isinstance(p, bool) or not isinstance(p, (int, float)):
            raise ValueError(f"the parameter of an explorer must be a number; got {p!r}.")
        fits = 0 <= p <= 1 if self.explorer == "epsilon-greedy" else p > 0
        if self.explorer not in _WITHOUT_PARAMETER and not (math.isfinite(p) and fits):
            wanted = "from 0 to 1" if self.explorer == "epsilon-greedy" else "above 0"
            raise ValueError(f"the explorer '{self.explorer}' takes a number {wanted}; got {p!r}.")

    @classmethod
    def of(
        cls,
        learner: str | None = None,
        explorer: str | None = None,
        guard: bool = True,
        n_features: int = 2**18,
    ) -> "Settings":
        """Read the words of a command line: ``explorer`` may carry its parameter behind a colon."""
        name, colon, number = (explorer or f"{cls.explorer}:{cls.parameter}").partition(":")
        if name not in EXPLORERS:
            return cls(explorer=name)  # says which there are
        parameter = EXPLORERS[name][0]
        if colon:
            if name in _WITHOUT_PARAMETER:
                raise ValueError(f"the explorer '{name}' takes no number; got '{explorer}'.")
            try:
                parameter = float(number)
            except ValueError:
                raise ValueError(
                    f"'{explorer}': a number goes behind the colon, as in '{name}:0.01'."
                ) from None
        return cls(learner or cls.learner, name, parameter, guard, n_features)

    @property
    def explorer_in_words(self) -> str:
        """Return the explorer as it is typed on a command line."""
        return self.explorer if self.explorer in _WITHOUT_PARAMETER else f"{self.explorer}:{self.parameter!r}"
