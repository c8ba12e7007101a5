"""The way a unit is done, wherever it is done."""

import traceback
import warnings
from time import perf_counter

from lopsided.datasets import DataUnavailable
from lopsided.datasets._cache import asking_rarely
from lopsided.runs._results import UnitRecord
from lopsided.runs._threads import one_thread
from lopsided.runs._unit import Unit


def perform(unit: Unit) -> UnitRecord:
    """Do a unit and return its record; an error is a result, too.

    Examples
    --------
    >>> perform(Unit("math", "sqrt", (-1.0,))).status
    'failed'
    """
    start = perf_counter()
    try:
        # One thread: sums do not depend on the machine's cores.
        with one_thread(), asking_rarely(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            text = unit.write(unit.do())
        return UnitRecord("done", text, perf_counter() - start)
    except (DataUnavailable, ImportError) as error:  # data or a package that whoever runs this may lack
        return UnitRecord("skipped", str(error), perf_counter() - start)
    except Exception:  # recorded with its traceback, which the report shows; the other units go on
        return UnitRecord("failed", traceback.format_exc(), perf_counter() - start)
