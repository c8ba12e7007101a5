"""Naive Bayes with soft memberships and S-EM, one document, one word, one class at a time."""

import math


class NaiveBayes:
    """Equations 1 to 3 of Li, Liu and Ng 2007 over lists of counts."""

    def __init__(self, documents, memberships, vocabulary, smoothing=1.0):
        n_classes = len(memberships[0])
        total = sum(sum(r) for r in memberships)
        self.vocabulary = vocabulary
        self.prior, self.word = [], []
        for c in range(n_classes):
            self.prior.append(sum(r[c] for r in memberships) / total)
            counts = {
                w: sum(d[w] * r[c] for d, r in zip(documents, memberships, strict=True)) for w in vocabulary
            }
            below = smoothing * len(vocabulary) + sum(counts.values())
            self.word.append({w: (smoothing + counts[w]) / below for w in vocabulary})

    def log_joint(self, document):
        return [
            math.log(prior) + sum(document[w] * math.log(word[w]) for w in self.vocabulary)
            for prior, word in zip(self.prior, self.word, strict=True)
        ]

    def log_odds(self, document):
        negative, positive = self.log_joint(document)
        return positive - negative

    def posterior(self, document):
        logs = self.log_joint(document)
        return [math.exp(log - log_sum_exp(logs)) for log in logs]


def log_sum_exp(logs):
    most = max(logs)
    return most + math.log(sum(math.exp(log - most) for log in logs))


def vocabulary_of(documents):
    return [w for w in range(len(documents[0])) if any(d[w] for d in documents)]


def spy_em(
    X,
    positive,
    spies,
    *,
    noise=0.15,
    max_iter=50,
    tol=1e-4,
    selection="error_change",
    smoothing=1.0,
):
    """S-EM with these spies (rows of X): everything it finds on its way, by name."""
    documents = [list(map(float, row)) for row in X]
    V = vocabulary_of(documents)
    P = [i for i, is_positive in enumerate(positive) if is_positive]
    U = [i for i, is_positive in enumerate(positive) if not is_positive]

    # Step 1. Where all of P are spies (of one positive) they are put among U as copies.
    known = [i for i in P if i not in spies] or P
    mixed = U + list(spies)
    history, models = em(
        documents, V, known, mixed, mixed, P, U, max_iter=max_iter, tol=tol, smoothing=smoothing
    )
    odds = {i: models[-1].log_odds(documents[i]) for i in mixed}
    ranked = sorted(odds[i] for i in spies)
    threshold = ranked[math.floor(noise * len(spies) + 1e-9)]
    N = [i for i in U if odds[i] < threshold] or [min(U, key=lambda i: odds[i])]
    first = [{"step": "spies", **record, "error_change": None} for record in history]

    # Step 2
    history, models = em(
        documents, V, P, U, N, P, U, max_iter=max_iter, tol=tol, smoothing=smoothing, selection=selection
    )
    selected = len(models) - 1
    if selection == "error_change" and selected and history[-1]["error_change"] > 0:
        selected -= 1
    return {
        "threshold": threshold,
        "spy_odds": ranked,
        "reliable_negatives": N,
        "history": first + [{"step": "em", **record} for record in history],
        "models": models,
        "selected": selected,
        "model": models[selected],
    }


def em(documents, V, known, moved, negatives, P, U, *, max_iter, tol, smoothing, selection="none"):
    """Classifiers f_0, f_1, ...: the first from ``known`` against ``negatives``, then EM over ``moved``."""
    rows = [(i, [0.0, 1.0]) for i in known] + [(i, [1.0, 0.0]) for i in negatives]
    models, history, before = [], [], None
    for iteration in range(max_iter + 1):
        model = NaiveBayes([documents[i] for i, _ in rows], [r for _, r in rows], V, smoothing)
        models.append(model)
        after = [model.posterior(documents[i]) for i in moved]
        likelihood = sum(model.log_joint(documents[i])[1] for i in known)
        likelihood += sum(log_sum_exp(model.log_joint(documents[i])) for i in moved)
        accepted = sum(model.log_odds(documents[i]) >= 0 for i in U) / len(U)
        rejected = sum(model.log_odds(documents[i]) < 0 for i in P) / len(P)
        record = {
            "iteration": iteration,
            "log_likelihood": likelihood,
            "log_posterior": likelihood
            + smoothing * sum(math.log(p) for c in model.word for p in c.values()),
            "accepted_unlabeled": accepted,
            "rejected_positives": rejected,
            "error_change": None,
            "membership_change": None,
        }
        if iteration:
            last = history[-1]
            record["error_change"] = (accepted - last["accepted_unlabeled"]) + 2 * (
                rejected - last["rejected_positives"]
            ) * accepted
            record["membership_change"] = sum(
                abs(new[1] - old[1]) for new, old in zip(after, before, strict=True)
            ) / len(moved)
        history.append(record)
        if iteration and selection == "error_change" and record["error_change"] > 0:
            break
        if iteration and record["membership_change"] <= tol:
            break
        rows = [(i, [0.0, 1.0]) for i in known] + list(zip(moved, after, strict=True))
        before = after
    return history, models
