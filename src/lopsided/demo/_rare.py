"""Rare class: one group, of which the training set holds one document in ten."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

from lopsided.boosting._short_list import learn_short_list
from lopsided.demo._corpus import Corpus
from lopsided.demo._result import Result
from lopsided.svm import LASVC, LASVCCV

_WANTED = 14  # sci.space
_N_RULES = 10  # at most
_N_LABELS = 1000  # that are asked for
# The table compares F1, so it is what the threshold is chosen by.
_SETTINGS: dict[str, Any] = {"scoring": "f1", "random_state": 0}


def rare(corpus: Corpus) -> Iterator[Result]:
    """Yield the results of learning from about 60 positives among 10,800 documents, on newer documents."""
    wanted = np.unique(corpus.group)[_WANTED]
    y = (corpus.group == wanted).astype(int)
    train = np.flatnonzero(corpus.is_train)
    surplus = train[y[train] == 1]
    surplus = surplus[np.arange(len(surplus)) % 10 != 0]
    train = np.setdiff1d(train, surplus)
    X, labels, test = corpus.X[train], y[train], ~corpus.is_train

    def result(method: str, model: Any, n_labels: int, rules: tuple[str, ...] = ()) -> Result:
        scores = model.decision_function(corpus.X[test])
        task = f"{wanted}: {labels.sum()} positives in {len(train):,}"
        return Result.of("rare class", task, method, n_labels, y[test], scores > 0, scores, rules)

    linear = LinearSVC(class_weight="balanced", random_state=0)
    yield result("baseline: balanced LinearSVC", linear.fit(X, labels), len(train))
    logistic = LogisticRegression(class_weight="balanced", max_iter=1000)
    yield result("baseline: balanced LogisticRegression", logistic.fit(X, labels), len(train))
    yield result("LASVCCV, all labels", LASVCCV(**_SETTINGS).fit(X, labels), len(train))
    asked = LASVCCV(max_labels=_N_LABELS, **_SETTINGS).fit(X, labels.take)
    yield result("LASVCCV, labels asked for", asked, len(asked.queried_))
    some = np.random.default_rng(0).permutation(len(train))[: len(asked.queried_)]
    chance = LASVC(kernel="linear", class_weight="balanced", random_state=0).fit(X[some], labels[some])
    yield result("LASVC, as many at random", chance, len(some))
    short = learn_short_list(X, labels == 1, "presence", _N_RULES, random_state=0)
    rules = tuple(
        " and ".join(f"{'' if yes else 'no '}{corpus.words[column]}" for column, _, yes in rule)
        for rule in short.rules
    )
    n = f"{len(rules)} rule{'' if len(rules) == 1 else 's'}"
    yield result(f"short rule list, {n}", short, len(train), rules)
