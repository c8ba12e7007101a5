"""Rules as an expression of SQL, and as a function of Python."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from lopsided.boosting._asked import AskedCondition
from lopsided.boosting._cells import NO_NUMBER

if TYPE_CHECKING:
    from lopsided.boosting._rule_list import FoundRule

_NUMBER = '''def _number(cell):
    """Return a number, NaN where it is missing; NaN is above nothing."""
    if cell is None or (isinstance(cell, str) and cell.strip().lower() in _MISSING):
        return float("nan")
    return float(cell)
'''
_DATE = '''def _date(cell):
    """Return seconds since 1970, NaN where the date is missing; a time without a zone is in UTC."""
    if cell is None or cell != cell or cell == "":
        return float("nan")
    moment = datetime.fromisoformat(str(cell).strip())
    return (moment if moment.tzinfo else moment.replace(tzinfo=timezone.utc)).timestamp()
'''
_NAME = '''def _name(cell):
    """Return a category as it is written, '' where it is missing."""
    if cell is None or cell != cell:
        return ""
    if isinstance(cell, float) and cell.is_integer():
        cell = int(cell)
    return str(cell).strip()
'''


def as_sql(rules: Sequence["FoundRule"], least: float, any_suffices: bool) -> str:
    """Return an expression that is true where the rules predict a positive, and never NULL."""
    if not rules:
        return "1 = 0"
    whole = [" AND ".join(_in_sql(condition) for condition in rule.conditions) for rule in rules]
    if any_suffices and len(rules) == 1:
        return whole[0]
    if any_suffices:
        return "\n OR ".join(f"({rule})" for rule in whole)
    terms = [
        f"CASE WHEN {text} THEN {rule.points!r} ELSE 0 END" for text, rule in zip(whole, rules, strict=True)
    ]
    return "({}) > {!r}".format("\n + ".join(terms), least)


def as_python(rules: Sequence["FoundRule"], least: float, any_suffices: bool, positive: str) -> str:
    """Return the code of ``is_positive(row)`` with the helpers that it needs."""
    conditions = [condition for rule in rules for condition in rule.conditions]
    readers = {_reader(condition) for condition in conditions}
    parts = []
    if "_date" in readers:
        parts.append("from datetime import datetime, timezone\n\n")
    if "_number" in readers:
        parts.append(f"_MISSING = {sorted(NO_NUMBER)!r}\n\n\n")
    parts += [f"{code}\n\n" for name, code in _HELPERS.items() if name in readers]
    parts.append('def is_positive(row):\n    """Return whether a row is predicted positive."""\n')
    parts.append(f"    # The positive label is {positive!a}.\n")
    whole = [" and ".join(_in_python(condition) for condition in rule.conditions) for rule in rules]
    if not rules:
        parts.append("    return False\n")
    elif any_suffices:
        parts += [f"    if {rule}:\n        return True\n" for rule in whole]
        parts.append("    return False\n")
    else:
        parts.append("    points = 0.0\n")
        for text, rule in zip(whole, rules, strict=True):
            parts.append(f"    if {text}:\n        points += {rule.points!r}\n")
        parts.append(f"    return points > {least!r}\n")
    return "".join(parts)


def _in_sql(condition: AskedCondition) -> str:
    """Return a condition of two values only: a comparison with NULL would be neither true nor false."""
    name = _quote(condition.feature, '"')
    if condition.kind == "missing":
        if condition.value == "category":
            return f"({name} IS {'' if condition.says_yes else 'NOT '}NULL" + (
                f" OR TRIM({name}) = '')" if condition.says_yes else f" AND TRIM({name}) <> '')"
            )
        return f"{name} IS {'' if condition.says_yes else 'NOT '}NULL"
    if condition.kind == "category":
        value = _quote(str(condition.value), "'")
        if condition.says_yes:
            return f"({name} IS NOT NULL AND TRIM({name}) = {value})"
        return f"({name} IS NULL OR TRIM({name}) <> {value})"
    limit = repr(condition.value) if condition.kind == "number" else _quote(str(condition.value), "'")
    if condition.says_yes:
        return f"({name} IS NOT NULL AND {name} > {limit})"
    return f"({name} IS NULL OR {name} <= {limit})"


def _quote(text: str, mark: str) -> str:
    """Return a name or a string of SQL, whatever stands in it."""
    if "\0" in text:
        raise ValueError(f"SQL has no way to write {text!r}. Rename it without the null character.")
    return f"{mark}{text.replace(mark, 2 * mark)}{mark}"


def _reader(condition: AskedCondition) -> str:
    kind = condition.value if condition.kind == "missing" else condition.kind
    return {"number": "_number", "date": "_date"}.get(str(kind), "_name")


def _in_python(condition: AskedCondition) -> str:
    cell = f"{_reader(condition)}(row[{condition.feature!a}])"
    equal, unequal = ("==", "!=") if condition.says_yes else ("!=", "==")
    if condition.kind == "category":
        return f"{cell} {equal} {condition.value!a}"
    if condition.kind == "missing":
        return f'{cell} {equal} ""' if condition.value == "category" else f"{cell} {unequal} {cell}"
    limit = condition.value if condition.kind == "number" else condition.seconds
    return f"{cell} > {limit!r}" if condition.says_yes else f"not {cell} > {limit!r}"


_HELPERS: dict[str, str] = {"_number": _NUMBER, "_date": _DATE, "_name": _NAME}
