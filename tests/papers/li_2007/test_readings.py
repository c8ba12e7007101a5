from math import ceil, log
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from lopsided.experiments import Measurement, Measurements
from lopsided.papers.li_2007 import readings
from lopsided.papers.li_2007.data import READ, ROWS, draw
from lopsided.papers.li_2007.methods import METHODS, MODELS, READ_LGN, READINGS, S_EM
from lopsided.papers.li_2007.readings import TEST, TUNING, choose, show


def test_tuning_and_test_pairs_have_no_group_in_common():
    assert {*TUNING, *TEST} <= set(ROWS)
    known = [{group for pair in pairs for group in pair.split("-")} for pairs in (TUNING, TEST)]
    assert not known[0] & known[1]


@pytest.mark.parametrize("name", READINGS)
def test_readings_of_the_entropy_alone_are_those_of_the_estimator(made_data, name):
    setup = draw("os-med", 20, "A", 3)
    np.testing.assert_allclose(READ_LGN[name](setup), METHODS[name](setup), atol=1e-8)


def scores_word_by_word(P, U, entropy, draws, binary, smoothing):
    """Return the scores of LGN (Figures 2 and 3) where each word is as frequent wherever it occurs in U."""
    if binary:
        P, U = (P > 0).astype(float), (U > 0).astype(float)
    words, totals = range(P.shape[1]), (P.sum(axis=0), U.sum(axis=0))

    def share(total, w):
        return (smoothing + total[w]) / sum(smoothing + total[v] for v in words)

    entropies = []
    for w in words:
        shares = [total[w] if entropy == "counts" else share(total, w) for total in totals]
        if entropy != "printed":
            shares = [one / sum(shares) for one in shares]
        entropies.append(-sum(one * log(one) for one in shares if one > 0))
    negative = []
    for w in words:
        using = [row[w] for row in U if row[w] > 0]
        n = ceil(len(using) * (1 - entropies[w] / max(entropies)) - 1e-12)
        negative.append((min(n, 1) if draws == "one" else n) * (using[0] if using else 0.0))
    ratios = [log(share(totals[0], w)) - log(share(negative, w)) for w in words]
    return [sum(row[w] * ratios[w] for w in words) for row in U]


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
def test_each_reading_is_that_of_the_figures_word_by_word(model):
    rng = np.random.default_rng(0)
    P = rng.poisson([3.0, 1.0, 1.0, 0.5, 0.0, 2.0], (8, 6)).astype(float)
    P[0] += [1, 1, 1, 1, 0, 1]
    U = rng.integers(0, 2, (6, 6)) * np.array([2.0, 1.0, 3.0, 1.0, 2.0, 0.0])
    U[0] = [2.0, 1.0, 3.0, 1.0, 2.0, 0.0]
    y = np.repeat([0, -1], [len(P), len(U)])
    setup = SimpleNamespace(X=csr_matrix(np.vstack([P, U])), y=y, truth=y[len(P) :] == 0, seed=0)
    (name,) = (name for name, own in MODELS.items() if own == model)
    np.testing.assert_allclose(READ_LGN[name](setup), scores_word_by_word(P, U, *model), rtol=1e-9, atol=1e-9)


def measured(values):
    """Return F from (vocabulary, model, share) -> value on the tuning pairs; on the test pairs, 1 less."""
    return Measurements(
        [
            Measurement(
                {"protocol": at[0], "method": at[1], "share": at[2], "data": pair, "seed": seed},
                {"f": value + seed - less},
            )
            for at, value in values.items()
            for pairs, less in ((TUNING, 0), (TEST, 1))
            for pair in pairs
            for seed in (0, 1)
        ]
    )


def test_the_rule_chooses_at_the_smallest_share_and_over_both_with_and_without_headers():
    values = {
        ("A", "LGN", 5): 50.0,
        ("A", "LGN", 100): 30.0,
        ("A", "LGN printed", 5): 15.0,
        ("A", "LGN printed", 100): 80.0,
        ("A, headers", "LGN", 5): 60.0,
        ("A, headers", "LGN", 100): 31.0,
    }
    assert choose(measured(values)) == [("A, headers", "LGN"), ("A", "LGN printed"), ("A", "LGN")]
    values["A, headers", "LGN", 100] = 90.0
    assert choose(measured(values)) == [("A, headers", "LGN"), ("A", "LGN"), ("A", "LGN printed")]


def test_the_tables_keep_tuning_and_test_apart(monkeypatch):
    monkeypatch.setattr(readings, "CHOSEN", [("A, headers", "LGN, binary")])
    names = [("A", "LGN"), ("A", "LGN, binary"), ("A, headers", "LGN, binary"), ("A", "LGN printed")]
    t = measured(
        {(*at, share): 10.0 * k + share for k, at in enumerate(names) for share in READ["pairs"]["shares"]}
    )
    judged, *changed = show(t)
    assert judged.columns == ("tuning, 5 %", "tuning, 100 %", "test, 5 %", "test, 100 %")
    first = dict(judged.lines)["A: LGN"]
    assert [cell.ours for cell in first] == [5.5, 100.5, 4.5, 99.5]
    assert [cell.spread for cell in first] == [pytest.approx(0.5**0.5)] * 4
    assert [cell.printed for cell in first] == [
        pytest.approx(79.075),
        None,
        pytest.approx(75.067, abs=1e-3),
        None,
    ]
    ours, chosen = changed
    assert [name for name, _ in ours.lines] == ["as it is", "binary: True", "entropy: printed"]
    assert [name for name, _ in chosen.lines] == ["headers: False", "as it is"]


def test_beside_s_em_stands_its_own_published_value():
    (judged, *_) = show(measured({("A", S_EM, 5): 18.0}).only(data=TEST))
    tuned, _, found, missing = judged.lines[0][1]
    assert (tuned, missing) == ("", "")
    assert found.printed == pytest.approx((46.3 + 39.0 + 46.0 + 52.6 + 54.1 + 39.9) / 6)
