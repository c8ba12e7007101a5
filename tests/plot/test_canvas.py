import math
import subprocess
import sys

from lopsided.plot._canvas import COLORS, MARKERS, as_ratio, name_of


def test_importing_the_folder_does_not_load_matplotlib():
    code = "import sys, lopsided.plot; print('matplotlib' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "False"


def test_every_colour_has_its_marker():
    assert len(set(COLORS)) == len(set(MARKERS)) == len(COLORS) == len(MARKERS)


def test_ratios_as_text():
    assert [as_ratio(value) for value in (0.25, 1, 1.244, 9.96, 18.97, 99.96, 1234.5)] == [
        "0.25:1",
        "1:1",
        "1.24:1",
        "9.96:1",
        "19:1",
        "100:1",
        "1234:1",
    ]
    assert as_ratio(math.inf) == "no positive"
    assert as_ratio(math.nan) == "no data"


def test_a_name_for_the_legend(fake):
    assert name_of(fake(selection="active")) == "FakeLearner, active"
    assert name_of(object()) == "object"
