"""The first tables of a project, its two labels, and its counters at zero."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Create the tables of a new project."""
    op.create_table(
        "project",
        sa.Column("id", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("question", sa.Text, nullable=False),
        sa.Column("criteria", sa.Text, nullable=False),
        sa.Column("highlights", sa.Text, nullable=False),
        sa.Column("strategy", sa.Text, nullable=False),
        sa.Column("seed", sa.BigInteger, nullable=False),
        sa.Column("reviewers_per_item", sa.Integer, nullable=False),
        sa.Column("blind", sa.Boolean, nullable=False),
        sa.Column("options", sa.Text, nullable=False),
        sa.Column("created", sa.Text, nullable=False),
    )
    op.create_table(
        "counters",
        sa.Column("name", sa.Text, primary_key=True),
        sa.Column("value", sa.BigInteger, nullable=False),
    )

    op.create_table(
        "labels",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("name", sa.Text, nullable=False, unique=True),
        sa.Column("key", sa.Text, nullable=False),
        sa.Column("relevant", sa.Boolean, nullable=False),
        sa.Column("position", sa.Integer, nullable=False),
    )

    op.create_table(
        "tags",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("retired", sa.Boolean, nullable=False),
        sa.UniqueConstraint("name", "kind", name="one_tag_of_a_name"),
    )

    op.create_table(
        "users",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("name", sa.Text, nullable=False, unique=True),
        sa.Column("password", sa.Text),
        sa.Column("admin", sa.Boolean, nullable=False),
        sa.Column("active", sa.Boolean, nullable=False),
        sa.Column("created", sa.Text, nullable=False),
    )
    op.create_table(
        "access_tokens",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("digest", sa.Text, nullable=False, unique=True),
        sa.Column("user_id", sa.Integer, sa.ForeignKey("users.id"), nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("created", sa.Text, nullable=False),
    )
    op.create_table(
        "logins",
        sa.Column("digest", sa.Text, primary_key=True),
        sa.Column("user_id", sa.Integer, sa.ForeignKey("users.id"), nullable=False),
        sa.Column("expires", sa.Text, nullable=False),
    )

    op.create_table(
        "sources",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("format", sa.Text, nullable=False),
        sa.Column("roles", sa.Text, nullable=False),
        sa.Column("started", sa.Text, nullable=False),
        sa.Column("finished", sa.Text),
        sa.Column("n_new", sa.BigInteger, nullable=False),
        sa.Column("n_known", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "items",
        sa.Column("id", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("key", sa.Text, nullable=False),
        sa.Column("copy", sa.Integer, nullable=False),
        sa.Column("digest", sa.LargeBinary, nullable=False),
        sa.Column("title", sa.Text, nullable=False),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("fields", sa.Text, nullable=False),
        sa.Column("given", sa.Text, nullable=False),
        sa.Column("group_id", sa.Integer),
        sa.Column("source_id", sa.Integer, sa.ForeignKey("sources.id"), nullable=False),
        sa.UniqueConstraint("key", "copy", name="one_item_of_a_key"),
    )
    op.create_index(
        "items_by_group",
        "items",
        ["group_id"],
        sqlite_where=sa.text("group_id IS NOT NULL"),
        postgresql_where=sa.text("group_id IS NOT NULL"),
    )
    op.create_index(
        "items_by_given",
        "items",
        ["given", "id"],
        sqlite_where=sa.text("given != ''"),
        postgresql_where=sa.text("given != ''"),
    )
    op.create_table(
        "events",
        sa.Column("id", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("time", sa.Text, nullable=False),
        sa.Column("user_id", sa.Integer, sa.ForeignKey("users.id"), nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("item_id", sa.Integer, sa.ForeignKey("items.id"), nullable=False),
        sa.Column("label_id", sa.Integer, sa.ForeignKey("labels.id")),
        sa.Column("tag_id", sa.Integer, sa.ForeignKey("tags.id")),
        sa.Column("note", sa.Text),
        sa.Column("undoes", sa.Integer, sa.ForeignKey("events.id"), unique=True),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("score", sa.Float),
        sa.Column("seconds", sa.Float),
        sa.Column("token", sa.Text, nullable=False, unique=True),
        sa.CheckConstraint(
            "kind IN ('answer', 'skip', 'undo', 'note', 'tag', 'untag', 'resolve', 'dismiss')",
            name="known_kind",
        ),
    )
    op.create_index("events_of_an_item", "events", ["item_id", "user_id"])
    op.create_index("events_of_a_user", "events", ["user_id", "id"])
    op.create_table(
        "standing",
        sa.Column("item_id", sa.Integer, sa.ForeignKey("items.id"), primary_key=True),
        sa.Column("user_id", sa.Integer, sa.ForeignKey("users.id"), primary_key=True),
        sa.Column("label_id", sa.Integer, sa.ForeignKey("labels.id")),
        sa.Column("event_id", sa.Integer, sa.ForeignKey("events.id"), nullable=False),
    )
    op.create_index("standing_of_a_user", "standing", ["user_id", "label_id"])
    op.create_table(
        "resolutions",
        sa.Column("item_id", sa.Integer, sa.ForeignKey("items.id"), primary_key=True),
        sa.Column("label_id", sa.Integer, sa.ForeignKey("labels.id"), nullable=False),
        sa.Column("event_id", sa.Integer, sa.ForeignKey("events.id"), nullable=False),
    )
    op.create_table(
        "dismissals",
        sa.Column("item_id", sa.Integer, sa.ForeignKey("items.id"), primary_key=True),
        sa.Column("event_id", sa.Integer, sa.ForeignKey("events.id"), nullable=False),
    )
    op.create_table(
        "notes",
        sa.Column("item_id", sa.Integer, sa.ForeignKey("items.id"), primary_key=True),
        sa.Column("user_id", sa.Integer, sa.ForeignKey("users.id"), primary_key=True),
        sa.Column("note", sa.Text, nullable=False),
    )
    op.create_table(
        "tagged",
        sa.Column("item_id", sa.Integer, sa.ForeignKey("items.id"), primary_key=True),
        sa.Column("user_id", sa.Integer, sa.ForeignKey("users.id"), primary_key=True),
        sa.Column("tag_id", sa.Integer, sa.ForeignKey("tags.id"), primary_key=True),
    )
    op.create_index("tagged_by_tag", "tagged", ["tag_id"])
    op.create_table(
        "decisions",
        sa.Column("id", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("item_id", sa.Integer, sa.ForeignKey("items.id"), nullable=False, unique=True),
        sa.Column("time", sa.Text, nullable=False),
        sa.Column("show", sa.Boolean, nullable=False),
        sa.Column("explored", sa.Boolean, nullable=False),
        sa.Column("score", sa.Float),
        sa.Column("probability", sa.Float),
        sa.Column("after_event", sa.Integer, nullable=False),
    )

    op.create_table(
        "snapshots",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("n_events", sa.BigInteger, nullable=False),
        sa.Column("time", sa.Text, nullable=False),
        sa.Column("content", sa.LargeBinary, nullable=False),
    )
    op.create_index("snapshots_of_a_kind", "snapshots", ["kind", "id"])
    op.create_table(
        "blocks",
        sa.Column("kind", sa.Text, primary_key=True),
        sa.Column("first_item", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("content", sa.LargeBinary, nullable=False),
    )
    counters = sa.table("counters", sa.column("name", sa.Text), sa.column("value", sa.BigInteger))
    op.bulk_insert(counters, [{"name": name, "value": 0} for name in ("items", "events", "decisions")])
    labels = sa.table(
        "labels",
        sa.column("name", sa.Text),
        sa.column("key", sa.Text),
        sa.column("relevant", sa.Boolean),
        sa.column("position", sa.Integer),
    )
    op.bulk_insert(
        labels,
        [
            {"name": "relevant", "key": "y", "relevant": True, "position": 1},
            {"name": "not relevant", "key": "n", "relevant": False, "position": 2},
        ],
    )
