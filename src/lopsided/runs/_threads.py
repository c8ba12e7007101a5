"""One thread for the libraries that have several."""

import sys
from functools import lru_cache
from typing import Any

from threadpoolctl import ThreadpoolController


def one_thread() -> Any:
    """Return a context in which BLAS and OpenMP use one thread: sums do not depend on the machine's cores.

    Examples
    --------
    >>> from threadpoolctl import threadpool_info
    >>> with one_thread():
    ...     {library["num_threads"] for library in threadpool_info()} <= {1}
    True
    """
    return _controller(len(sys.modules)).limit(limits=1)


@lru_cache(maxsize=1)
def _controller(n_modules: int) -> Any:
    """Look through the loaded libraries, which takes milliseconds; again only if modules were loaded."""
    return ThreadpoolController()
