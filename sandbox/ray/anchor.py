"""Holds namespaces open, and hands out sockets made in them; a program, run by its path.

Its standard input is a socket to whoever started it, its lead. It first tells its own number as the
machine counts; each byte that comes is answered with a fresh TCP socket; when the lead is gone it
ends, and as the first process of a process namespace it takes all others there with it. So nothing
has to be cleaned up by somebody who may have been killed.
"""

import signal
import socket
from pathlib import Path

NUMBER_SIZE = 16


def main() -> None:
    """Serve until the lead is gone."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # as the first process it inherits orphans
    lead = socket.socket(fileno=0)
    number = Path("/proc/self/stat").read_text(encoding="ascii").split()[0]
    lead.sendall(number.rjust(NUMBER_SIZE).encode())
    while lead.recv(1):
        with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as made:
            socket.send_fds(lead, [b"s"], [made.fileno()])


if __name__ == "__main__":
    main()
