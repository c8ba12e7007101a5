"""Words of claims as numbers; points are hundredths of a score, or percent in tables."""

FAR = 5.0  # points, at least: far behind, much better, dramatically
SLIGHTLY = 2.0  # points, at most
SIMILAR = 1.5  # points, at most: similar, comparable, equal, level, close, agrees
NOT_FAR = 1.0  # points of F1, at most: not far
COMPETITIVE = 1.0  # points of F1, less than: below the best and still competitive
AS_PRINTED = 5.0  # points: a published value
ABOUT_HALF = (0.35, 0.65)  # ratio
MAJORITY, WIDE_MAJORITY = 0.5, 0.7  # more than, at least
COLLAPSED = 0.5  # part of another's recall, less than: collapses, defeated, ratchets
