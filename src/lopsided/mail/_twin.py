"""The filter of the library that decides as a state does, bit for bit: for replays and comparisons."""

from typing import Any

from lopsided.feedback import AppleTasting, EpsilonGreedy, LabelEfficient, OneSidedFilter, SoftmaxExplorer
from lopsided.mail._engine import BIAS, BUFFER, HAM_WEIGHS, C
from lopsided.mail._settings import Settings
from lopsided.online import MarginPerceptron, RelaxedOnlineSVM
from lopsided.text import ByteGramVectorizer

_EXPLORERS = {
    "epsilon-greedy": EpsilonGreedy,
    "label-efficient": LabelEfficient,
    "softmax": SoftmaxExplorer,
}


def filter_of(settings: Settings, seed: int, bias: float | None = None) -> OneSidedFilter:
    """Return a filter that knows nothing yet; ``bias`` in place of the one that its learner has.

    Examples
    --------
    >>> filter_of(Settings.of("relaxed-svm", "none"), seed=0)
    OneSidedFilter(RelaxedOnlineSVM(C=3.0, buffer_size=250), bias=0.4, guard=True, only_finds=True)
    """
    return OneSidedFilter(
        learner_of(settings),
        _explorer_of(settings),
        bias=BIAS[settings.learner] if bias is None else bias,
        random_state=seed,
        guard=settings.guard,
        only_finds=True,
    )


def learner_of(settings: Settings) -> Any:
    """Return the learner that the settings name."""
    if settings.learner == "relaxed-svm":
        return RelaxedOnlineSVM(C, buffer_size=BUFFER)
    return MarginPerceptron(class_weight={1: HAM_WEIGHS})


def vectorizer_of(settings: Settings) -> ByteGramVectorizer:
    """Return the vectorizer that the settings ask for."""
    return ByteGramVectorizer(n_features=settings.n_features)


def _explorer_of(settings: Settings) -> Any:
    if settings.explorer == "none":
        return None
    if settings.explorer == "apple-tasting":
        return AppleTasting()
    return _EXPLORERS[settings.explorer](settings.parameter)
