"""The base of every part of a store: it has the database."""

from lopsided.store._database import Database


class Part:
    """A part of the store; all parts share one database."""

    def __init__(self, database: Database) -> None:
        self.database = database
