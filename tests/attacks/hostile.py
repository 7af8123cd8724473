"""What a hostile process of the user's own tries on gstack's sockets and its port. Each function is one attack; it prints the
statuses that it got, one a line: an HTTP status, `welcome` where a panel was greeted, `refused` where nothing came back."""
import array, hmac, json, os, signal, socket, struct, subprocess, sys, time

HOME = os.environ["TARGET"]
RULE = json.dumps({"effect": "allow", "scope": "act", "site": "bank.example"})
ORIGIN = "chrome-extension://hmjooioflnjmgaipmokechimoabfkeji/"
LIMIT = 30


def unix(name):
    sock = socket.socket(socket.AF_UNIX)
    sock.settimeout(LIMIT)
    sock.connect(os.path.join(HOME, name))
    return sock


def request(method, path, body=b"", headers=(), host="localhost"):
    lines = [f"{method} {path} HTTP/1.1", f"Host: {host}", "Content-Type: application/json", f"Content-Length: {len(body)}", *headers]
    return ("\r\n".join(lines) + "\r\n\r\n").encode() + body


def ask(sock, wanted):
    """Sends, and reads the status line."""
    try:
        sock.sendall(wanted)
        line = b""
        while not line.endswith(b"\n"):
            got = sock.recv(1)
            if not got:
                return "refused"
            line += got
        return line.split()[1].decode()
    except OSError:
        return "refused"


def policy(sock):
    return ask(sock, request("POST", "/policy/add", RULE.encode()))


def frame(message):
    body = json.dumps(message).encode()
    return struct.pack("=I", len(body)) + body


def panel(sock):
    try:
        sock.sendall(frame({"origin": ORIGIN, "pid": os.getpid(), "version": "0.1.0"}))
        hello = {"protocol": 1, "version": "0.1.0", "instanceId": "11111111-1111-4111-8111-111111111111", "relay": True}
        sock.sendall(frame({"jsonrpc": "2.0", "id": 1, "method": "hello", "params": hello}))
        return "welcome" if sock.recv(4) else "refused"
    except OSError:
        return "refused"


TARGETS = {"http.sock": policy, "panel.sock": panel}


def state():
    with open(os.path.join(HOME, "browse.json")) as file:
        return json.load(file)


def with_token():
    return [f"Authorization: Bearer {state()['token']}"]


def pass_on(over, sock):
    over.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [sock.fileno()]))])


def taken(over):
    _, ancillary, _, _ = over.recvmsg(1, socket.CMSG_LEN(4))
    (number,) = array.array("i", ancillary[0][2])
    sock = socket.socket(fileno=number)
    sock.settimeout(LIMIT)
    return sock


def child_connects(name, reap, grandchild):
    """A child connects and ends; its parent goes on with what it inherits by a message."""
    ours, theirs = socket.socketpair()
    child = os.fork()
    if child == 0:
        if grandchild and os.fork():
            os._exit(0)
        pass_on(theirs, unix(name))
        os._exit(0)
    theirs.close()
    sock = taken(ours)
    if reap:
        os.waitpid(child, 0)
    if grandchild or reap:
        # Ends are seen one after another: the connection's own end of this pair closes with the process.
        while ours.recv(1):
            pass
    said = TARGETS[name](sock)
    if not reap:
        os.waitpid(child, 0)
    return said


def auth(where="http.sock", host="localhost", *headers):
    """Asks for the saved sign-ins, and to unlock, save, remove and lock."""
    save = {"name": "planted", "origin": "https://evil.example", "user": "eve", "password": {"saved": "a planted password"}}
    for method, path, body in [
        ("GET", "/auth", None),
        ("POST", "/auth/unlock", {"passphrase": "a guessed passphrase"}),
        ("POST", "/auth/save", save),
        ("POST", "/auth/save", {**save, "name": "ada@shop", "replace": True}),
        ("POST", "/auth/remove", {"name": "ada@shop"}),
        ("POST", "/auth/lock", {}),
    ]:
        sock, own = (unix(where), []) if where.endswith(".sock") else (on_port(where), with_token())
        sent = b"" if body is None else json.dumps(body).encode()
        print(ask(sock, request(method, path, sent, [*own, *headers], host)))


