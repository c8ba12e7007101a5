"""Texts written down in every form that a command reads."""

import csv
import gzip
import json
from mailbox import Maildir, mbox

import pytest


def write_folder(path, texts, name="{:04}.txt"):
    path.mkdir()
    for i, text in enumerate(texts):
        (path / name.format(i)).write_text(text, encoding="utf-8")
    return path


def write_csv(path, texts, text="text", key="id"):
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow([key, text])
        writer.writerows((f"k{i}", content) for i, content in enumerate(texts))
    return path


def write_mbox(path, texts):
    box = mbox(path)
    for text in texts:
        box.add(f"From: a@b.example\n\n{text}\n")
    box.close()
    return path


def write_maildir(path, texts):
    box = Maildir(path)
    for text in texts:
        box.add(f"From: a@b.example\n\n{text}\n")
    return path


def write_jsonl(path, texts):
    path.write_text("".join(json.dumps({"text": text, "id": f"k{i}"}) + "\n" for i, text in enumerate(texts)))
    return path


def write_parquet(path, texts):
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    pandas.DataFrame({"text": texts, "id": [f"k{i}" for i in range(len(texts))]}).to_parquet(path)
    return path


def write_ris(path, texts):
    path.write_text("".join(f"TY  - JOUR\nTI  - {text}\nER  - \n\n" for text in texts))
    return path


def write_gz(path, texts):
    path.write_bytes(gzip.compress(write_csv(path.with_suffix(""), texts).read_bytes()))
    return path


FORMS = [
    ("x.mbox", write_mbox),
    ("maildir", write_maildir),
    ("x.csv", write_csv),
    ("x.csv.gz", write_gz),
    ("x.jsonl", write_jsonl),
    ("x.parquet", write_parquet),
    ("x.ris", write_ris),
]
