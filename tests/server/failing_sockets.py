"""`python -m` this: the service on a system whose sockets fail while they close.

A network that is cut at the right moment does so (ETIMEDOUT, EHOSTUNREACH); no client on the
same machine can, so the error is raised here, in the process.
"""

from __future__ import annotations

import errno
import socket
from typing import Any
from weakref import WeakSet

from evref.cli.main import main

_closing: WeakSet[socket.socket] = WeakSet()
_recv: Any = socket.socket.recv
_shutdown: Any = socket.socket.shutdown


def _shut_down(self: socket.socket, how: int) -> None:
    _shutdown(self, how)
    _closing.add(self)


def _receive(self: socket.socket, *arguments: int) -> Any:
    if self in _closing:
        raise OSError(errno.EHOSTUNREACH, "No route to host")
    return _recv(self, *arguments)


if __name__ == "__main__":
    for name, function in (("shutdown", _shut_down), ("recv", _receive)):
        setattr(socket.socket, name, function)
    main()
