"""Whether the packages of the page are here: without them all other tests of this folder are left out."""

import pytest


def test_the_packages_of_the_page_are_here(missing_packages):
    if missing_packages:
        needed = ", ".join(missing_packages)
        pytest.skip(f"the tests of the page need {needed}: pip install 'lopsided[web]'")
