"""The data on which the defaults of `lopsided.screening` are chosen, and the data that judge them.

Written down before anything was measured. Nothing that is chosen may look at the judging data.
"""

CHOOSING_REVIEWS = ("adhd", "calcium-channel-blockers", "estrogens")
JUDGING_REVIEWS = ("beta-blockers", "nsaids", "oral-hypoglycemics", "triptans")
# topics of the ModApte training stories of Reuters-21578
CHOOSING_TOPICS = ("corn", "cpi", "crude", "gnp", "money-supply", "trade")
JUDGING_TOPICS = ("coffee", "gold", "interest", "ship", "sugar", "wheat")
