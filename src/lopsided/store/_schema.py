"""The tables of a project. `migrations` builds them; a test holds the two together."""

from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    Dialect,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    TypeDecorator,
    UniqueConstraint,
)

metadata = MetaData()


class Secret(str):
    """A text that does not show itself in logs."""

    def __repr__(self) -> str:
        return "'***'"


class SecretText(TypeDecorator[str]):
    """A column of secrets: SQLAlchemy logs the rows that it reads where somebody asks for all messages."""

    impl = Text
    cache_ok = True

    def process_result_value(self, value: Any, dialect: Dialect) -> Secret | None:
        """Return what was read as a secret."""
        return None if value is None else Secret(value)


# One row: the settings of the project.
project = Table(
    "project",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=False),
    Column("name", Text, nullable=False),
    Column("question", Text, nullable=False),
    Column("criteria", Text, nullable=False),
    Column("highlights", Text, nullable=False),  # JSON: list of words
    Column("strategy", Text, nullable=False),
    Column("seed", BigInteger, nullable=False),
    Column("reviewers_per_item", Integer, nullable=False),
    Column("blind", Boolean, nullable=False),
    Column("options", Text, nullable=False),  # JSON: whatever else a page keeps
    Column("created", Text, nullable=False),
)

# How many items, events and decisions there are. Whoever adds one holds the row: ids have no gaps, and their
# order is the order in which they were committed.
counters = Table(
    "counters",
    metadata,
    Column("name", Text, primary_key=True),
    Column("value", BigInteger, nullable=False),
)

labels = Table(
    "labels",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", Text, nullable=False, unique=True),
    Column("key", Text, nullable=False),
    Column("relevant", Boolean, nullable=False),
    Column("position", Integer, nullable=False),
)

tags = Table(
    "tags",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("retired", Boolean, nullable=False),
    UniqueConstraint("name", "kind", name="one_tag_of_a_name"),
)

users = Table(
    "users",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", Text, nullable=False, unique=True),
    Column("password", SecretText),  # an argon2 hash; none where the user has no password
    Column("admin", Boolean, nullable=False),
    Column("active", Boolean, nullable=False),
    Column("created", Text, nullable=False),
)

# Both keep a digest only: who reads the file cannot log in with it.
access_tokens = Table(
    "access_tokens",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("digest", Text, nullable=False, unique=True),
    Column("user_id", Integer, ForeignKey("users.id"), nullable=False),
    Column("name", Text, nullable=False),
    Column("created", Text, nullable=False),
)
logins = Table(
    "logins",
    metadata,
    Column("digest", Text, primary_key=True),
    Column("user_id", Integer, ForeignKey("users.id"), nullable=False),
    Column("expires", Text, nullable=False),
)

sources = Table(
    "sources",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", Text, nullable=False),
    Column("format", Text, nullable=False),
    Column("roles", Text, nullable=False),  # JSON: which column plays which part
    Column("started", Text, nullable=False),
    Column("finished", Text),  # none where the import broke off
    Column("n_new", BigInteger, nullable=False),
    Column("n_known", BigInteger, nullable=False),
)

# Items are 1..N in order of arrival. `copy` counts different records with one id.
items = Table(
    "items",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=False),
    Column("key", Text, nullable=False),
    Column("copy", Integer, nullable=False),
    Column("digest", LargeBinary, nullable=False),
    Column("title", Text, nullable=False),
    Column("text", Text, nullable=False),
    Column("fields", Text, nullable=False),  # JSON: column -> cell
    Column("given", Text, nullable=False),  # the label of the file, "" for none
    Column("group_id", Integer),  # the first item of its group of duplicates; none for that item itself
    Column("source_id", Integer, ForeignKey("sources.id"), nullable=False),
    UniqueConstraint("key", "copy", name="one_item_of_a_key"),
)
Index(
    "items_by_group",
    items.c.group_id,
    sqlite_where=items.c.group_id.is_not(None),
    postgresql_where=items.c.group_id.is_not(None),
)
Index(
    "items_by_given",
    items.c.given,
    items.c.id,
    sqlite_where=items.c.given != "",
    postgresql_where=items.c.given != "",
)

