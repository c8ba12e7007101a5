"""Run the migrations on the connection, and in the transaction, that `store` passes in."""

from alembic import context

context.configure(
    connection=context.config.attributes["connection"],
    version_table="lopsided_version",
    transactional_ddl=True,  # SQLite too: the caller has begun one transaction for everything
    transaction_per_migration=False,
    render_as_batch=True,
)
context.run_migrations()
