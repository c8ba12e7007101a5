"""From a row to a record: its parts by their roles, its id made unique, its other fields."""

from collections.abc import Mapping

from lopsided.text._record_rows import RecordFile
from lopsided.text._records import Record, Roles


class RecordMaker:
    """Make records of the rows of one source, however many files it consists of.

    Parameters
    ----------
    source : RecordFile
        Where problems are noted.
    most_fields : int
        Number of columns that records keep beside their roles, the first ones met.
    """

    def __init__(self, source: RecordFile, most_fields: int) -> None:
        self._source = source
        self._most_fields = most_fields
        self._fields: set[str] = set()
        self._is_full = False
        self._ids: set[int] = set()  # hashes: a million ids need not be kept as text
        self._times: dict[str, int] = {}  # how often an id was met, where more than once

    def make(self, place: str, row: Mapping[str, str], roles: Roles) -> Record | None:
        """Return the record of a row, or None where the row is blank."""
        title = " ".join(row.get(roles.title, "").split()) if roles.title is not None else ""
        text = "\n".join(filter(None, (row.get(column, "").strip() for column in roles.text)))
        taken = (roles.title, roles.id, roles.label, *roles.text)
        fields = {}
        for column, cell in row.items():
            if column not in taken and (cell := cell.strip()) and self._is_kept(column):
                fields[column] = cell
        if not (title or text or fields):
            return None
        id = " ".join(row.get(roles.id, "").split()) if roles.id is not None else ""
        id = self._unique(id or place)
        if not (title or text):
            self._source.repair(id, "neither a title nor a text")
        label = row.get(roles.label, "").strip() if roles.label is not None else ""
        return Record(id, title, text, fields, label)

    def _is_kept(self, column: str) -> bool:
        if column in self._fields:
            return True
        if len(self._fields) < self._most_fields:
            self._fields.add(column)
            return True
        if not self._is_full:
            self._is_full = True
            self._source.repair(
                self._source.name,
                f"more than {self._most_fields} columns beside title, text, id and label: "
                "records keep the first ones",
            )
        return False

    def _unique(self, id: str) -> str:
        """Return an id that no record has yet."""
        unique = id
        while hash(unique) in self._ids:
            times = self._times[id] = self._times.get(id, 1) + 1
            unique = f"{id}#{times}"
        self._ids.add(hash(unique))
        if unique != id:
            self._source.repair(unique, "its id is there already, so a number was put behind it")
        return unique
