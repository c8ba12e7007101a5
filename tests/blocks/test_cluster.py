"""Passes on a cluster whose workers or scheduler are lost."""

import os
import warnings
from concurrent.futures import CancelledError
from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from lopsided._blocks import as_blocks

da = pytest.importorskip("dask.array")
dask = pytest.importorskip("dask")
distributed = pytest.importorskip("distributed")

X = np.arange(40.0).reshape(20, 2)
SOON = {"distributed.scheduler.allowed-failures": 0}  # lost workers that a block outlives


@pytest.fixture
def cluster():
    """A cluster with one worker process, which is started again when it is lost."""
    with dask.config.set(SOON), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # distributed and its event loop warn about themselves
        with distributed.LocalCluster(
            n_workers=1, threads_per_worker=1, processes=True, dashboard_address=None, host="127.0.0.1"
        ) as started:
            yield started


def opened(X):
    return as_blocks(da.from_array(X, chunks=(7, 2)), _accept)


def _accept(block):
    pass


def sum_or_die(marker, block, chosen):
    """Sum the rows; end the process, unless there is a marker that one was ended before."""
    if marker is None or not marker.exists():
        if marker is not None:
            marker.touch()
        os._exit(1)
    return block.sum(axis=0)


def test_a_pass_goes_on_when_a_worker_is_lost(cluster, tmp_path):
    cluster.scheduler.allowed_failures = 3
    with distributed.Client(cluster):
        blocks = opened(X)
        assert_array_equal(sum(blocks.map(partial(sum_or_die, tmp_path / "marker"))), X.sum(axis=0))
    assert (tmp_path / "marker").exists()


def test_a_block_that_no_worker_survives_is_said_in_one_line(cluster):
    with distributed.Client(cluster):
        blocks = opened(X)
        message = r"a block of X was lost with every worker.*Use smaller chunks"
        with pytest.raises(OSError, match=message) as lost:
            blocks.map(partial(sum_or_die, None))
    assert "\n" not in str(lost.value)


@pytest.mark.parametrize("error", [CancelledError("_apply"), distributed.comm.CommClosedError("in read")])
def test_a_lost_scheduler_is_said_in_one_line(error, monkeypatch):
    """These are what a client raises whose scheduler has gone; waiting for that takes a minute."""
    with dask.config.set(scheduler="synchronous"):
        blocks = opened(X)

    def fail(*tasks):
        raise error

    monkeypatch.setattr(dask, "compute", fail)
    with pytest.raises(OSError, match=r"the Dask scheduler is gone.*connect a new Client") as gone:
        blocks.map(partial(sum_or_die, None))
    assert "\n" not in str(gone.value)
