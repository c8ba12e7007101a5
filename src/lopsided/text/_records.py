"""Records of any source that a person may bring: an id, a title, a text, all other fields, a label."""

from collections.abc import Mapping
from typing import NamedTuple

from lopsided.text._documents import Problem


class Record(NamedTuple):
    """One record of a table, a reference manager, a mailbox or a folder.

    Parameters
    ----------
    id : str
        The user's id, or where the record stands (``file:line``).
    title : str, default=""
        Title; empty where there is none.
    text : str, default=""
        Abstract or body.
    fields : mapping of str to str, default={}
        Every other column in the order of the file, such as keywords, authors, year and doi.
    label : str, default=""
        The label that was in the file, as text; empty for none.

    Examples
    --------
    >>> Record("1", "Ships", "A ship sank.").label
    ''
    """

    id: str
    title: str = ""
    text: str = ""
    fields: Mapping[str, str] = {}
    label: str = ""


class Roles(NamedTuple):
    """The columns that hold the title, the text, the id and the label; None or () where there is none.

    Parameters
    ----------
    title : str or None, default=None
        Column of the title.
    text : tuple of str, default=()
        Columns of the text, in the order in which they are joined.
    id : str or None, default=None
        Column of the ids; without one an id says where the record stands.
    label : str or None, default=None
        Column of labels that are already there.

    Examples
    --------
    >>> Roles(title="TI", text=("AB",)).id is None
    True
    """

    title: str | None = None
    text: tuple[str, ...] = ()
    id: str | None = None
    label: str | None = None


class Preview(NamedTuple):
    """The first rows of a source, and how its columns would be read.

    Parameters
    ----------
    format : str
        The format that was recognised.
    columns : tuple of str
        Columns in the order of the file.
    roles : Roles
        The roles that the names of the columns suggest.
    rows : tuple of dict
        The first rows, each from column to cell.
    problems : tuple of Problem
        What was skipped or repaired on the way.

    Examples
    --------
    >>> Preview("csv", ("title",), Roles(title="title"), ({"title": "Ships"},), ()).rows[0]["title"]
    'Ships'
    """

    format: str
    columns: tuple[str, ...]
    roles: Roles
    rows: tuple[dict[str, str], ...]
    problems: tuple[Problem, ...]
