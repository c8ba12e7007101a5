"""``--dask ADDRESS|local[N]``: the cluster that a command works on."""

import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

import click

from lopsided.runs._pools import PATIENCE, knock

_LOCAL = re.compile(r"local\[(\d+)\]")

dask_option = click.option(
    "--dask",
    metavar="ADDRESS|local[N]",
    help="Work on the Dask cluster of this scheduler, or on N processes of this machine.",
)


@contextmanager
def start_workers(where: str | None) -> Iterator[str | None]:
    """Give the address of a scheduler; local[N] starts one with N worker processes, which end with it.

    Parameters
    ----------
    where : str or None
        An address such as tcp://host:8786, which is not looked at, or local[N].
    """
    local = _LOCAL.fullmatch(where or "")
    if where is None or not where.startswith("local["):
        yield where
        return
    if local is None or int(local[1]) < 1:
        raise click.UsageError(f"--dask takes an address or local[N], N at least 1; got '{where}'.")
    try:
        distributed: Any = import_module("distributed")
    except ImportError:
        raise ImportError(
            "--dask needs Dask, which is not installed. Run: pip install 'lopsided[dask]'"
        ) from None
    with distributed.LocalCluster(
        n_workers=int(local[1]),
        threads_per_worker=1,
        dashboard_address=None,
        silence_logs=logging.CRITICAL,
    ) as cluster:
        yield cluster.scheduler_address


@contextmanager
def open_cluster(where: str | None) -> Iterator[None]:
    """Connect to a scheduler, or start workers on this machine, for all work of Dask inside.

    Parameters
    ----------
    where : str or None
        An address such as tcp://host:8786, or local[N]. With None nothing is done.
    """
    with start_workers(where) as address:
        if address is None:
            yield
            return
        with _connect(address):
            yield


def _connect(address: str) -> Any:
    """Return a client of a scheduler that answers and has workers."""
    try:
        distributed: Any = import_module("distributed")
        import_module("dask.bag")
    except ImportError:
        raise ImportError(
            "--dask needs Dask, which is not installed. Run: pip install 'lopsided[dask]'"
        ) from None
    try:
        knock(address)
        client = distributed.Client(address, timeout=PATIENCE)
    except (OSError, ValueError) as error:
        raise OSError(f"no Dask scheduler at {address}: {error}. Start one with: dask scheduler") from error
    try:
        client.wait_for_workers(1, timeout=PATIENCE)
    except TimeoutError:
        client.close()
        raise OSError(
            f"the Dask scheduler at {address} has no workers. Start one with: dask worker {address}"
        ) from None
    return client
