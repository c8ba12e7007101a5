"""Run the migrations on the connection, and in the one transaction, that `store` passes in and ends."""

from alembic import context

context.configure(
    connection=context.config.attributes["connection"],
    version_table="lopsided_version",
    render_as_batch=True,
)
context.run_migrations()
