"""``lopsided filter serve`` and ``lmtp``: the mail filter as a service."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from lopsided.terminal import tell

_PATH = click.Path(path_type=Path)
_JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
_USERS = click.option(
    "--users",
    type=click.IntRange(1),
    default=50,
    show_default=True,
    metavar="N",
    help="Number of users kept in memory, at about 10 MB each.",
)


@click.command()
@click.option("--socket", type=_PATH, required=True, metavar="PATH", help="Unix socket to listen on.")
@click.option(
    "--states",
    type=_PATH,
    required=True,
    metavar="FOLDER",
    help="Folder with one state per user, named after the user.",
)
@_USERS
@_JSON
def serve(socket: Path, states: Path, users: int, as_json: bool) -> None:
    """Filter mail for many users at a Unix socket, until the process is stopped.

    A request is a line: check USER LENGTH, and so many bytes of a message behind it; learn USER ham|spam ID;
    teach USER ham|spam LENGTH, and an example; ping. The answer is a line: for check, what the header
    X-Lopsided is to say.
    """
    import gc

    from lopsided.mail._server import Users
    from lopsided.mail._server import serve as answer

    def ready() -> None:
        tell({"socket": str(socket), "states": str(states)}, as_json)
        sys.stdout.flush()

    gc.freeze()  # what is loaded stays: it need not be looked through again and again
    with _ended_by_signal() as ended:
        answer(socket, Users(states, users), ready=ready, stopped=ended)


@click.command()
@click.option(
    "--listen", required=True, metavar="PLACE", help="HOST:PORT or /PATH to listen on for the mail server."
)
@click.option(
    "--next",
    "following",
    required=True,
    metavar="PLACE",
    help="Destination: smtp:HOST:PORT, lmtp:HOST:PORT, lmtp:/PATH, or maildir:/FOLDER of Maildirs.",
)
@click.option(
    "--states",
    type=_PATH,
    required=True,
    metavar="FOLDER",
    help="Folder with one state per user, named after the address.",
)
@click.option("--without-domain", is_flag=True, help="Treat anna@a.org and anna@b.org as one user, anna.")
@_USERS
@click.option(
    "--connections",
    type=click.IntRange(1),
    default=50,
    show_default=True,
    metavar="N",
    help="Maximum number of connections.",
)
@click.option(
    "--size",
    type=click.IntRange(1),
    default=51_200_000,
    show_default=True,
    metavar="BYTES",
    help="Size of the largest message accepted.",
)
@_JSON
def lmtp(
    listen: str,
    following: str,
    states: Path,
    without_domain: bool,
    users: int,
    connections: int,
    size: int,
    as_json: bool,
) -> None:
    """Filter mail between a mail server and the next one, or Maildirs. Each recipient's copy gets a header.

    The answer for a recipient is the next server's. If the filter fails the message passes unfiltered, and
    a header says so; if this or the next server fails, the sender keeps it and tries again.
    """
    from lopsided.mail._lmtp import serve_lmtp
    from lopsided.mail._next import Next
    from lopsided.mail._proxy import Proxy
    from lopsided.mail._server import Users

    proxy = Proxy(Users(states, users), Next.of(following), connections, not without_domain, size)

    def ready(place: str) -> None:
        tell({"listening": place, "next": following, "states": str(states)}, as_json)
        sys.stdout.flush()

    with _ended_by_signal() as ended:
        serve_lmtp(listen, proxy, ready=ready, stopped=ended)


@contextmanager
def _ended_by_signal() -> Iterator[Callable[[], bool]]:
    """Yield what says whether a signal has come to end this; later ones do again what they did before."""
    import signal

    got: list[int] = []
    before = {
        number: signal.signal(number, lambda number, _: got.append(number))
        for number in (signal.SIGTERM, signal.SIGINT)
    }
    try:
        yield lambda: bool(got)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
