"""A table with a label: what its columns hold, how it becomes a Bunch, and what is counted in it."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from sklearn.utils import Bunch

from lopsided.datasets._bunch import make_bunch
from lopsided.datasets._cache import blaming, load
from lopsided.datasets._layout import Counts, DataSet
from lopsided.datasets._table import CsvTable


@dataclass(frozen=True, kw_only=True)
class TableForm:
    """The columns of a table: all, the label, its classes (as written -> name), those that hold words."""

    title: str
    columns: tuple[str, ...]
    label: str
    classes: Mapping[str, str] = field(default_factory=dict)  # empty: the label is a number
    words: tuple[str, ...] = ()

    @property
    def has_split(self) -> bool:
        """Whether the table says which rows train and which test."""
        return self.columns[0] == "split"

    def read(self, data_set: DataSet, subset: str = "all") -> Bunch:
        """Return a data set of this form as a Bunch."""
        loaded = load(data_set)
        with blaming(loaded):
            table: CsvTable = loaded.contents[0]
            features = [c for c in self.columns if c not in ("split", "id", self.label)]
            categories = {c: sorted(table.values(c)) for c in features if c in self.words}
            data = np.column_stack(
                [table.codes(c, categories[c]) if c in categories else table.numbers(c) for c in features]
            )
            target = (
                table.codes(self.label, list(self.classes)) if self.classes else table.numbers(self.label)
            )
            return make_bunch(
                data_set,
                loaded,
                subset=subset,
                data=data,
                target=target.astype(np.intp),
                target_names=list(self.classes.values()) or [self.label],
                split=table.text("split").astype(str) if self.has_split else None,
                rows={"ids": table.text("id").tolist()} if "id" in self.columns else {},
                feature_names=features,
                categories=categories,
            )

    def count(self, table: CsvTable) -> Counts:
        """Return facts about a table by name: rows, classes, missing and repeated ones."""
        labels = table.text(self.label)
        missing = table.has_missing()
        by_class = Counter(labels)
        facts = {
            "rows": len(table),
            "columns": len(table.names),
            "rows with missing values": int(missing.sum()),
            "repeated rows": table.n_repeated,
            **{f"{self.label} {value}": n for value, n in by_class.items()},
            "smallest class": min(by_class.values(), default=0),
            "largest class": max(by_class.values(), default=0),
            "classes": len(by_class),
        }
        if self.has_split:
            split = table.text("split")
            for side in ("train", "test"):
                facts[f"{side} rows"] = int((split == side).sum())
                facts[f"{side} rows with missing values"] = int((missing & (split == side)).sum())
                facts |= {f"{side}, {self.label} {v}": n for v, n in Counter(labels[split == side]).items()}
            facts["rows before the last train row"] = int(np.flatnonzero(split == "train").max(initial=-1))
        for column in self.words:
            facts |= {f"{column} {value}": n for value, n in Counter(table.text(column)).items()}
        if not self.classes:
            values = table.numbers(self.label)
            facts[f"lowest {self.label}"] = int(min(values, default=0))
            facts[f"highest {self.label}"] = int(max(values, default=0))
        return facts
