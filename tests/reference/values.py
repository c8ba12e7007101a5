"""Values under one-sided feedback, in plain NumPy: the regressor and the protocol, line by line."""

import numpy as np


class SlowRegressor:
    """Crammer et al. 2006, section 5: project onto the set of models that are within epsilon of the value."""

    def __init__(self, n_features, eta0=1.0, epsilon=0.0, fit_intercept=True, initial_value=0.0):
        self.w = np.zeros(n_features + 1)  # the last one is the intercept
        self.start = initial_value
        self.eta0, self.epsilon, self.constant = eta0, epsilon, float(fit_intercept)
        self.n_updates = 0

    def predict(self, x):
        return float(np.append(x, self.constant) @ self.w) + self.start

    def update(self, x, y):
        z = np.append(x, self.constant)
        error = y - self.predict(x)
        loss = max(0.0, abs(error) - self.epsilon)
        if loss > 0 and z @ z > 0:
            self.w = self.w + self.eta0 * np.sign(error) * loss / (z @ z) * z
            self.n_updates += 1


def value_stream(learner, X, values, threshold, bias=0.0, explore=None, full=False):
    """What is shown, explored and predicted; ``explore(s, i)`` says if item i of score s is shown anyway."""
    show, explored, predicted = [], [], []
    started = False
    for i, (x, value) in enumerate(zip(X, values, strict=True)):
        guess = learner.predict(x) if started else threshold
        by_value = not started or guess + bias >= threshold
        by_chance = not by_value and explore is not None and not full and explore(guess - threshold, i)
        if by_value or by_chance or full:
            learner.update(x, value)
            started = True
        show.append(by_value or by_chance)
        explored.append(by_chance)
        predicted.append(guess)
    return np.array(show), np.array(explored), np.array(predicted)
