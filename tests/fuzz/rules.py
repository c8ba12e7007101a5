"""Rule files and files of answers."""

import json

from fuzz.target import Target, may_refuse, scratch
from lopsided import find_rules, load_rules
from lopsided.screening._answer_file import AnswerFile

_TABLE = {
    "age": [30, 31, 32, 33, 60, 61, 62, None] * 5,
    "town": ["a", "b"] * 20,
    "text": ["a ship", "no"] * 20,
}


def _check_rules(data: bytes) -> None:
    with scratch() as folder:
        path = folder / "rules.json"
        path.write_bytes(data)
        with may_refuse():
            rules = load_rules(path)
            str(rules)
            assert len(rules.predict(_TABLE)) == 40


def _check_answers(data: bytes) -> None:
    with scratch() as folder:
        path = folder / "answers.jsonl"
        path.write_bytes(data)
        with may_refuse():
            file = AnswerFile(path)
            try:
                before = len(file.records)
                file.append({"answer": "yes"}, header={"question": "?"})
            finally:
                file.close()
            file = AnswerFile(path)
            file.close()
            assert len(file.records) == before + 1
            assert file.records[-1] == {"answer": "yes"}


def _rules() -> list[bytes]:
    labels = ["no", "no", "no", "no", "yes", "yes", "yes", "no"] * 5
    table = {name: _TABLE[name] for name in ("age", "town")}
    with scratch() as folder:
        find_rules(table, labels, random_state=0).save(folder / "rules.json")
        whole = json.loads((folder / "rules.json").read_bytes())
    word = {"kind": "word", "value": None, "feature": "ship", "says_yes": True, "words": ["ships"]}
    words = {**whole, "column": "text", "rules": [{**whole["rules"][0], "conditions": [word]}]}
    return [json.dumps(whole).encode(), json.dumps(words).encode()]


TARGETS = {
    "rules": Target(
        _check_rules,
        _rules,
        (
            b'"kind": "date"',
            b'"missing"',
            b"1e400",
            b"NaN",
            b"-1",
            b"9" * 5000,
            b"null",
            b"[" * 500,
            b"\\ud800",
        ),
    ),
    "answers": Target(
        _check_answers,
        lambda: [
            b'{"lopsided": "answers", "version": 1, "question": "?"}\n{"id": "a", "answer": "yes"}\n',
            b"",
        ],
        (b'{"lopsided": "answers"', b'"version": 2', b'"version": "\\u001b"', b"\n", b"null", b"[]"),
    ),
}
