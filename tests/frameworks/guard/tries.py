"""Tries to leave this machine in each way that the guard has to refuse. 192.0.2.1 is nobody's address (RFC 5737)."""

import json
import socket
import sys
import urllib.request


def refuses(work):
    try:
        work()
        return "let through"
    except OSError as error:
        cause = getattr(error, "reason", error)
        return "refused" if isinstance(cause, ConnectionRefusedError) else repr(error)


for _ in sys.stdin:
    with socket.socket() as stream, socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as datagrams:
        value = [
            refuses(lambda: urllib.request.urlopen("http://example.invalid/")),
            refuses(lambda: stream.connect(("192.0.2.1", 9))),
            refuses(lambda: datagrams.sendto(b"x", ("192.0.2.1", 9))),
        ]
    print("answer", json.dumps({"value": value}), flush=True)