def fork_connect_exit(name, times, reap="1", grandchild="0"):
    for _ in range(int(times)):
        print(child_connects(name, reap == "1", grandchild == "1"))


def plain(name):
    print(TARGETS[name](unix(name)))


def parked_panel(greet):
    """The host connects (and says hello), leaves its connection to another process and ends; that one asks for a rule."""
    ours, theirs = socket.socketpair()
    if os.fork() == 0:
        sock = unix("panel.sock")
        if greet == "1":
            panel(sock)
        pass_on(theirs, sock)
        os._exit(0)
    theirs.close()
    sock = taken(ours)
    os.wait()
    if greet == "0":
        return print(panel(sock))
    try:
        sock.sendall(frame({"jsonrpc": "2.0", "id": 2, "method": "policy.add", "params": json.loads(RULE)}))
        said = b""
        while got := sock.recv(65536):
            said += got
        print("served" if b'"id":2' in said else "refused")
    except OSError:
        print("refused")


def daemonised(name):
    """A new session, its parents gone, its environment clean."""
    read, write = os.pipe()
    if os.fork() == 0:
        os.setsid()
        if os.fork():
            os._exit(0)
        os.close(read)
        os.set_inheritable(write, True)
        environment = {"TARGET": HOME, "PATH": os.environ["PATH"]}
        os.dup2(write, 1)
        os.execvpe(sys.executable, [sys.executable, os.path.abspath(sys.argv[0]), "plain", name], environment)
    os.close(write)
    os.wait()
    with os.fdopen(read) as said:
        print(said.read(), end="")


def in_pid_namespace(name):
    own = [sys.executable, os.path.abspath(sys.argv[0]), "plain", name]
    for flags in (["-pf"], ["-Urpf"]):
        tried = subprocess.run(["unshare", *flags, *own], capture_output=True, text=True)
        if tried.returncode == 0:
            print(tried.stdout, end="")
            return
    print("unavailable")


def on_port(address="127.0.0.1", source=""):
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    sock = socket.socket(family)
    sock.settimeout(LIMIT)
    if source:
        sock.bind((source, 0))
    sock.connect((address, state()["port"]))
    return sock


def status(address="127.0.0.1", source=""):
    print(ask(on_port(address, source), request("GET", "/status", headers=with_token())))


def command(*words):
    body = json.dumps({"command": words[0], "args": list(words[1:])}).encode()
    print(ask(on_port(), request("POST", "/command", body, with_token())))


def parked(keep="0"):
    """No process holds the socket while it is looked for: it lies in a message queue."""
    # The daemon is held meanwhile, so that it looks when the socket lies in the queue and not before.
    daemon = state()["pid"]
    os.kill(daemon, signal.SIGSTOP)
    try:
        left, right = in_a_queue(keep)
    finally:
        os.kill(daemon, signal.SIGCONT)
    # The answer comes while nobody reads; its first bytes show up in the queue's socket later.
    time.sleep(1)
    print(ask(taken(right), b""))


def in_a_queue(keep):
    """A request is sent and its socket put into a queue, which lies in another queue if `keep` is 1."""
    sock = on_port()
    sock.sendall(request("GET", "/status", headers=with_token()))
    left, right = socket.socketpair()
    pass_on(left, sock)
    sock.close()
    if keep == "1":
        # The queue's own ends lie in another queue.
        outer, inner = socket.socketpair()
        pass_on(outer, left)
        pass_on(outer, right)
        left.close()
        right.close()
        left, right = taken(inner), taken(inner)
    return left, right


def hidden():
    """A process whose open files can't be listed."""
    import ctypes
    ctypes.CDLL(None).prctl(4, 0, 0, 0, 0)
    os.setgid(os.getgid())
    status()


