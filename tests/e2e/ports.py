"""Ports for the tests."""

import socket


def free_port():
    """A TCP port on loopback that nobody has now; another process may take it before it is used."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
