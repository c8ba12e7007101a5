"""
=====================================
Finding faculty pages from 50 of them
=====================================

Starting from fifty home pages of professors, this example finds the others among 8,232 pages of computer
science departments. There are 1,074 of them, but the method does not know that. It has no negatives either,
because nobody has collected unwanted pages.

    python examples/plot_find_faculty_pages.py [picture.png]

The script prints the results. It saves the picture, or shows it if no file is named. The pages are those of
WebKB. If they are not available, the script uses generated text, and its first line says so.
"""

# %%
# The pages
# ---------
# We use the text of the pages, without the HTTP header and without tags. Fifty faculty pages are drawn at
# random. The labels of the other pages are used only for evaluation.

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
    """Return the visible text of a page, approximately."""
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
unlabeled = np.setdiff1d(np.arange(len(texts)), known)
truth = is_wanted[unlabeled]

# %%
# More like these
# ---------------
# A single call scores every page and estimates how many faculty pages there are to find.

report = find_more([texts[i] for i in known], [texts[i] for i in unlabeled])
ranked = np.array([record.row for record in report.records])
hits = truth[ranked]
print(f"{len(known)} known {wanted} pages, {truth.sum():,} among {len(unlabeled):,} others")
print(f"estimated: {report.share}")
for record in report.first(3):
    print(f"  {record.rank}. a {kinds[unlabeled[record.row]]} page: {', '.join(record.words)}")

# %%
# Where to stop
# -------------
# A ranking also needs a threshold. The threshold of an SVM does not work here: with fifty positives against
# thousands of unlabeled pages, hardly any page scores above it. `find_more` returns as many pages as it
# estimates that there are faculty pages. Where the classes overlap (``report.share.overlaps``), only the
# upper end of the interval is informative. Here they overlap, because pages of students and staff look like
# faculty pages.

X = StemmedVectorizer(min_df=3).fit_transform(texts)
svm = RocSVM().fit(X, np.isin(np.arange(len(texts)), known).astype(int))


def first(n):
    """Select the first n pages of the ranking."""
    return np.isin(np.arange(len(unlabeled)), ranked[:n])


selections = {
    "above the SVM threshold": svm.predict(X[unlabeled]) == 1,
    "as many as estimated": first(report.n_found),
    "the upper end": first(report.share.n_hidden_high),
}
print(f"\n{'pages returned':26}{'pages':>8}{'precision':>11}{'recall':>8}{'F1':>7}")
for name, chosen in selections.items():
    counts = Counts.from_predictions(truth.astype(int), chosen.astype(int))
    print(f"{name:26}{chosen.sum():8,}{counts.precision():11.3f}{counts.recall():8.3f}{counts.f():7.3f}")
print(f"\naverage precision of the ranking: {average_precision_score(hits, -np.arange(len(hits))):.3f}")

# %%
# The picture
# -----------
# Left: the number of faculty pages found as a function of the pages read, in the order of the ranking. Right:
# the true categories of the returned pages. Home pages of students and staff look much like those of
# professors.

blue, orange = "#0072B2", "#D55E00"
figure, (left, right) = plt.subplots(1, 2, figsize=(13, 5.5), layout="constrained")
n_read = np.arange(1, len(hits) + 1)
left.plot(n_read, np.cumsum(hits), color=blue, linewidth=2, label="order of find_more")
left.plot(
    [0, truth.sum(), len(hits)], [0, truth.sum(), truth.sum()], color="0.6", label="best possible order"
)
left.plot([0, len(hits)], [0, truth.sum()], "--", color="0.6", label="random order")
low, high = report.share.n_hidden_low, report.share.n_hidden_high
left.axvspan(low, high, color=orange, alpha=0.12, linewidth=0, label=f"estimated: {low:,} to {high:,}")
left.axvline(report.n_found, color=orange, linewidth=1.5, label=f"as many as estimated: {report.n_found:,}")
left.axvline(truth.sum(), color="black", linewidth=1, linestyle=":", label=f"true number: {truth.sum():,}")
left.set(xlabel="pages read", xlim=(0, len(hits)), ylim=(0, None), ylabel=f"{wanted} pages found")
left.set_title(f"{wanted.capitalize()} pages from {len(known)} of them", loc="left")
left.legend(loc="lower right")

taken = selections["as many as estimated"]
names = sorted(set(kinds), key=lambda name: np.sum(taken & (kinds[unlabeled] == name)))[-7:]
for i, name in enumerate(names):
    mine = kinds[unlabeled] == name
    right.barh(i, mine.sum(), color="0.85")
    right.barh(i, (taken & mine).sum(), color=blue if name == wanted else orange)
    right.text(mine.sum(), i, f"  {(taken & mine).sum():,} of {mine.sum():,}", va="center")
right.set_yticks(range(len(names)), names)
right.margins(x=0.2)
right.set(xlabel="pages")
right.set_title("True categories of the returned pages", loc="left")

if len(sys.argv) > 1:
    figure.savefig(sys.argv[1])
    print(f"\nThe picture is in {sys.argv[1]}.")
else:
    plt.show()