def half_open(count):
    """Holds so many half-open connections until its input ends; says how many of the first hundred were still open then."""
    socks = []
    for _ in range(int(count)):
        sock = on_port()
        sock.sendall(b"GET /health HTTP/1.1\r\nHost: loc")
        socks.append(sock)
    print("ready", flush=True)
    sys.stdin.readline()
    open_still = 0
    for sock in socks[50:128]:
        sock.setblocking(False)
        try:
            open_still += 1 if sock.recv(1) else 0
        except BlockingIOError:
            open_still += 1
        except OSError:
            pass
    print(open_still)


def keeper(purpose, proof):
    """Speaks to the browser's keeper without knowing its secret; says how each connection ended."""
    sock = unix("browser.sock")
    try:
        challenge = sock.recv(4096)
        if purpose == "plain":
            sock.sendall(proof.encode() + b"\0")
        else:
            nonce = json.loads(challenge.rstrip(b"\0")).get("nonce", "") if challenge else ""
            answer = {"keeper": "prove", "purpose": purpose, "nonce": nonce, "proof": proof or nonce * 2}
            sock.sendall(json.dumps(answer).encode() + b"\0")
        said = b""
        while got := sock.recv(4096):
            said += got
        print("served" if b"hello" in said else "refused")
    except OSError:
        print("refused")


def proof_of(purpose, challenge, nonce):
    with open(os.path.join(HOME, "keeper.key")) as file:
        key = file.read().strip()
    code = hmac.new(key.encode(), "\n".join([f"gstack client {purpose}", challenge, nonce]).encode(), "sha256")
    return code.hexdigest()


def challenge_of(sock):
    return json.loads(sock.recv(4096).rstrip(b"\0")).get("nonce", "")


def prove(sock, purpose, proof, nonce="n"):
    sock.sendall(json.dumps({"keeper": "prove", "purpose": purpose, "nonce": nonce, "proof": proof}).encode() + b"\0")
    said = b""
    while not said.endswith(b"\0"):
        got = sock.recv(4096)
        if not got:
            break
        said += got
    return json.loads(said.rstrip(b"\0") or b"{}").get("keeper", "closed")


def keeper_knowing(how):
    """Knows the secret, as a copy of it got out; says what the keeper answers."""
    try:
        sock = unix("browser.sock")
        if how == "replayed":
            old = proof_of("attach", challenge_of(unix("browser.sock")), "n")
            challenge_of(sock)
            print(prove(sock, "attach", old))
        elif how == "for-another-purpose":
            print(prove(sock, "stop", proof_of("attach", challenge_of(sock), "n")))
        elif how == "reflected":
            # The keeper's own proof is over the same nonces.
            challenge = challenge_of(sock)
            print(prove(sock, "attach", proof_of("attach", challenge, challenge), nonce=""))
        elif how == "parked":
            ours, theirs = socket.socketpair()
            if os.fork() == 0:
                pass_on(theirs, unix("browser.sock"))
                os._exit(0)
            theirs.close()
            sock = taken(ours)
            os.wait()
            print(prove(sock, "attach", proof_of("attach", challenge_of(sock), "n")))
        else:
            print(prove(sock, "attach", proof_of("attach", challenge_of(sock), "n")))
    except OSError:
        print("closed")


def keeper_flood(count):
    """Silent connections and one endless message; they stay until its input ends."""
    socks = [unix("browser.sock") for _ in range(int(count))]
    try:
        for _ in range(1000):
            socks[-1].sendall(b"x" * 65536)
    except OSError:
        pass
    print("ready", flush=True)
    sys.stdin.readline()


def shell(*words):
    """A command in this process's place in the tree: its exit code, then what it says."""
    done = subprocess.run(words, capture_output=True, text=True)
    print(done.returncode)
    print(done.stdout + done.stderr)


def twice(header, value):
    sock = on_port()
    print(ask(sock, request("GET", "/status", headers=[*with_token(), f"{header}: {value}", f"{header}: {value}"])))


globals()[sys.argv[1]](*sys.argv[2:])
