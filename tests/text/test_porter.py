"""Both stemmers give the same stems, and the library works with either."""

import subprocess
import sys

import pytest
import Stemmer
from snowballstemmer.porter_stemmer import PorterStemmer

from lopsided.datasets import fetch_newsgroups, fetch_reuters21578
from lopsided.text._porter import porter_stems
from lopsided.text._stemmed import WORD

# Each step of the algorithm, words it leaves alone, other scripts, and letters outside ASCII.
WORDS = WORD.findall("""
caresses ponies ties cats feed agreed plastered bled motoring sing conflated troubled sized hopping
tanned falling hissing fizzed failing filing happy sky relational conditional rational valenci
digitizer conformabli radicalli differentli vileli analogousli vietnamization predication operator
feudalism decisiveness hopefulness callousness formaliti sensitiviti sensibiliti triplicate
formative formalize electriciti electrical hopeful goodness revival allowance inference airliner
gyroscopic adjustable defensible irritant replacement adjustment dependent adoption homologou
communism activate angulariti homologous effective bowdlerize probate rate cease controll roll is as
yes by i naïve cafés straße слова 漢字
""")


def test_both_stemmers_agree_on_the_words_of_the_algorithm():
    assert PorterStemmer().stemWords(WORDS) == Stemmer.Stemmer("porter").stemWords(WORDS)


@pytest.mark.parametrize("fetch", [fetch_reuters21578, fetch_newsgroups])
def test_both_stemmers_agree_on_the_words_of_a_corpus(fetch, need):
    need(fetch.__name__.removeprefix("fetch_"))
    words = sorted({word for text in fetch().data[:6000] for word in WORD.findall(text.lower())})
    assert len(words) > 20_000
    assert PorterStemmer().stemWords(words) == Stemmer.Stemmer("porter").stemWords(words)


@pytest.mark.parametrize("missing", ["", "Stemmer"])
def test_stems_do_not_depend_on_what_is_installed(missing):
    script = (
        f"import sys; sys.modules[{missing!r}] = None\n"
        "import snowballstemmer; from lopsided.text._porter import porter_stems\n"
        f"print(type(snowballstemmer.stemmer('porter')).__name__, *porter_stems({WORDS!r}))"
    )
    run = subprocess.run([sys.executable, "-X", "utf8", "-c", script], capture_output=True, check=True)
    name, *stems = run.stdout.decode().split()
    assert name == ("PorterStemmer" if missing else "Stemmer")
    assert stems == porter_stems(WORDS)


def test_no_words_have_no_stems():
    assert porter_stems([]) == []
