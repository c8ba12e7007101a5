"""Eleven small tables with a rare class."""

from sklearn.utils import Bunch

from lopsided.datasets._bunch import check_choice
from lopsided.datasets._islp import ISLP, ISLP_TERMS, islp_builder
from lopsided.datasets._layout import Copy, Counts, DataSet
from lopsided.datasets._table import words
from lopsided.datasets._table_form import TableForm

SOURCE = "the UCI repository and ELENA, as the GitHub repository jbrownlee/Datasets has them"


def fetch_table(name: str) -> Bunch:
    """Load a small table with a rare class.

    Parameters
    ----------
    name : {"caravan", "default", "ecoli", "german", "glass", "haberman", "new-thyroid", "phoneme", \
"pima-indians-diabetes", "winequality-red", "winequality-white"}
        Which table. "caravan" and "default" are taken from the wheel of the package ISLP, which pip
        downloads.

    Returns
    -------
    Bunch
        ``data`` (float array; words are coded as positions in ``categories[feature]``), ``target`` (index
        into ``target_names``), ``target_names``, ``split`` (None), ``feature_names``, ``categories``,
        ``provenance``, ``DESCR``.

    Examples
    --------
    >>> from lopsided.datasets import fetch_table
    >>> table = fetch_table("glass")  # doctest: +SKIP
    >>> table.target_names, table.data.shape  # doctest: +SKIP
    (['1', '2', '3', '5', '6', '7'], (214, 9))
    """
    check_choice("name", name, sorted(_FORMS))
    return _FORMS[name].read(SMALL_TABLES[name])


def _classes(values: str) -> dict[str, str]:
    return {value: value for value in words(values)}


