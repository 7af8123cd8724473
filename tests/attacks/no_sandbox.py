"""Runs a command where the kernel refuses Landlock and mounts (seccomp), so that no sandbox can be made. Arguments: the command."""
import ctypes, errno, os, struct, sys

LOAD, EQUAL, RETURN, ALLOW, ERRNO = 0x20, 0x15, 0x06, 0x7FFF0000, 0x00050000
MOUNT = {"x86_64": 165, "aarch64": 40}[os.uname().machine]
REFUSED = {444: errno.ENOSYS, MOUNT: errno.EPERM}
rules = [(LOAD, 0, 0, 0)]
for number, error in REFUSED.items():
    rules += [(EQUAL, 0, 1, number), (RETURN, 0, 0, ERRNO | error)]
rules.append((RETURN, 0, 0, ALLOW))
program = ctypes.create_string_buffer(b"".join(struct.pack("=HBBI", *rule) for rule in rules))
libc = ctypes.CDLL(None, use_errno=True)
filters = struct.pack("=HxxxxxxQ", len(rules), ctypes.addressof(program))
if libc.prctl(38, 1, 0, 0, 0) or libc.prctl(22, 2, ctypes.c_char_p(filters), 0, 0):
    sys.exit(f"no filter: {os.strerror(ctypes.get_errno())}")
os.execvp(sys.argv[1], sys.argv[1:])
