"""KDD Cup 1999: network connections, normal or attacks."""

import gzip
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import Bunch

from lopsided.datasets._bunch import check_choice, make_bunch
from lopsided.datasets._cache import blaming, load
from lopsided.datasets._download import download, from_scikit_learn
from lopsided.datasets._layout import Copy, Counts, DataSet
from lopsided.datasets._table import CsvTable, words

TEST_URL = "http://kdd.ics.uci.edu/databases/kddcup99/corrected.gz"
_COLUMNS = words(
    "duration protocol_type service flag src_bytes dst_bytes land wrong_fragment urgent hot "
    "num_failed_logins logged_in num_compromised root_shell su_attempted num_root num_file_creations "
    "num_shells num_access_files num_outbound_cmds is_host_login is_guest_login count srv_count "
    "serror_rate srv_serror_rate rerror_rate srv_rerror_rate same_srv_rate diff_srv_rate "
    "srv_diff_host_rate dst_host_count dst_host_srv_count dst_host_same_srv_rate dst_host_diff_srv_rate "
    "dst_host_same_src_port_rate dst_host_srv_diff_host_rate dst_host_serror_rate "
    "dst_host_srv_serror_rate dst_host_rerror_rate dst_host_srv_rerror_rate label"
)
_WORDS = ("protocol_type", "service", "flag")


def fetch_kdd99(*, subset: str = "all") -> Bunch:
    """Load KDD Cup 1999: the 10 % training file and the corrected test file.

    Seventeen attack types (18,729 rows) of the test file never occur in training: real unexpected classes.

    Parameters
    ----------
    subset : {"all", "train", "test"}, default="all"
        The training file (494,021 rows), the test file (311,029), or one after the other.

    Returns
    -------
    Bunch
        ``data`` (float array of 41 columns; words are coded as positions in ``categories[feature]``),
        ``target`` (index into ``target_names``), ``target_names`` ("normal" and all attack types of both
        files, whichever subset), ``split``, ``feature_names``, ``categories``, ``provenance``, ``DESCR``.

    Examples
    --------
    >>> from lopsided.datasets import fetch_kdd99
    >>> fetch_kdd99(subset="test").data.shape  # doctest: +SKIP
    (311029, 41)
    """
    check_choice("subset", subset, ("all", "train", "test"))
    loaded = load(KDD99)
    with blaming(loaded):
        train, test = loaded.contents
        # Codes are the same whichever subset is asked for.
        categories = {c: sorted(train.values(c) | test.values(c)) for c in _WORDS}
        labels = sorted(train.values("label") | test.values("label"))
        sides = {"all": (train, test), "train": (train,), "test": (test,)}[subset]
        data = np.empty((sum(map(len, sides)), len(_COLUMNS) - 1))
        for j, column in enumerate(_COLUMNS[:-1]):
            data[:, j] = np.concatenate(
                [
                    t.codes(column, categories[column]) if column in _WORDS else t.numbers(column)
                    for t in sides
                ]
            )
        split = np.concatenate([np.full(len(t), "train" if t is train else "test") for t in sides])
        return make_bunch(
            KDD99,
            loaded,
            data=data,
            target=np.concatenate([t.codes("label", labels) for t in sides]).astype(np.intp),
            target_names=labels,
            split=split,
            feature_names=list(_COLUMNS[:-1]),
            categories=categories,
        )


def parse_lines(text: str) -> CsvTable:
    """Read the original format: no header, a dot after the label.

    Examples
    --------
    >>> row = ",".join(["0", "tcp", "http", "SF", *["1"] * 37, "normal."])
    >>> parse_lines(row + "\\n").text("label").tolist()
    ['normal']
    """
    return CsvTable(_COLUMNS, [line.removesuffix(".") for line in text.splitlines() if line])


def convert_scikit_learn(X: NDArray[Any], y: NDArray[Any]) -> CsvTable:
    """Take scikit-learn's table: words and labels as bytes, a dot after the label."""
    rows = (",".join(map(_cell, row)) for row in X)
    return CsvTable(_COLUMNS, [f"{row},{_cell(label)}" for row, label in zip(rows, y, strict=True)])


def _cell(value: Any) -> str:
    if isinstance(value, bytes):
        return value.decode("ascii").removesuffix(".")
    return format(value, ".15g")


def _build(folder: Path) -> tuple[CsvTable, CsvTable]:
    from sklearn.datasets import fetch_kddcup99

    bunch = from_scikit_learn(fetch_kddcup99, folder, percent10=True)
    train = convert_scikit_learn(bunch.data, bunch.target)
    raw = gzip.decompress(download(TEST_URL, folder).read_bytes())
    return train, parse_lines(raw.decode("ascii"))


def _count(train: CsvTable, test: CsvTable) -> Counts:
    in_train, in_test = (Counter(t.text("label")) for t in (train, test))
    unseen = in_test.keys() - in_train.keys()
    facts = {
        "columns": len(train.names),
        "unseen attack types": len(unseen),
        "test rows of unseen attack types": sum(in_test[label] for label in unseen),
        "distinct train rows": len(train) - train.n_repeated,
        "repeated train rows, percent": 100 * train.n_repeated // max(len(train), 1),
    }
    for side, table, counts in (("train", train, in_train), ("test", test, in_test)):
        facts[f"{side} rows"] = len(table)
        facts[f"{side} attack types"] = len(counts.keys() - {"normal"})
        facts |= {f"{side}, {label}": n for label, n in counts.items()}
    return facts


KDD99 = DataSet(
    name="kdd99",
    title="KDD Cup 1999: network connections, normal or one of 39 attacks.",
    source=f"scikit-learn fetch_kddcup99 and {TEST_URL}",
    terms="UCI repository, CC BY 4.0.",
    copies=(
        Copy(
            files=("kdd99/kdd99_10pct.csv.xz", "kdd99/kdd99_corrected_test.csv.xz"),
            fields=_COLUMNS,
            count=_count,
            build=_build,
            published={
                "columns": 42,
                "train rows": 494021,
                "train attack types": 22,
                "train, normal": 97278,
                "train, smurf": 280790,
                "train, neptune": 107201,
                "train, buffer_overflow": 30,
                "train, spy": 2,
                "test rows": 311029,
                "test attack types": 37,
                "test, normal": 60593,
                "unseen attack types": 17,
                "test rows of unseen attack types": 18729,
            },
            peculiar={"distinct train rows": 145586, "repeated train rows, percent": 70},
        ),
    ),
)
