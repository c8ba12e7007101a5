"""Rare class: one group, of which the training set holds one document in ten."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

from lopsided.boosting._short_list import learn_short_list
from lopsided.demo._corpus import Corpus
from lopsided.demo._result import Result
from lopsided.svm import LASVC

_WANTED = 14  # sci.space
_N_RULES = 10  # at most
# What asks for labels cannot be balanced by labels that it has not read: a missed positive costs a hundred
# times as much. Chosen on three other groups, not on this one.
_COSTS: dict[str, Any] = {"kernel": "linear", "C": 0.1, "class_weight": {1: 100}, "random_state": 0}


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
    everything = LASVC(kernel="linear", class_weight="balanced", random_state=0)
    yield result("LASVC, all labels", everything.fit(X, labels), len(train))
    border = LASVC(selection="active", stopping="margin", **_COSTS).fit(X, labels.take)
    yield result("LASVC, asked at the border", border, border.n_labels_)
    chance = LASVC(selection="random", max_labels=border.n_labels_, **_COSTS).fit(X, labels)
    yield result("LASVC, as many labels at random", chance, chance.n_labels_)
    short = learn_short_list(X, labels == 1, "presence", _N_RULES, random_state=0)
    rules = tuple(
        " and ".join(f"{'' if yes else 'no '}{corpus.words[column]}" for column, _, yes in rule)
        for rule in short.rules
    )
    n = f"{len(rules)} rule{'' if len(rules) == 1 else 's'}"
    yield result(f"short rule list, {n}", short, len(train), rules)
