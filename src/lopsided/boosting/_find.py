"""A short list of rules that tells a rare class from the rest, and what it is worth on rows held out."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import hypergeom

from lopsided._validation import as_generator, is_whole
from lopsided.boosting._asked import join_conditions
from lopsided.boosting._cells import Cells, sort_columns
from lopsided.boosting._input import read_data
from lopsided.boosting._material import Material
from lopsided.boosting._report import RuleReport
from lopsided.boosting._rule_list import FoundRule, RuleList
from lopsided.boosting._short_list import learn_short_list
from lopsided.boosting._stems import Stems
from lopsided.boosting._wanted import Wanted, read_wanted, shorten
from lopsided.metrics import Counts
from lopsided.text._input import name_texts

_LEAST = 4  # rows of either class from which some are held out
_LISTED = 8  # so many columns does a line name
_CHANCE = 1.1  # lift in cross validation up to which a decision is little better than one at random
_WEAK = (
    "In cross validation the rules together were little better than chance: read them as a ranked list of "
    "hints, not as a decision."
)
_BY_CHANCE = 0.05  # from this p-value on, rows drawn at random may hold as many wanted ones
_NO_BETTER = (
    "On the rows held out the rules together are not clearly better than chance (p = {p:.2g}): read them as "
    "a ranked list of hints, not as a decision."
)


def find_rules(
    data: Any,
    labels: Sequence[Any],
    *,
    positive: Any = None,
    n_rules: int = 5,
    held_out: float = 0.25,
    ids: Sequence[str] | None = None,
    random_state: Any = None,
) -> RuleReport:
    """Find a few readable rules for a rare class, and judge them on rows they were not learned from.

    The rules are learned from three rows in four. They are the branches of a small decision tree, each a few
    conditions joined by "and", or a list of single conditions whose points add up: repeated cross validation
    among those rows chooses what has the best F1, and of nearly equal ones the shortest. A condition about
    texts asks whether a word is there, up to its ending; one about a table, whether a number is above a
    threshold or a category has a value. A missing number is below all others, and the rule says so; a missing
    category is a value of its own.

    Parameters
    ----------
    data : iterable of str or bytes, mapping, data frame or array of shape (n_samples, n_columns)
        Texts, or the columns of a table. Of a table, columns of running text are used only where there is no
        other column.
    labels : sequence
        The label of each row, or a list of labels, which may be empty. Rows without one (None, NaN, '') are
        left out.
    positive : scalar or None, default=None
        The label to find rules for. If not given, the rarest.
    n_rules : int, default=5
        The most rules in the list.
    held_out : float, default=0.25
        The share of rows, of either class, that judge. Texts that are equal stay together.
    ids : sequence of str or None, default=None
        A name for each row. If not given: ``data.ids`` where there is such a thing, else the place from 1.
    random_state : None, int, Generator or RandomState, default=None
        Chooses the rows that are held out, and the folds of the cross validation.

    Returns
    -------
    report : RuleReport
        The rules, their worth, and rows that show it. Its `predict` applies the rules to new rows.

    Examples
    --------
    >>> texts = ["The ship left port.", "A ship and its crew.", "Two ships sank.", "The ship sails."] * 3
    >>> texts += ["Wheat prices rose.", "Wheat grows.", "Gold and wheat prices.", "Gold prices fell."] * 5
    >>> report = find_rules(texts, ["sea"] * 12 + ["land"] * 20, random_state=0)
    >>> report.positive, [rule.text for rule in report.rules]
    ('sea', ["'ship'"])

    >>> table = {"age": [30, 31, 32, 33, 60, 61, 62, None] * 5, "town": ["a", "b"] * 20}
    >>> labels = ["no", "no", "no", "no", "yes", "yes", "yes", "no"] * 5
    >>> [rule.text for rule in find_rules(table, labels, random_state=0).rules]
    ['age > 40']
    """
    if not is_whole(n_rules) or n_rules < 1:
        raise ValueError(f"n_rules must be a whole number, at least 1; got {n_rules!r}.")
    if not 0 < held_out < 1:
        raise ValueError(f"held_out must be between 0 and 1; got {held_out}.")
    texts, columns = read_data(data, needed_by="find_rules")
    n = len(texts) if texts is not None else len(next(iter(columns.values())))
    labels = list(labels)
    if len(labels) != n:
        raise ValueError(f"there are {n:,} rows, but {len(labels):,} labels. Give one a row.")
    wanted = read_wanted(labels, positive)
    names = name_texts("data", data, ids, n)
    rng = as_generator(random_state)
    remarks = [f"{n - len(wanted.rows):,} rows without a label are left out."] if n > len(wanted.rows) else []
    remarks += [f"{wanted.remark[0].upper()}{wanted.remark[1:]}."] if wanted.remark else []
    column = None
    if texts is None:
        found = sort_columns(columns, wanted.rows)
        if found.usable:
            s = "" if len(found.usable) == 1 else "s"
            source = f"the column{s} {_listed([column.name for column in found.usable])}"
            remarks += _left_out(found.texts, found.left_out)
        elif found.texts:
            name = column = found.texts[0]
            cells = [columns[name][i] for i in wanted.rows]
            texts = ["" if cell is None else str(cell) for cell in cells]
            source = f"the words of the column '{shorten(name)}'"
            others = dict.fromkeys(found.texts[1:], "running text") | found.left_out
            remarks += _left_out([], others)
        else:
            reasons = "; ".join(f"{shorten(name)}: {why}" for name, why in found.left_out.items())
            raise ValueError(f"no column can be learned from ({reasons or 'there is none'}).")
    else:
        texts = [texts[i] for i in wanted.rows]
        source = "the words"
    learned, judged = _split(wanted.positive, texts, held_out, rng)
    material: Material
    material = Cells(found.usable, learned) if texts is None else Stems(texts, learned)
    return _report(material, wanted, learned, judged, n_rules, rng, source, column, remarks, names)


def _report(
    material: Material,
    wanted: Wanted,
    learned: NDArray[np.intp],
    judged: NDArray[np.intp],
    n_rules: int,
    rng: np.random.Generator,
    source: str,
    column: str | None,
    remarks: list[str],
    names: Sequence[str],
) -> RuleReport:
    seed = int(rng.integers(2**31))
    short = learn_short_list(material.X, wanted.positive[learned], material.stumps, n_rules, seed)
    scale = short.bar if short.bar > 0 else 1.0  # the bar is 1, where the points can be measured by it
    truth = wanted.positive[judged]
    found, answers = [], []
    for place, (rule, points) in enumerate(zip(short.rules, short.points / scale, strict=True), 1):
        conditions = [material.condition(*condition) for condition in rule]
        holds = np.logical_and.reduce([condition.holds for condition in conditions])
        asked = join_conditions([condition.asked for condition in conditions])
        right = int((holds[judged] & truth).sum())
        n_holds = int(holds[judged].sum())
        found.append(FoundRule(place, asked, float(points), n_holds, right, int(truth.sum()), len(truth)))
        answers.append((holds, conditions))
    rules = RuleList(wanted.name, column, short.bar / scale, found)
    holding = np.array([holds[judged] for holds, _ in answers], dtype=bool).reshape(len(found), len(judged))
    sums = np.array([rule.points for rule in found]) @ holding
    is_found = rules.decide(sums)
    counts = Counts.from_predictions(truth.astype(int), is_found.astype(int))
    if found:
        remarks = [*remarks, *_doubts(short.lift, counts if learned is not judged else None)]
    return RuleReport(
        positive=wanted.name,
        chosen=wanted.chosen,
        n_rows=len(wanted.rows),
        n_positives=int(wanted.positive.sum()),
        n_learned=len(learned),
        n_learned_positives=int(wanted.positive[learned].sum()),
        held_out=learned is not judged,
        rule_list=rules,
        counts=counts,
        cv_f1=short.f1,
        parameters=short.parameters,
        source=source,
        remarks=remarks,
        _answers=answers,
        _material=material,
        _ids=names,
        _judged=wanted.rows[judged],
        _inside=judged,
        _points=sums,
        _truth=truth,
        _found=is_found,
    )


def _doubts(lift: float | None, held_out: Counts | None) -> list[str]:
    """Return a sentence where the rules may be no better than chance."""
    if lift is None or lift <= _CHANCE:
        return [_WEAK]
    if held_out is None:
        return []
    n_wanted, n_found = held_out.tp + held_out.fn, held_out.tp + held_out.fp
    p = float(hypergeom.sf(held_out.tp - 1, held_out.n, n_wanted, n_found))
    return [_NO_BETTER.format(p=p)] if p >= _BY_CHANCE else []


def _split(
    positive: NDArray[np.bool_], texts: Sequence[str] | None, held_out: float, rng: np.random.Generator
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return rows to learn from, and rows that judge: the same where there are too few of a class."""
    everything = np.arange(len(positive))
    group = everything
    if texts is not None:
        # Empty texts are alike, too, but there is nothing in one to be learned by heart.
        first: dict[str | int, int] = {}
        group = np.array([first.setdefault(" ".join(text.split()) or i, i) for i, text in enumerate(texts)])
    judging: list[NDArray[np.intp]] = []
    for mine in (np.unique(group[positive]), np.setdiff1d(group, group[positive])):
        if len(mine) < _LEAST:
            return everything, everything
        n_out = min(max(1, round(held_out * len(mine))), len(mine) - 1)
        judging.append(rng.permutation(mine)[:n_out])
    out = np.isin(group, np.concatenate(judging))
    return np.flatnonzero(~out), np.flatnonzero(out)


def _left_out(texts: Sequence[str], others: Mapping[str, str]) -> list[str]:
    """Return which columns are not used, and why: a line for each reason."""
    lines = []
    if texts:
        lines.append(
            f"Left out: {_listed(texts)} (running text). To learn from its words, give that column alone "
            "(in the shell: --text)."
        )
    for reason in dict.fromkeys(others.values()):
        lines.append(f"Left out: {_listed([name for name in others if others[name] == reason])} ({reason}).")
    return lines


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - _LISTED:,} more" if len(names) > _LISTED else ""
    return f"{', '.join(map(shorten, names[:_LISTED]))}{more}"
