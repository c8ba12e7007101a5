import random
import shutil
import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lopsided.datasets._unix_compress import decompress_z
from reference.unix_compress import compress_z

# Long enough, and with little enough repetition, for codes of 9 to 12 bits and a full table.
_GENERATOR = random.Random(0)
LONG = bytes(_GENERATOR.choice(b"0123456789 \n") for _ in range(30_000))


def test_by_hand():
    # Codes of nine bits, the first in the lowest bits: 'a' = 97, 'b' = 98, then 257 = "ab".
    number = 97 | 98 << 9 | 257 << 18
    assert decompress_z(b"\x1f\x9d\x90" + number.to_bytes(4, "little")) == b"abab"


def test_string_that_is_being_defined():
    # 'a', then 257 = "aa", which the reader learns only from this very code.
    number = 97 | 257 << 9
    assert decompress_z(b"\x1f\x9d\x90" + number.to_bytes(3, "little")) == b"aaa"


@pytest.mark.parametrize("widest", [9, 10, 12, 16])
@pytest.mark.parametrize("clear_after", [None, 5, 400, 2000])
def test_long_text_comes_back(widest, clear_after):
    assert decompress_z(compress_z(LONG, widest, clear_after)) == LONG


@settings(max_examples=50, deadline=None)
@given(st.binary(max_size=2000), st.integers(1, 20))
def test_any_bytes_come_back(data, times):
    assert decompress_z(compress_z(data * times)) == data * times


@pytest.mark.parametrize("clear_after", [None, 400])
def test_gzip_agrees(clear_after):
    gzip = shutil.which("gzip")
    if gzip is None:
        pytest.skip("gzip, the second decoder, is not on this machine")
    compressed = compress_z(LONG, clear_after=clear_after)
    result = subprocess.run([gzip, "-dc"], input=compressed, capture_output=True, check=True)
    assert result.stdout == LONG == decompress_z(compressed)


@pytest.mark.parametrize(
    "data", [b"", b"\x1f\x8b\x08", b"\x1f\x9d", b"\x1f\x9d\xff", b"\x1f\x9d\x90\xff\xff"]
)
def test_other_files_are_refused(data):
    with pytest.raises(ValueError, match=r"\.Z"):
        decompress_z(data)
