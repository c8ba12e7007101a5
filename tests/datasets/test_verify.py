import pytest

from lopsided.datasets import verify
from lopsided.datasets._layout import encode_file
from lopsided.datasets._registry import DATA_SETS, get
from lopsided.datasets._table import CsvTable


@pytest.mark.parametrize("name", sorted(DATA_SETS))
def test_every_published_count(need, name):
    need(name)
    verdict = verify(name)
    assert verdict.error is None
    assert [fact for fact in verdict.facts if not fact.agrees] == []
    assert len(verdict.facts) >= 5


def test_not_at_hand(empty_machine):
    verdict = verify("letter")
    assert (verdict.where, verdict.facts, verdict.agrees) == (None, (), True)


def put_letter(folder, lines):
    path = folder / "uci" / "letter.csv.xz"
    path.parent.mkdir(parents=True)
    path.write_bytes(encode_file(path, CsvTable(DATA_SETS["letter"].copies[0].fields, lines)))
    return path


def test_disagreement_is_shown(empty_machine):
    row = "H" + ",1" * 16
    put_letter(empty_machine, [row, row, "Z" + ",2" * 16])
    verdict = verify("letter")
    facts = {fact.name: fact for fact in verdict.facts}
    assert not verdict.agrees
    assert (facts["rows"].expected, facts["rows"].found) == (20000, 3)
    assert facts["letter H"].found == 2
    assert facts["letter U"].found is None
    assert facts["repeated rows"].found == 1
    assert facts["columns"].agrees


def test_damaged_file_is_an_error_and_not_a_crash(empty_machine):
    path = put_letter(empty_machine, [])
    path.write_bytes(path.read_bytes()[:-5])
    verdict = verify("letter")
    assert not verdict.agrees
    assert "letter.csv.xz could not be read" in verdict.error


def test_unknown_name():
    with pytest.raises(ValueError, match=r"no data set 'leter'\. Did you mean 'letter'\?"):
        get("leter")
    with pytest.raises(ValueError, match="'lopsided data list' shows them"):
        get("qqqqqq")


def test_every_data_set_is_described():
    for data_set in DATA_SETS.values():
        assert data_set.title
        assert data_set.source
        assert data_set.terms
        files = [name for copy in data_set.copies for name in copy.files]
        assert len(set(files)) == len(files)
