"""Vectorising a whole mail corpus stays within a desktop's memory."""

import json
import subprocess
import sys

import pytest

VECTORISE = """
import json, resource
from lopsided import ByteGramVectorizer, fetch_trec07p
messages = fetch_trec07p().data
X = ByteGramVectorizer().transform(messages)
print(json.dumps([X.shape[0], X.nnz, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss]))
"""


@pytest.mark.slow
def test_all_of_trec07p_in_under_two_gibibytes(need):
    need("trec07p")
    run = subprocess.run([sys.executable, "-c", VECTORISE], capture_output=True, text=True, check=True)
    n_messages, n_entries, peak_kib = json.loads(run.stdout)
    assert n_messages == 75_419
    assert n_entries > 100_000_000
    assert peak_kib < 2 * 2**20
