"""Does the interval of :func:`lopsided.screening.estimate_remaining` cover the truth?

Run ``python research/remaining_check.py [--judge] [--seeds N] [--checks SHARE]... [--topic NAME]...``. It screens
a topic with its true labels as the answers, most likely first with a share of random checks, and compares the
estimate at every fiftieth label with the truth. The estimate was designed on the topics of ``DESIGN``; those of
``JUDGING`` had no part in it.
"""

# Where a number follows the name, only so many relevant documents are kept, drawn with a fixed seed.
DESIGN = {
    "reuters": "dlr cpi gnp oilseed cocoa nat-gas trade crude livestock corn money-supply",
    "newsgroups": """alt.atheism comp.graphics:100 comp.os.ms-windows.misc comp.windows.x:100 rec.autos:60
    rec.sport.baseball sci.crypt:150 sci.med soc.religion.christian:200 talk.politics.misc""",
    "webkb": "faculty staff student:200",
}
JUDGING = {
    "reuters": "ship interest wheat gold coffee sugar veg-oil jobs reserves",
    "newsgroups": """comp.sys.mac.hardware misc.forsale:100 rec.motorcycles:60 rec.sport.hockey
    sci.electronics:150 sci.space talk.politics.guns:200 talk.religion.misc""",
    "webkb": "course department project",
}
