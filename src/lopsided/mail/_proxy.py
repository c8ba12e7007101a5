"""The filters behind a mail server: whose filter is asked about an address, and what it says of a message."""

import threading
from time import monotonic, sleep

from lopsided.mail._names import is_user
from lopsided.mail._next import Next
from lopsided.mail._places import Places
from lopsided.mail._server import Users, one_line
from lopsided.mail._state import BusyError
from lopsided.terminal import say

LARGEST = 51_200_000  # bytes of a message, as Postfix has it for a mailbox
_RETRY = 0.05  # seconds between two attempts at a state that another process uses
_MOST_WAITING = 0.1  # of the connections; they wait for such a state


def user_of(address: str, *, domain: bool = True) -> str:
    """Return whose filter is asked about mail to an address: without ``+...``, in small letters.

    Examples
    --------
    >>> user_of("Anna+news@Example.org")
    'anna@example.org'
    >>> user_of("anna@example.org", domain=False)
    'anna'
    """
    name, at, place = address.rpartition("@")
    if not at:
        name, place = place, ""
    name = name.partition("+")[0] or name
    user = f"{name}@{place}" if domain and place else name
    if user.isascii():  # there are others that become ASCII in small letters: the sign for Kelvin becomes k
        user = user.lower()
    if not is_user(user):
        raise ValueError("no filter has the name of this recipient")
    return user


class Proxy:
    """The state that all connections share: the filters, the next server, and how many are served at once."""

    def __init__(
        self, users: Users, next: Next, connections: int = 50, domain: bool = True, largest: int = LARGEST
    ) -> None:
        self.users, self.next, self.domain, self.largest = users, next, domain, largest
        self.places = Places(connections)
        self.line = threading.BoundedSemaphore(max(1, int(_MOST_WAITING * connections)))
        self.idle = threading.Condition()
        self.busy = 0  # connections with a message in hand
        self._turn = threading.Lock()

    def judge(self, address: str, head: bytes, until: float | None = None) -> str:
        """Return what our header is to say; whatever goes wrong, it says so.

        A state that another process uses is tried again and again until a moment; without one, BusyError.
        """
        try:
            user = user_of(address, domain=self.domain)
            while True:
                try:
                    return self._decide(user, head)
                except BusyError:
                    if until is None:
                        raise
                    if monotonic() > until:
                        raise TimeoutError("another process has kept the state to itself") from None
                sleep(_RETRY)
        except BusyError:
            raise
        except Exception as error:
            say(f"{one_line(error)}; a message to {address!a} passes unfiltered.")
            return f"unfiltered; {type(error).__name__}, see the log"

    def _decide(self, user: str, head: bytes) -> str:
        with self._turn:
            try:
                return self.users[user].decide(head).header
            except BusyError:
                raise
            except Exception:  # whatever it is, the state is opened anew next time
                self.users.forget(user)
                raise

    def close(self) -> None:
        """Wait for messages in hand, at most half a minute, and let go of the filters."""
        with self.idle:
            self.idle.wait_for(lambda: self.busy == 0, timeout=30)
        with self._turn:
            self.users.close()
