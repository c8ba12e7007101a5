"""
=====================================
Finding faculty pages from 50 of them
=====================================

Somebody has fifty home pages of professors, and 8,232 pages of computer science departments among which are
the rest: 1,074 of them, though nobody knows that. There are no negatives: nobody has sat down to collect
pages that are not wanted.

    python examples/plot_find_faculty_pages.py [picture.png]

prints what was found and saves the picture, or shows it where no file is named. The pages are those of WebKB;
where they cannot be had, made-up text stands in, and the first line says so.
"""

# %%
# The pages
# ---------
# Their text without the HTTP header and without tags. Fifty faculty pages are drawn at random; which of the
# others are faculty pages is used to judge, and for nothing else.

import re
import sys

import matplotlib.pyplot as plt
import numpy as np
from sklearn.metrics import average_precision_score

from lopsided import RocSVM, StemmedVectorizer, fetch_webkb, find_more, make_topics
from lopsided.datasets import DataUnavailable
from lopsided.metrics import Counts

N_KNOWN = 50


def text_of(page):
    """What a reader would see, more or less."""
    return re.sub(r"<[^>]*>", " ", page.partition("\n\n")[2])


try:
    pages = fetch_webkb()
except DataUnavailable as error:
    print(f"NOTICE: this text is made up. {error}")
    texts, number = make_topics(n_samples=2_000, n_words=40, random_state=0)
    kinds, wanted = np.array([f"topic {k}" for k in number]), "topic 0"
else:
    texts, wanted = [text_of(page) for page in pages.data], "faculty"
    kinds = np.array(pages.target_names)[pages.target]

is_wanted = kinds == wanted
known = np.sort(np.random.default_rng(0).choice(np.flatnonzero(is_wanted), N_KNOWN, replace=False))
heap = np.setdiff1d(np.arange(len(texts)), known)
truth = is_wanted[heap]

# %%
# More like these
# ---------------
# One call: every page gets a score, and the estimate says how many faculty pages there are to be found.

report = find_more([texts[i] for i in known], [texts[i] for i in heap])
ranked = np.array([record.row for record in report.records])
hits = truth[ranked]
print(f"{len(known)} known {wanted} pages, {truth.sum():,} among {len(heap):,} others")
print(f"estimated: {report.share}")
for record in report.first(3):
    print(f"  {record.rank}. a {kinds[heap[record.row]]} page: {', '.join(record.words)}")

# %%
# Where to stop
# -------------
# The ranking is one thing, the line under it another. An SVM's own line is no use here: with fifty positives
# against thousands next to nothing is above it. `find_more` takes as many pages as it estimates that there
# are faculty pages. Where the classes overlap (``report.share.overlaps``), only the upper end of the interval
# says something: there, pages of students and staff look like faculty pages.

X = StemmedVectorizer(min_df=3).fit_transform(texts)
svm = RocSVM().fit(X, np.isin(np.arange(len(texts)), known).astype(int))


def first(n):
    """The n best of the ranking."""
    return np.isin(np.arange(len(heap)), ranked[:n])


lines = {
    "above an SVM's own line": svm.predict(X[heap]) == 1,
    "as many as estimated": first(report.n_found),
    "the high end": first(report.share.n_hidden_high),
}
print(f"\n{'pages taken':26}{'pages':>8}{'precision':>11}{'recall':>8}{'F1':>7}")
for name, chosen in lines.items():
    counts = Counts.from_predictions(truth.astype(int), chosen.astype(int))
    print(f"{name:26}{chosen.sum():8,}{counts.precision():11.3f}{counts.recall():8.3f}{counts.f():7.3f}")
print(f"\naverage precision of the ranking: {average_precision_score(hits, -np.arange(len(hits))):.3f}")

# %%
# The picture
# -----------
# Left: what each page read brings, from the best of the ranking to the last. Right: what the pages taken
# really are. Home pages of students and staff look much like those of professors.

blue, orange = "#0072B2", "#D55E00"
figure, (left, right) = plt.subplots(1, 2, figsize=(13, 5.5), layout="constrained")
n_read = np.arange(1, len(hits) + 1)
left.plot(n_read, np.cumsum(hits), color=blue, linewidth=2, label="in the order of find_more")
left.plot([0, truth.sum(), len(hits)], [0, truth.sum(), truth.sum()], color="0.6", label="in the best order")
left.plot([0, len(hits)], [0, truth.sum()], "--", color="0.6", label="in any order")
low, high = report.share.n_hidden_low, report.share.n_hidden_high
left.axvspan(low, high, color=orange, alpha=0.12, linewidth=0, label=f"estimated: {low:,} to {high:,}")
left.axvline(report.n_found, color=orange, linewidth=1.5, label=f"as many as estimated: {report.n_found:,}")
left.axvline(truth.sum(), color="black", linewidth=1, linestyle=":", label=f"in truth: {truth.sum():,}")
left.set(xlabel="pages read", xlim=(0, len(hits)), ylim=(0, None), ylabel=f"{wanted} pages among them")
left.set_title(f"{wanted.capitalize()} pages from {len(known)} of them", loc="left")
left.legend(loc="lower right")

taken = lines["as many as estimated"]
names = sorted(set(kinds), key=lambda name: np.sum(taken & (kinds[heap] == name)))[-7:]
for i, name in enumerate(names):
    mine = kinds[heap] == name
    right.barh(i, mine.sum(), color="0.85")
    right.barh(i, (taken & mine).sum(), color=blue if name == wanted else orange)
    right.text(mine.sum(), i, f"  {(taken & mine).sum():,} of {mine.sum():,}", va="center")
right.set_yticks(range(len(names)), names)
right.margins(x=0.2)
right.set(xlabel="pages")
right.set_title("What the pages taken are", loc="left")

if len(sys.argv) > 1:
    figure.savefig(sys.argv[1])
    print(f"\nThe picture is in {sys.argv[1]}.")
else:
    plt.show()
