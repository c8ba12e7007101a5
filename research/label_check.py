"""How good is the model of `lopsided label`, and how much was found, after so many answers? Which rules fire?

python research/label_check.py [--seeds N] [--strategy NAME]... [--features stems|bytes] [--rules]
"""

import argparse
from typing import Any

import numpy as np
from sklearn.metrics import f1_score

from lopsided import fetch_reuters21578
from lopsided.screening._labeling import LabelingSession

TOPICS = {
    "cocoa": "cocoa",
    "nat-gas": "natural gas",
    "gold": "gold",
    "gnp": "gnp",
    "coffee": "coffee",
    "sugar": "sugar",
    "ship": "ship",
    "trade": "trade",
}
CHECKPOINTS = (50, 100, 200, 300)
LONGEST = 700  # answers while a rule is waited for


def answer_truly(session: LabelingSession, y: Any) -> None:
    """Answer one question by the true labels."""
    asked = session.ask()
    assert asked is not None, "there are texts left"
    answer = "yes" if y[asked.row] else "no"
    session.answer(asked.row, answer, reason=asked.reason, probability=asked.probability)


def check(session: LabelingSession, y: Any, test: Any, y_test: Any) -> list[tuple[float, float]]:
    """Return F1 on the test documents and the share found at each checkpoint."""
    found = []
    for n in range(1, max(CHECKPOINTS) + 1):
        answer_truly(session, y)
        if n in CHECKPOINTS:
            model: Any = session.model()
            f1 = 0.0 if model is None else f1_score(y_test, model.predict(test))  # none: all were a yes
            found.append((float(f1), session.progress().n_yes / y.sum()))
    return found


def wait_for_rules(session: LabelingSession, y: Any) -> dict[str, tuple[int, float]]:
    """Return after how many answers each stopping rule fired first, and the share found then."""
    fired: dict[str, tuple[int, float]] = {}
    for n in range(1, LONGEST + 1):
        answer_truly(session, y)
        progress = session.progress()
        for rule in progress.fired:
            fired.setdefault(rule.rule, (n, progress.n_yes / y.sum()))
    return fired


def main() -> None:
    """Print a line a topic."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--strategy", action="append")
    parser.add_argument("--topic", action="append")
    parser.add_argument("--features", default="stems")
    parser.add_argument("--rules", action="store_true")
    options = parser.parse_args()
    train, test = (fetch_reuters21578(subset=side, categories="90") for side in ("train", "test"))
    for strategy in options.strategy or ["mixed", "border"]:
        means = []
        for topic in options.topic or TOPICS:
            column = train.target_names.index(topic)
            y, y_test = (side.target.toarray()[:, column].astype(bool) for side in (train, test))
            runs = []
            for seed in range(options.seeds):
                session = LabelingSession(train.data, strategy=strategy, seed=seed, features=options.features)
                session.find(TOPICS[topic])
                if options.rules:
                    print(f"{strategy:12} {topic:8} {seed} {wait_for_rules(session, y)}", flush=True)
                else:
                    runs.append(check(session, y, test.data, y_test))
            if runs:
                means.append(np.mean(runs, axis=0))
                print(f"{strategy:12} {topic:8} {y.sum():4} {cells(means[-1])}", flush=True)
        if means:
            print(f"{strategy:12} mean          {cells(np.mean(means, axis=0))}", flush=True)


def cells(results: Any) -> str:
    """Return pairs of F1 and share found as text."""
    return " ".join(f"{f1:.2f}/{found:.2f}" for f1, found in results)


if __name__ == "__main__":
    main()