_WINE = words(
    "fixed_acidity volatile_acidity citric_acid residual_sugar chlorides free_sulfur_dioxide "
    "total_sulfur_dioxide density pH sulphates alcohol quality"
)
_CARAVAN = words(
    "MOSTYPE MAANTHUI MGEMOMV MGEMLEEF MOSHOOFD MGODRK MGODPR MGODOV MGODGE MRELGE MRELSA MRELOV "
    "MFALLEEN MFGEKIND MFWEKIND MOPLHOOG MOPLMIDD MOPLLAAG MBERHOOG MBERZELF MBERBOER MBERMIDD "
    "MBERARBG MBERARBO MSKA MSKB1 MSKB2 MSKC MSKD MHHUUR MHKOOP MAUT1 MAUT2 MAUT0 MZFONDS MZPART "
    "MINKM30 MINK3045 MINK4575 MINK7512 MINK123M MINKGEM MKOOPKLA PWAPART PWABEDR PWALAND PPERSAUT "
    "PBESAUT PMOTSCO PVRAAUT PAANHANG PTRACTOR PWERKT PBROM PLEVEN PPERSONG PGEZONG PWAOREG PBRAND "
    "PZEILPL PPLEZIER PFIETS PINBOED PBYSTAND AWAPART AWABEDR AWALAND APERSAUT ABESAUT AMOTSCO AVRAAUT "
    "AAANHANG ATRACTOR AWERKT ABROM ALEVEN APERSONG AGEZONG AWAOREG ABRAND AZEILPL APLEZIER AFIETS "
    "AINBOED ABYSTAND"
)
_FORMS = {
    "caravan": TableForm(
        title="Caravan: 5,822 customers, 348 of whom bought the insurance.",
        columns=(*_CARAVAN, "Purchase"),
        label="Purchase",
        classes=_classes("No Yes"),
    ),
    "default": TableForm(
        title="Default: 10,000 holders of a credit card, 333 of whom defaulted.",
        columns=words("default student balance income"),
        label="default",
        classes=_classes("No Yes"),
        words=("student",),
    ),
    "ecoli": TableForm(
        title="Ecoli: where a protein is found in the cell; eight sites, the rarest with 2 of 336.",
        columns=words("mcg gvh lip chg aac alm1 alm2 site"),
        label="site",
        classes=_classes("cp im imL imS imU om omL pp"),
    ),
    "german": TableForm(
        title="German credit: 1,000 applicants, 300 of them a bad risk (2).",
        columns=(*(f"a{i}" for i in range(1, 21)), "credit"),
        label="credit",
        classes=_classes("1 2"),
        words=words("a1 a3 a4 a6 a7 a9 a10 a12 a14 a15 a17 a19 a20"),
    ),
    "glass": TableForm(
        title="Glass identification: 214 splinters of six types.",
        columns=words("RI Na Mg Al Si K Ca Ba Fe type"),
        label="type",
        classes=_classes("1 2 3 5 6 7"),
    ),
    "haberman": TableForm(
        title="Haberman's survival: 306 patients, 81 of whom died within five years (2).",
        columns=words("age year nodes status"),
        label="status",
        classes=_classes("1 2"),
    ),
    "new-thyroid": TableForm(
        title="New thyroid: 215 patients; normal, hyper (2) and hypo (3).",
        columns=words("t3_resin thyroxin triiodothyronine tsh tsh_max_difference class"),
        label="class",
        classes=_classes("1 2 3"),
    ),
    "phoneme": TableForm(
        title="Phoneme: 5,404 vowels, 1,586 of them oral (1).",
        columns=words("aa ao dcl iy sh nasal_or_oral"),
        label="nasal_or_oral",
        classes=_classes("0 1"),
    ),
    "pima-indians-diabetes": TableForm(
        title="Pima Indians diabetes: 768 women, 268 with diabetes (1).",
        columns=words("pregnancies glucose pressure skin insulin bmi pedigree age diabetes"),
        label="diabetes",
        classes=_classes("0 1"),
    ),
    "winequality-red": TableForm(
        title="Wine quality, red: 1,599 wines with grades from 3 to 8.",
        columns=_WINE,
        label="quality",
        classes=_classes("3 4 5 6 7 8"),
    ),
    "winequality-white": TableForm(
        title="Wine quality, white: 4,898 wines with grades from 3 to 9.",
        columns=_WINE,
        label="quality",
        classes=_classes("3 4 5 6 7 8 9"),
    ),
}
_PUBLISHED: dict[str, Counts] = {
    "caravan": {"rows": 5822, "columns": 86, "classes": 2, "Purchase No": 5474, "Purchase Yes": 348},
    "default": {"rows": 10000, "columns": 4, "default No": 9667, "default Yes": 333, "student Yes": 2944},
    "ecoli": {"rows": 336, "columns": 8, "classes": 8, "site imU": 35, "site om": 20},
    "german": {"rows": 1000, "columns": 21, "classes": 2, "credit 1": 700, "credit 2": 300},
    "glass": {"rows": 214, "columns": 10, "type 7": 29, "type 3": 17, "type 5": 13, "type 6": 9},
    "haberman": {"rows": 306, "columns": 4, "classes": 2, "status 1": 225, "status 2": 81},
    "new-thyroid": {"rows": 215, "columns": 6, "class 1": 150, "class 2": 35, "class 3": 30},
    "phoneme": {
        "rows": 5404,
        "columns": 6,
        "classes": 2,
        "nasal_or_oral 0": 3818,
        "nasal_or_oral 1": 1586,
    },
    "pima-indians-diabetes": {
        "rows": 768,
        "columns": 9,
        "classes": 2,
        "diabetes 0": 500,
        "diabetes 1": 268,
    },
    "winequality-red": {
        "rows": 1599,
        "columns": 12,
        "quality 7": 199,
        "quality 4": 53,
        "quality 8": 18,
    },
    "winequality-white": {
        "rows": 4898,
        "columns": 12,
        "quality 8": 175,
        "quality 4": 163,
        "quality 3": 20,
    },
}
_IN_ISLP = {"caravan": "Caravan", "default": "Default"}
SMALL_TABLES = {
    name: DataSet(
        name=name,
        title=form.title,
        source=ISLP if name in _IN_ISLP else SOURCE,
        terms=ISLP_TERMS if name in _IN_ISLP else "CC BY 4.0, or customary research use.",
        copies=(
            Copy(
                files=(f"tables/{name}.csv.xz",),
                build=islp_builder(_IN_ISLP[name]) if name in _IN_ISLP else None,
                fields=form.columns,
                count=form.count,
                published=_PUBLISHED[name],
            ),
        ),
    )
    for name, form in _FORMS.items()
}