# The audit log. Rows are added, never changed.
events = Table(
    "events",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=False),
    Column("time", Text, nullable=False),
    Column("user_id", Integer, ForeignKey("users.id"), nullable=False),
    Column("kind", Text, nullable=False),
    Column("item_id", Integer, ForeignKey("items.id"), nullable=False),
    Column("label_id", Integer, ForeignKey("labels.id")),
    Column("tag_id", Integer, ForeignKey("tags.id")),
    Column("note", Text),
    Column("undoes", Integer, ForeignKey("events.id"), unique=True),
    Column("reason", Text, nullable=False),
    Column("score", Float),
    Column("seconds", Float),
    Column("token", Text, nullable=False, unique=True),
    CheckConstraint(
        "kind IN ('answer', 'skip', 'undo', 'note', 'tag', 'untag', 'resolve', 'dismiss')", name="known_kind"
    ),
)
Index("events_of_an_item", events.c.item_id, events.c.user_id)
Index("events_of_a_user", events.c.user_id, events.c.id)

# What follows from the log, kept beside it: which event stands now.
standing = Table(
    "standing",
    metadata,
    Column("item_id", Integer, ForeignKey("items.id"), primary_key=True),
    Column("user_id", Integer, ForeignKey("users.id"), primary_key=True),
    Column("label_id", Integer, ForeignKey("labels.id")),  # none for a skip
    Column("event_id", Integer, ForeignKey("events.id"), nullable=False),
)
Index("standing_of_a_user", standing.c.user_id, standing.c.label_id)
resolutions = Table(
    "resolutions",
    metadata,
    Column("item_id", Integer, ForeignKey("items.id"), primary_key=True),
    Column("label_id", Integer, ForeignKey("labels.id"), nullable=False),
    Column("event_id", Integer, ForeignKey("events.id"), nullable=False),
)
dismissals = Table(
    "dismissals",
    metadata,
    Column("item_id", Integer, ForeignKey("items.id"), primary_key=True),
    Column("event_id", Integer, ForeignKey("events.id"), nullable=False),
)
notes = Table(
    "notes",
    metadata,
    Column("item_id", Integer, ForeignKey("items.id"), primary_key=True),
    Column("user_id", Integer, ForeignKey("users.id"), primary_key=True),
    Column("note", Text, nullable=False),
)
tagged = Table(
    "tagged",
    metadata,
    Column("item_id", Integer, ForeignKey("items.id"), primary_key=True),
    Column("user_id", Integer, ForeignKey("users.id"), primary_key=True),
    Column("tag_id", Integer, ForeignKey("tags.id"), primary_key=True),
)
Index("tagged_by_tag", tagged.c.tag_id)

# The inbox: one decision an item, never changed. `after_event` places it in the audit log.
decisions = Table(
    "decisions",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=False),
    Column("item_id", Integer, ForeignKey("items.id"), nullable=False, unique=True),
    Column("time", Text, nullable=False),
    Column("show", Boolean, nullable=False),
    Column("explored", Boolean, nullable=False),
    Column("score", Float),
    Column("probability", Float),
    Column("after_event", Integer, nullable=False),
)

snapshots = Table(
    "snapshots",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("kind", Text, nullable=False),
    Column("n_events", BigInteger, nullable=False),
    Column("time", Text, nullable=False),
    Column("content", LargeBinary, nullable=False),
)
Index("snapshots_of_a_kind", snapshots.c.kind, snapshots.c.id)
blocks = Table(
    "blocks",
    metadata,
    Column("kind", Text, primary_key=True),
    Column("first_item", Integer, primary_key=True, autoincrement=False),
    Column("content", LargeBinary, nullable=False),
)
