"""``lopsided serve``: the triage page, on this machine."""

import ipaddress
import json
import os
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from lopsided._lazy import is_installed
from lopsided.terminal import echo, say, status

_PACKAGES = ("fastapi", "uvicorn", "sqlalchemy", "alembic", "argon2", "python_multipart")
_LOCAL = ("localhost", "127.0.0.1", "::1")


@click.command()
@click.argument("project", required=False, metavar="[PROJECT.db | URL]")
@click.option(
    "--demo", is_flag=True, help="Open an example project: 20 Newsgroups with a rare topic to find."
)
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8642,
    show_default=True,
    help="Port to listen on; 0 picks a free one.",
)
@click.option("--open", "opened", is_flag=True, help="Open the page in a browser.")
@click.option(
    "--watch",
    type=click.Path(path_type=Path),
    metavar="FOLDER",
    help="Send each new file in FOLDER to the inbox.",
)
@click.option(
    "--asreview",
    type=click.Path(path_type=Path),
    metavar="PYTHON",
    help="Run ASReview's default beside ours on the page Simulate, in the environment of this Python.",
)
@click.option("--add-user", metavar="NAME", help="Add an account, ask for its password, and exit.")
@click.option(
    "--add-token", metavar="NAME", help="Create an access token for the user NAME, print it, and exit."
)
@click.option("--json", "as_json", is_flag=True, help="Print the address as JSON.")
def command(
    project: str | None,
    demo: bool,
    host: str,
    port: int,
    opened: bool,
    watch: Path | None,
    asreview: Path | None,
    add_user: str | None,
    add_token: str | None,
    as_json: bool,
) -> None:
    """Serve the triage page: find the few documents that matter.

    PROJECT.db is created if it does not exist; the page then asks for documents. By default only this machine
    can open the page, and no login is needed. To serve other machines, first add accounts or a token, then
    choose an address with --host. Ctrl-C stops the server. Every answer is on disk before the page shows the
    next item.
    """
    for package in _PACKAGES:
        if not is_installed(package):
            raise click.UsageError("the page needs more packages. Run: pip install 'lopsided[web]'")
    if demo == (project is not None):
        raise click.UsageError("name a project, such as project.db, or give --demo.")
    if add_user or add_token:
        if project is None:
            raise click.UsageError("accounts belong to a project. Name it, as in: lopsided serve project.db")
        _change_accounts(project, add_user, add_token)
        return
    from lopsided.screening._asreview import find_asreview

    with _open(project) as store:
        is_local = _is_local(host)
        if not is_local and not _is_guarded(store):
            raise click.UsageError(
                f"'{host}' can be reached by others, and the project has neither accounts nor tokens. Add "
                f"one first: lopsided serve {project or 'PROJECT'} --add-user NAME"
            )
        peer = None if asreview is None else find_asreview(asreview)
        _serve(
            store, host, port, is_local=is_local, opened=opened, watch=watch, asreview=peer, as_json=as_json
        )


@contextmanager
def _open(project: str | None) -> Iterator[Any]:
    """Open a project, or a new one for the demonstration."""
    from lopsided.store import open_store

    if project is not None:
        with open_store(project) as store:
            yield store
        return
    from lopsided.web._demo import make_demo

    with make_demo() as (store, notice):
        say(notice)
        yield store


def _change_accounts(project: str, name: str | None, token_of: str | None) -> None:
    from lopsided.store import open_store

    with open_store(project) as store:
        users = {user.name: user for user in store.users()}
        if name is not None:
            password = click.prompt("Password", hide_input=True, confirmation_prompt=True)
            is_first = not any(user.has_password for user in users.values())
            users[name] = store.add_user(name, password, admin=is_first)
            say(f"added {name}")
        if token_of is not None:
            user = users.get(token_of) or store.add_user(token_of)
            echo(store.add_token(user.id, "made in the shell"))


def _is_local(host: str) -> bool:
    try:
        return host.lower() in _LOCAL or ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def _is_guarded(store: Any) -> bool:
    users = store.users()
    return any(user.active and (user.has_password or store.tokens(user.id)) for user in users)


def _serve(
    store: Any,
    host: str,
    port: int,
    *,
    is_local: bool,
    opened: bool,
    watch: Path | None,
    asreview: tuple[Path, str] | None,
    as_json: bool,
) -> None:
    import uvicorn

    from lopsided.web._app import LOCAL_HOSTS, create_app
    from lopsided.web._desk import Desk
    from lopsided.web._watch import Watcher

    # Answers wait five times less for the threads that read and fit.
    sys.setswitchinterval(0.001)
    listener = _listen(host, port)
    with status("starting"):
        desk = Desk(store)
        hosts = None if not is_local else {*LOCAL_HOSTS, host.lower(), f"[{host}]"}
        app = create_app(desk, is_local=is_local, hosts=hosts, asreview=asreview)
    watcher = None if watch is None else Watcher(watch, app.app.state.inbox)
    name = f"[{host}]" if ":" in host else host
    address = f"http://{name}:{listener.getsockname()[1]}/"
    if as_json:
        click.echo(json.dumps({"address": address, "pid": os.getpid()}))
    else:
        echo(f"{desk.name}: {address}  (Ctrl-C ends)")
    if opened:
        click.launch(address)
    config = uvicorn.Config(
        app, log_level="warning", access_log=False, server_header=False, timeout_graceful_shutdown=3
    )
    try:
        uvicorn.Server(config).run(sockets=[listener])
    finally:
        if watcher is not None:
            watcher.close()
        desk.close()
        app.app.state.imports.close()


def _listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens, or say in one line why there is none."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except OSError:
        raise click.UsageError(f"'{host}' is no address of this machine. Try --host 127.0.0.1.") from None
    family, kind, protocol, _, where = found[0]
    listener = socket.socket(family, kind, protocol)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind(where)
    except OSError as error:
        listener.close()
        reason = "another program uses it" if error.errno in (48, 98) else error.strerror
        raise click.UsageError(
            f"cannot listen on port {port} of {host}: {reason}. Choose another: --port {(port + 1) % 65536}"
        ) from None
    listener.listen(128)
    return listener
