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
def open_cluster(where: str | None) -> Iterator[None]:
    """Connect to a scheduler, or start workers on this machine, for all work of Dask inside.

    Parameters
    ----------
    where : str or None
        An address such as tcp://host:8786, or local[N]. With None nothing is done.
    """
    if where is None:
        yield
        return
    try:
        distributed: Any = import_module("distributed")
        import_module("dask.bag")
    except ImportError:
        raise ImportError(
            "--dask needs Dask, which is not installed. Run: pip install 'lopsided[dask]'"
        ) from None
    local = _LOCAL.fullmatch(where)
    if where.startswith("local") and (local is None or int(local[1]) < 1):
        raise click.UsageError(f"--dask takes an address or local[N], N at least 1; got '{where}'.")
    if local is not None:
        with (
            distributed.LocalCluster(
                n_workers=int(local[1]),
                threads_per_worker=1,
                dashboard_address=None,
                silence_logs=logging.CRITICAL,
            ) as cluster,
            distributed.Client(cluster),
        ):
            yield
        return
    try:
        knock(where)
        client = distributed.Client(where, timeout=PATIENCE)
    except (OSError, ValueError) as error:
        raise OSError(f"no Dask scheduler at {where}: {error}. Start one with: dask scheduler") from error
    with client:
        try:
            client.wait_for_workers(1, timeout=PATIENCE)
        except TimeoutError:
            raise OSError(
                f"the Dask scheduler at {where} has no workers. Start one with: dask worker {where}"
            ) from None
        yield
