"""Explorers show, now and then, an item that would be hidden: the label of a hidden item is never learned."""

from dataclasses import dataclass
from typing import ClassVar

from lopsided._stored import Check, part, real
from lopsided._validation import is_finite


@dataclass(frozen=True)
class AppleTasting:
    """Show a rejected item with a probability that falls with time and rises with every positive found so.

        p = min(1, sqrt((1 + m) / i)),      m positives found by exploring until round i

    Works with any learner and any data, also where nothing else does, at the price of many negatives shown
    (Helmbold, Littlestone & Long 2000).

    Examples
    --------
    >>> from lopsided import MarginPerceptron, OneSidedFilter
    >>> OneSidedFilter(MarginPerceptron(margin=0), explorer=AppleTasting()).explorer
    AppleTasting()
    """

    kind: ClassVar[str] = "apple-tasting"
    _stored: ClassVar[dict[str, Check]] = {}

    @property
    def parameter(self) -> float:
        """Return 0: apple tasting has no parameter."""
        return 0.0


@dataclass(frozen=True)
class LabelEfficient:
    """Show a rejected item with a probability that falls with its distance from the border.

        p = b / (b + |f(x)|),      b = beta X^2 sqrt(1 + K),  K mistakes known, X the largest norm seen

    Few labels, near the border, where they teach (Cesa-Bianchi, Gentile & Zaniboni 2006).

    Parameters
    ----------
    beta : float, default=1e-3
        Above 0; larger explores more. Mail was best served between 1e-4 and 1e-2.

    Examples
    --------
    >>> LabelEfficient(beta=0.01)
    LabelEfficient(beta=0.01)
    """

    beta: float = 1e-3
    kind: ClassVar[str] = "label-efficient"
    _stored: ClassVar[dict[str, Check]] = {"beta": real()}

    def __post_init__(self) -> None:
        _check("LabelEfficient", "beta", self.beta, above=0)

    @property
    def parameter(self) -> float:
        """The value of beta."""
        return float(self.beta)


@dataclass(frozen=True)
class EpsilonGreedy:
    """Show every rejected item with the same probability.

    Parameters
    ----------
    epsilon : float, default=0.05
        Between 0 and 1.

    Examples
    --------
    >>> EpsilonGreedy(epsilon=0.01)
    EpsilonGreedy(epsilon=0.01)
    """

    epsilon: float = 0.05
    kind: ClassVar[str] = "epsilon-greedy"
    _stored: ClassVar[dict[str, Check]] = {"epsilon": real()}

    def __post_init__(self) -> None:
        if not (is_finite(self.epsilon) and 0 <= self.epsilon <= 1):
            raise ValueError(f"EpsilonGreedy needs 0 <= epsilon <= 1; got {self.epsilon!r}.")

    @property
    def parameter(self) -> float:
        """The value of epsilon."""
        return float(self.epsilon)


@dataclass(frozen=True)
class SoftmaxExplorer:
    """Show a rejected item with probability 1 / (1 + exp(-f(x) / temperature)), which is below one half.

    Parameters
    ----------
    temperature : float, default=1.0
        Above 0; larger explores more.

    Examples
    --------
    >>> SoftmaxExplorer(temperature=0.1)
    SoftmaxExplorer(temperature=0.1)
    """

    temperature: float = 1.0
    kind: ClassVar[str] = "softmax"
    _stored: ClassVar[dict[str, Check]] = {"temperature": real()}

    def __post_init__(self) -> None:
        _check("SoftmaxExplorer", "temperature", self.temperature, above=0)

    @property
    def parameter(self) -> float:
        """Return the temperature."""
        return float(self.temperature)


Explorer = AppleTasting | LabelEfficient | EpsilonGreedy | SoftmaxExplorer
an_explorer = part(None, AppleTasting, LabelEfficient, EpsilonGreedy, SoftmaxExplorer)


def check_explorer(explorer: object) -> tuple[str, float]:
    """Return kind and parameter, as the compiled gate takes them."""
    if explorer is None:
        return "none", 0.0
    if not isinstance(explorer, Explorer):
        raise ValueError(
            "explorer must be None, AppleTasting(), LabelEfficient(), EpsilonGreedy() or SoftmaxExplorer(); "
            f"got {explorer!r}."
        )
    return explorer.kind, explorer.parameter


def _check(who: str, name: str, value: float, above: float) -> None:
    if not (is_finite(value) and value > above):
        raise ValueError(f"{who} needs a finite {name} above {above}; got {value!r}.")
