"""The published counts of the UCI tables, and what is peculiar in them."""

from lopsided.datasets._layout import Counts

_SHUTTLE = {
    "Rad.Flow": 45586,
    "High": 8903,
    "Bypass": 3267,
    "Fpv.Open": 171,
    "Fpv.Close": 50,
    "Bpv.Open": 13,
    "Bpv.Close": 10,
}
_SATIMAGE_TRAIN = {1: 1072, 2: 479, 3: 961, 4: 415, 5: 470, 7: 1038}
_SATIMAGE_TEST = {1: 461, 2: 224, 3: 397, 4: 211, 5: 237, 7: 470}

FACTS: dict[str, Counts] = {
    "letter": {
        "rows": 20000,
        "columns": 17,
        "classes": 26,
        "smallest class": 734,
        "largest class": 813,
        "letter H": 734,
        "letter Z": 734,
        "letter U": 813,
    },
    "satimage": {
        "rows": 6435,
        "columns": 38,
        "classes": 6,
        "train rows": 4435,
        "test rows": 2000,
        **{f"train, class {label}": n for label, n in _SATIMAGE_TRAIN.items()},
        **{f"test, class {label}": n for label, n in _SATIMAGE_TEST.items()},
    },
    "shuttle": {
        "rows": 58000,
        "columns": 11,
        "train rows": 43500,
        "test rows": 14500,
        "rows before the last train row": 43499,
        **{f"class {label}": n for label, n in _SHUTTLE.items()},
    },
    "abalone": {
        "rows": 4177,
        "columns": 9,
        "sex M": 1528,
        "sex I": 1342,
        "sex F": 1307,
        "lowest rings": 1,
        "highest rings": 29,
        "rings 9": 689,
        "rings 19": 32,
        "rings 1": 1,
    },
    "adult": {
        "rows": 48842,
        "columns": 16,
        "train rows": 32561,
        "test rows": 16281,
        "train, income >50K": 7841,
        "test, income >50K": 3846,
        "train rows with missing values": 2399,
        "test rows with missing values": 1221,
    },
    "breast_cancer_wisconsin_original": {
        "rows": 699,
        "columns": 11,
        "class 2": 458,
        "class 4": 241,
        "rows with missing values": 16,
    },
    "spambase": {"rows": 4601, "columns": 58, "spam 1": 1813, "spam 0": 2788},
}
PECULIAR: dict[str, Counts] = {
    "letter": {"repeated rows": 1332},
    "adult": {"repeated rows": 29},
    "breast_cancer_wisconsin_original": {"repeated rows": 8},
    "spambase": {"repeated rows": 391},
}
