"""The short part of fuzzing, the same in every run: what was found once, the seeds, a few changes of them."""

import random
from importlib import import_module
from pathlib import Path

import pytest

pytest.importorskip("pyarrow")
pytest.importorskip("openpyxl")
pytest.importorskip("skops")
pytest.importorskip("bibtexparser")

from fuzz.target import may_refuse, mutate, require_plain
from fuzz.targets import HOMES, NAMES, SANITIZED, find_target

N_CHANGED = 30
SAMPLES = Path(__file__).with_name("regressions")
FOUND = sorted(path.relative_to(SAMPLES).as_posix() for path in SAMPLES.glob("*/*"))
# What is not mended yet, each with its reason.
KNOWN: dict[str, str] = {}


def cases(names):
    def marks(name):
        return [pytest.mark.xfail(reason=KNOWN[name], strict=True)] if name in KNOWN else []

    return [pytest.param(name, marks=marks(name)) for name in names]


@pytest.mark.parametrize("name", cases(FOUND))
def test_what_was_found_once(name):
    find_target(name.partition("/")[0]).check((SAMPLES / name).read_bytes())


@pytest.mark.parametrize("name", cases(NAMES))
def test_seeds_and_changes_of_them(name):
    target = find_target(name)
    rng = random.Random(name)
    seeds = target.seeds()
    for seed in seeds:
        target.check(seed)
    for _ in range(N_CHANGED):
        target.check(mutate(rng.choice(seeds), target.words, rng))


def test_every_target_has_its_place_and_every_sample_its_target():
    for home, names in HOMES.items():
        assert set(import_module(f"fuzz.{home}").TARGETS) == set(names)
    assert set(SANITIZED) <= set(NAMES)
    assert {name.partition("/")[0] for name in FOUND} <= set(NAMES)
    assert set(KNOWN) <= {*NAMES, *FOUND}


def test_what_a_target_does_not_accept():
    with pytest.raises(AssertionError), may_refuse():
        raise ValueError("two\nlines")
    with pytest.raises(UnicodeDecodeError), may_refuse():
        b"\xff".decode()
    with pytest.raises(AssertionError):
        require_plain("\x1b[31m")
    with may_refuse():
        raise ValueError("no column 'text' in a.csv (columns: a, b). Name one with text=.")


def test_changes_are_the_same_in_every_run():
    made = [
        [mutate(b"abc", (b"word",), rng) for _ in range(50)] for rng in (random.Random(0), random.Random(0))
    ]
    assert made[0] == made[1]
    assert len(set(made[0])) > 30
