"""How good is the model of `lopsided label`, and how much was found, after so many answers?

python research/label_check.py [--seeds N] [--strategy NAME]... [--features stems|bytes]
"""

import argparse

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


def follow(train, y, test, y_test, words, strategy, seed, features):
    """Return F1 on the test documents and the share found at each checkpoint."""
    found = []
    with LabelingSession(train, strategy=strategy, seed=seed, features=features) as session:
        session.find(words)
        for n in range(1, max(CHECKPOINTS) + 1):
            asked = session.ask()
            answer = "yes" if y[asked.row] else "no"
            session.answer(asked.row, answer, reason=asked.reason, probability=asked.probability)
            if n in CHECKPOINTS:
                f1 = f1_score(y_test, session.model().predict(test))
                found.append((f1, session.progress().n_yes / y.sum()))
    return found


def main():
    """Print F1 and the share found for each topic."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--strategy", action="append")
    parser.add_argument("--features", default="stems")
    parser.add_argument("--topic", action="append")
    options = parser.parse_args()
    train, test = (fetch_reuters21578(subset=side, categories="90") for side in ("train", "test"))
    for strategy in options.strategy or ["mixed", "border", "most likely"]:
        means = []
        for topic in options.topic or TOPICS:
            column = train.target_names.index(topic)
            y, y_test = (side.target.toarray()[:, column].astype(bool) for side in (train, test))
            runs = [
                follow(train.data, y, test.data, y_test, TOPICS[topic], strategy, seed, options.features)
                for seed in range(options.seeds)
            ]
            mean = np.mean(runs, axis=0)
            means.append(mean)
            cells = " ".join(f"{f1:.2f}/{found:.2f}" for f1, found in mean)
            print(f"{strategy:12} {topic:8} {y.sum():4} {cells}", flush=True)
        cells = " ".join(f"{f1:.2f}/{found:.2f}" for f1, found in np.mean(means, axis=0))
        print(f"{strategy:12} mean          {cells}", flush=True)


if __name__ == "__main__":
    main()
