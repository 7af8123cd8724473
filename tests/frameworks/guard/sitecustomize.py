"""Loaded by Python at its start, from PYTHONPATH: connects to this machine only.

Whatever the program under test tries beyond is refused before anything is sent, and written into the file
$GUARD_REPORT. An audit hook sees every socket of the interpreter and can't be removed.
"""

import ipaddress
import os
import sys


def report(line):
    with open(os.environ["GUARD_REPORT"], "a", encoding="utf-8") as file:
        file.write(f"{line}\n")


def is_here(host):
    if isinstance(host, bytes):
        host = host.decode("ascii", "replace")
    if host in (None, "", "localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def watch(event, arguments):
    if event in ("socket.connect", "socket.sendto", "socket.sendmsg"):
        address = arguments[1]
        # The address of a unix socket is a path; that of a connected socket's message is None.
        host = address[0] if isinstance(address, tuple) else None
    elif event in ("socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr"):
        host = arguments[0]
    else:
        return
    if not is_here(host):
        report(f"tried {host}")
        raise ConnectionRefusedError(f"{host} is not on this machine")


sys.addaudithook(watch)
report("guarded")
