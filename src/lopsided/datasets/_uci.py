"""Seven tables of the UCI repository."""

from dataclasses import dataclass

from sklearn.utils import Bunch

from lopsided.datasets._bunch import check_choice
from lopsided.datasets._layout import Copy, DataSet
from lopsided.datasets._table import words
from lopsided.datasets._table_form import TableForm
from lopsided.datasets._uci_facts import FACTS, PECULIAR
from lopsided.datasets._uci_sources import (
    SHUTTLE_CLASSES,
    UCI_URL,
    Build,
    abalone_builder,
    openml_builder,
    parse_commas,
    parse_shuttle,
    parse_spaces,
    uci_builder,
)


def fetch_uci(name: str, *, subset: str = "all") -> Bunch:
    """Load a table of the UCI repository.

    Parameters
    ----------
    name : {"abalone", "adult", "breast_cancer_wisconsin_original", "letter", "satimage", "shuttle", \
"spambase"}
        Which table.
    subset : {"all", "train", "test"}, default="all"
        Which side of the published split, for the tables that have one: adult, satimage, shuttle.

    Returns
    -------
    Bunch
        ``data`` (float array; words are coded as positions in ``categories[feature]``, NaN = missing),
        ``target`` (index into ``target_names``; for abalone the number of rings), ``target_names``,
        ``split`` (None where there is none), ``feature_names``, ``categories``, ``provenance``, ``DESCR``;
        for breast cancer also ``ids``.

    Examples
    --------
    >>> fetch_uci("iris")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    ValueError: name must be one of 'abalone', 'adult', ... Got 'iris'.
    """
    check_choice("name", name, sorted(_TABLES))
    form = _TABLES[name]
    if subset != "all" and not form.has_split:
        raise ValueError(f"{name} has no published split, so subset must be 'all'. Got {subset!r}.")
    check_choice("subset", subset, ("all", "train", "test"))
    return form.read(UCI[name], subset)


@dataclass(frozen=True, kw_only=True)
class _Form(TableForm):
    """A table of the repository, and where it comes from."""

    source: str
    build: Build


_LETTER = words(
    "letter x-box y-box width high onpix x-bar y-bar x2bar y2bar xybar x2ybr xy2br x-ege xegvy y-ege yegvx"
)
_SATIMAGE = ("split", *(f"p{p}b{b}" for p in range(1, 10) for b in range(1, 5)), "class")
_SHUTTLE = ("split", *(f"v{i}" for i in range(1, 10)), "class")
_ABALONE = words("sex length diameter height whole_weight shucked_weight viscera_weight shell_weight rings")
_ADULT = words(
    "split age workclass fnlwgt education education-num marital-status occupation relationship race sex "
    "capital-gain capital-loss hours-per-week native-country income"
)
_BREAST = words(
    "id clump_thickness cell_size_uniformity cell_shape_uniformity marginal_adhesion "
    "single_epithelial_cell_size bare_nuclei bland_chromatin normal_nucleoli mitoses class"
)
_SPAMBASE = (
    *(
        f"word_freq_{word}"
        for word in words(
            "make address all 3d our over remove internet order mail receive will people report addresses "
            "free business email you credit your font 000 money hp hpl george 650 lab labs telnet 857 data "
            "415 85 technology 1999 parts pm direct cs meeting original project re edu table conference"
        )
    ),
    *(f"char_freq_{mark}" for mark in ";([!$#"),
    *(f"capital_run_length_{kind}" for kind in ("average", "longest", "total")),
    "spam",
)
_TABLES = {
    "letter": _Form(
        title="Letter recognition: 20,000 printed capital letters, 16 measures.",
        columns=_LETTER,
        label="letter",
        classes={chr(i): chr(i) for i in range(ord("A"), ord("Z") + 1)},
        source="OpenML data set 6",
        build=openml_builder(6, _LETTER, target_first=True),
    ),
    "satimage": _Form(
        title="Statlog Landsat satellite: the soil seen by 3 x 3 pixels in four bands.",
        columns=_SATIMAGE,
        label="class",
        classes={str(i): str(i) for i in (1, 2, 3, 4, 5, 7)},
        source=UCI_URL + "statlog/satimage/",
        build=uci_builder(
            {"train": "statlog/satimage/sat.trn", "test": "statlog/satimage/sat.tst"}, _SATIMAGE, parse_spaces
        ),
    ),
    "shuttle": _Form(
        title="Statlog shuttle: positions of radiators, seven very unequal classes.",
        columns=_SHUTTLE,
        label="class",
        classes={name: name for name in SHUTTLE_CLASSES},
        source=UCI_URL + "statlog/shuttle/",
        build=uci_builder(
            {"train": "statlog/shuttle/shuttle.trn.Z", "test": "statlog/shuttle/shuttle.tst"},
            _SHUTTLE,
            parse_shuttle,
        ),
    ),
    "abalone": _Form(
        title="Abalone: 4,177 shells; the number of rings tells the age.",
        columns=_ABALONE,
        label="rings",
        words=("sex",),
        source="OpenML data set 183",
        build=abalone_builder(_ABALONE),
    ),
    "adult": _Form(
        title="Adult (census income): who earns more than 50,000 dollars a year.",
        columns=_ADULT,
        label="income",
        classes={"<=50K": "<=50K", ">50K": ">50K"},
        words=words("workclass education marital-status occupation relationship race sex native-country"),
        source=UCI_URL + "adult/",
        build=uci_builder({"train": "adult/adult.data", "test": "adult/adult.test"}, _ADULT, parse_commas),
    ),
    "breast_cancer_wisconsin_original": _Form(
        title="Breast cancer Wisconsin (original): 699 samples, nine grades.",
        columns=_BREAST,
        label="class",
        classes={"2": "benign", "4": "malignant"},
        source=UCI_URL + "breast-cancer-wisconsin/",
        build=uci_builder(
            {"": "breast-cancer-wisconsin/breast-cancer-wisconsin.data"}, _BREAST, parse_commas
        ),
    ),
    "spambase": _Form(
        title="Spambase: 4,601 messages as frequencies of words and marks; here 1 = spam.",
        columns=_SPAMBASE,
        label="spam",
        classes={"0": "ham", "1": "spam"},
        source="OpenML data set 44",
        build=openml_builder(44, _SPAMBASE),
    ),
}
UCI = {
    name: DataSet(
        name=name,
        title=form.title,
        source=form.source,
        terms="UCI repository, CC BY 4.0.",
        copies=(
            Copy(
                files=(f"uci/{name}.csv.xz",),
                fields=form.columns,
                count=form.count,
                build=form.build,
                published=FACTS[name],
                peculiar=PECULIAR.get(name, {}),
            ),
        ),
    )
    for name, form in _TABLES.items()
}
