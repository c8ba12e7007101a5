"""All methods that fit a setting, ours and the peers that are installed, on a user's own table or folder.

One file a setting (`_rare`, `_pu`, `_one_sided`, `_unexpected`): what is split how, the methods, and a
function that runs one of them on one split. All methods see the same splits.
"""

from lopsided.compare._comparison import REGIMES, Comparison, compare

__all__ = ["REGIMES", "Comparison", "compare"]
