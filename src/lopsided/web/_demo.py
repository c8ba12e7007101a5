"""A ready project on real text: 20 Newsgroups, and a rare topic to find."""

import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from lopsided.datasets import DataUnavailable, fetch_newsgroups, make_topics
from lopsided.store import open_store
from lopsided.text import Record

RARE = "sci.space"
_N_RARE = 60  # of the topic; as in the tour, it is made rare
_N_OTHERS = 2940
_CRITERIA = (
    "Relevant: messages about space flight: rockets, satellites, orbits, the shuttle, space agencies, the "
    "planets and how to get there.\n\n"
    "Not relevant: astronomy jokes, science fiction, and everything else that people wrote about in 1993."
)


@contextmanager
def make_demo() -> Iterator[tuple[Any, str]]:
    """Yield a store with the documents of the demonstration, and a line that says where they came from."""
    with tempfile.TemporaryDirectory(prefix="lopsided-demo-") as folder:
        records, question, notice = _records()
        with open_store(Path(folder) / "demo.db") as store:
            with store.importing("20 Newsgroups", "demo") as batch:
                batch.add(records)
            store.update_project(
                name="Demo: space flight",
                question=question,
                criteria=_CRITERIA if question else "",
                highlights=["NASA", "orbit"] if question else [],
            )
            for reason in ("wrong topic", "not in English", "too short to tell"):
                store.add_tag(reason, "exclusion reason")
            store.add_tag("read again")
            yield store, notice


def _records() -> tuple[list[Record], str, str]:
    """Return the documents, the question, and where they are from."""
    try:
        bunch = fetch_newsgroups(remove=())
    except DataUnavailable:
        texts, topic = make_topics(n_samples=3000, random_state=0)
        made = [
            Record(f"made-{i}", "", text, {"topic": str(t)})
            for i, (text, t) in enumerate(zip(texts, topic, strict=True))
        ]
        return made, "", "The texts are made up: 20 Newsgroups is not here (lopsided data fetch newsgroups)."
    rng = np.random.default_rng(0)
    target = np.asarray(bunch.target)
    rare = bunch.target_names.index(RARE)
    chosen = np.concatenate(
        [
            rng.choice(np.flatnonzero(target == rare), _N_RARE, replace=False),
            rng.choice(np.flatnonzero(target != rare), _N_OTHERS, replace=False),
        ]
    )
    rng.shuffle(chosen)
    records = [_record(i, str(bunch.data[i])) for i in chosen.tolist()]
    notice = f"{len(records):,} messages of 20 Newsgroups, {_N_RARE} of them from {RARE}"
    return records, "space flight", notice


def _record(number: int, message: str) -> Record:
    """Return a message: its subject is the title, and of the other headers only its author stays."""
    head, _, body = message.partition("\n\n")
    headers = dict(re.findall(r"^(Subject|From|Organization): *(.+)$", head, flags=re.MULTILINE))
    if not headers:  # the cleaned copy has none
        body = message
    title = re.sub(r"^((re|fwd?): *)+", "", headers.pop("Subject", ""), flags=re.IGNORECASE)
    fields = {name.lower(): value for name, value in headers.items()}
    return Record(f"message {number}", title, body.strip("\n"), fields)
