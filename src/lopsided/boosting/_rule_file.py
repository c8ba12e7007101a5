"""Rules as a JSON file: written whole or not at all, and checked when it is read."""

import json
from collections.abc import Callable
from os import PathLike
from pathlib import Path
from typing import Any, NoReturn

from lopsided._files import write_atomically
from lopsided.boosting._asked import KINDS, AskedCondition
from lopsided.boosting._dates import as_dates
from lopsided.boosting._rule_list import FoundRule, RuleList
from lopsided.boosting._wanted import shorten

_FORMAT, _VERSION = "lopsided rules", 1
_MOST_BYTES = 64 * 2**20
_MOST = 1e300  # of a number: sums of a few are finite


def write_rules(rules: RuleList, path: str | PathLike[str]) -> None:
    """Write the rules to a file that is either whole or not there."""
    n_judged, n_positives = (rules.rules[0].n_judged, rules.rules[0].n_positives) if rules.rules else (0, 0)
    whole = {
        "format": _FORMAT,
        "version": _VERSION,
        "positive": rules.positive,
        "column": rules.column,
        "bar": rules.bar,
        "judged": {"n": n_judged, "n_positives": n_positives},
        "rules": [rule.plain() for rule in rules.rules],
    }
    with write_atomically(path) as target:
        target.write((json.dumps(whole, indent=2) + "\n").encode())


def load_rules(path: str | PathLike[str]) -> RuleList:
    """Read rules that `RuleReport.save` or ``lopsided rules --out RULES.json`` wrote.

    Parameters
    ----------
    path : str or path-like
        A JSON file. Nothing in it is executed, and what is not as it should be is refused.

    Returns
    -------
    rules : RuleList
        Its `predict` applies the rules to new rows.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from lopsided import find_rules, load_rules
    >>> table = {"age": [30, 31, 32, 33, 60, 61, 62, None] * 5}
    >>> labels = ["no", "no", "no", "no", "yes", "yes", "yes", "no"] * 5
    >>> report = find_rules(table, labels, random_state=0)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     report.save(pathlib.Path(folder) / "rules.json")
    ...     rules = load_rules(pathlib.Path(folder) / "rules.json")
    >>> rules.predict({"age": [70, 20]}).tolist()
    [True, False]
    """
    path = Path(path)
    try:
        if path.stat().st_size > _MOST_BYTES:
            raise ValueError("it is too large")
        return _read(json.loads(path.read_bytes().decode("utf-8"), parse_constant=_refuse_constant))
    except RecursionError:
        problem = "it is nested too deeply"
    except UnicodeDecodeError:
        problem = "it is no UTF-8 text"
    except json.JSONDecodeError as error:
        problem = f"it is no JSON (line {error.lineno})"
    except ValueError as error:
        problem = str(error)
    raise ValueError(
        f"'{path}' cannot be read as rules: {problem}. Name a file that lopsided rules --out RULES.json "
        "wrote."
    )


def _read(whole: Any) -> RuleList:
    if not isinstance(whole, dict) or whole.get("format") != _FORMAT:
        raise ValueError(f'it does not say "format": "{_FORMAT}"')
    if whole.get("version") != _VERSION:
        raise ValueError(f"its version is {_said(whole.get('version'))}, and this lopsided reads {_VERSION}")
    judged = _entry(whole, "judged", _is_dict)
    n_judged, n_positives = _entry(judged, "n", _is_count), _entry(judged, "n_positives", _is_count)
    rules = [
        _read_rule(place, rule, n_positives, n_judged)
        for place, rule in enumerate(_entry(whole, "rules", _is_list), 1)
    ]
    words = {condition.kind == "word" for rule in rules for condition in rule.conditions}
    column = _entry(whole, "column", lambda value: value is None or isinstance(value, str))
    if len(words) > 1 or (column is not None and words == {False}):
        raise ValueError("its rules are about words and about columns")
    return RuleList(_entry(whole, "positive", _is_text), column, _entry(whole, "bar", _is_number), rules)


def _read_rule(place: int, rule: Any, n_positives: int, n_judged: int) -> FoundRule:
    if not isinstance(rule, dict):
        raise ValueError(f"rule {place} is {_said(rule)}")
    conditions = tuple(_read_condition(condition) for condition in _entry(rule, "conditions", _is_list))
    points, n_holds, n_right = (
        _entry(rule, name, check)
        for name, check in (("points", _is_number), ("holds", _is_count), ("right", _is_count))
    )
    if not conditions:
        raise ValueError(f"rule {place} has no condition")
    if not points > 0 or n_right > min(n_holds, n_positives) or n_holds > n_judged:
        raise ValueError(f"the figures of rule {place} do not fit together")
    return FoundRule(place, conditions, float(points), n_holds, n_right, n_positives, n_judged)


def _read_condition(found: Any) -> AskedCondition:
    if not isinstance(found, dict):
        raise ValueError(f"a condition is {_said(found)}")
    kind = _entry(found, "kind", lambda value: isinstance(value, str) and value in KINDS)
    checks: dict[str, Callable[[Any], bool]] = {
        "number": _is_number,
        "date": _is_text,
        "category": _is_text,
        "missing": lambda value: value in ("number", "date", "category"),
        "word": lambda value: value is None,
    }
    value = _entry(found, "value", checks[kind])
    if kind == "date" and as_dates([value]) is None:
        raise ValueError(f"{value!r} is no date.")
    words: tuple[str, ...] = ()
    if kind == "word":
        words = tuple(_entry(found, "words", _is_list))
        if not words or not all(_is_text(word) for word in words):
            raise ValueError("a word has no spelling")
    return AskedCondition(
        kind,
        _entry(found, "feature", _is_text),
        float(value) if kind == "number" else value,
        _entry(found, "says_yes", _is_flag),
        words,
        _is_flag(found.get("or_missing")) and found["or_missing"],
    )


def _entry(found: dict[str, Any], name: str, check: Callable[[Any], bool]) -> Any:
    if name not in found:
        raise ValueError(f'"{name}" is missing')
    if not check(found[name]):
        raise ValueError(f'"{name}" is {_said(found[name])}')
    return found[name]


def _said(value: Any) -> str:
    return shorten(json.dumps(value))


def _is_dict(value: Any) -> bool:
    return isinstance(value, dict)


def _is_list(value: Any) -> bool:
    return isinstance(value, list)


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_flag(value: Any) -> bool:
    return isinstance(value, bool)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < _MOST


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**63


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number")
