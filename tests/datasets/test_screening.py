import pytest

from lopsided import fetch_screening


def test_real_review(need):
    need("screening-calcium-channel-blockers")
    review = fetch_screening("calcium-channel-blockers")
    assert (len(review.data), review.target.sum(), review.included.sum()) == (1218, 279, 100)
    assert ((review.included == 1) & (review.target == 0)).sum() == 1  # one came in by another way
    title, _, abstract = review.data[0].partition("\n")
    assert (title, abstract) == (review.titles[0], review.abstracts[0])
    assert len(set(review.ids)) == 1218


def test_a_name_that_is_not_there():
    with pytest.raises(ValueError, match=r"name must be one of 'adhd', .*Got 'statins'"):
        fetch_screening("statins")
