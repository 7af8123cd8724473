"""A client of the daemon, written from docs/PROTOCOL.md alone. It shares no code with gstack.

Reads the page's types and checks every message that it gets against them. Arguments: the page, panel.sock, the program that
the person runs to confirm it.
"""

import base64
import hashlib
import json
import re
import socket
import struct
import subprocess
import sys

PAGE = open(sys.argv[1], encoding="utf-8").read()
LARGEST_FRAME = 900 * 1024


# The types of the page.

def read_types(page):
    """Each type as a list of variants: a set of fields with their types, or a spelling."""
    types = {}
    code = page[page.index("```ts\n", page.index("### The types")) + 6:]
    code = code[:code.index("```")]
    for entry in re.split(r"\n(?=type |// )", code):
        found = re.search(r"^type (\w+) =\s*(.*)", entry, re.S | re.M)
        if found:
            types[found[1]] = found[2].strip().rstrip(";")
    return types


TYPES = read_types(PAGE)


def split(text, at):
    parts, depth, part, quoted = [], 0, "", False
    for sign in text:
        if sign == '"':
            quoted = not quoted
        elif not quoted and sign in "{[<(":
            depth += 1
        elif not quoted and sign in "}]>)":
            depth -= 1
        if sign == at and depth == 0 and not quoted:
            parts.append(part)
            part = ""
        else:
            part += sign
    return [part.strip() for part in parts + [part] if part.strip()]


def fields(text):
    """`{ a: T; b?: U }` as {name: (optional, type)}."""
    inner = re.sub(r"//[^\n]*", "", text.strip()[1:-1])
    found = {}
    for field in split(inner, ";"):
        name, kind = field.split(":", 1)
        found[name.strip().rstrip("?")] = (name.strip().endswith("?"), kind.strip())
    return found


def errors(value, kind, place):
    """What is wrong with a value of a type; an empty list if nothing is."""
    kind = re.sub(r"//[^\n]*\n", "\n", kind).strip()
    variants = split(kind, "|")
    if len(variants) > 1:
        tries = [errors(value, one, place) for one in variants]
        return [] if [] in tries else min(tries, key=len)
    kind = variants[0] if variants else kind
    parts = split(kind, "&")
    if len(parts) > 1:
        return object_errors(value, parts, place)
    if kind in TYPES:
        return errors(value, TYPES[kind], f"{place}:{kind}")
    if kind in ("string", "number", "boolean"):
        right = {"string": str, "number": (int, float), "boolean": bool}[kind]
        return [] if isinstance(value, right) else [f"{place} is no {kind}: {value!r}"]
    if kind == "null":
        return [] if value is None else [f"{place} is not null"]
    if kind == "unknown":
        return []
    if kind.startswith('"'):
        return [] if value == json.loads(kind) else [f"{place} is not {kind}: {value!r}"]
    if kind.startswith("Array<"):
        if not isinstance(value, list):
            return [f"{place} is no list"]
        return [error for n, one in enumerate(value) for error in errors(one, kind[6:-1], f"{place}[{n}]")]
    if kind.startswith("Record<"):
        return []
    if kind.startswith("["):
        return [] if isinstance(value, list) else [f"{place} is no list"]
    if kind.startswith("{ [key in"):
        return [] if isinstance(value, dict) else [f"{place} is no object"]
    if kind.startswith("{"):
        return object_errors(value, [kind], place)
    return [f"{place}: the page does not say what {kind} is"]


def object_errors(value, parts, place):
    """Errors of an object whose fields several types name together."""
    if not isinstance(value, dict):
        return [f"{place} is no object: {value!r}"]
    best = None
    for known in combinations(parts):
        found = [f"{place}.{name} is not on the page" for name in value if name not in known]
        for name, (optional, kind) in known.items():
            if name in value:
                found += errors(value[name], kind, f"{place}.{name}")
            elif not optional:
                found.append(f"{place}.{name} is missing")
        if best is None or len(found) < len(best):
            best = found
    return best


def combinations(parts):
    if not parts:
        return [{}]
    kind = TYPES.get(parts[0], parts[0])
    rest = combinations(parts[1:])
    return [{**fields(one), **other} for one in split(kind, "|") for other in rest]


def check(value, kind, place):
    found = errors(value, kind, place)
    assert not found, found


def read_methods(page):
    answers, events = {}, {}
    for row in re.findall(r"^\| `([\w.]+)` \| `(\w+)` \| (.*?) \|$", page[page.index("### By method"):], re.M):
        answers[row[0]] = row[2].strip("`")
    for row in re.findall(r"^\| `([\w.]+)` \| `(\w+)` \|$", page[page.index("| from the daemon | parameters |"):], re.M):
        events[row[0]] = row[1]
    return answers, events


ANSWERS, EVENTS = read_methods(PAGE)


# The key of P-256 that the daemon asks for.

P = 2**256 - 2**224 + 2**192 + 2**96 - 1
ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551
BASE = (0x6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296,
        0x4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5)


def add(one, other):
    if one is None or other is None:
        return one or other
    if one[0] == other[0]:
        if one[1] != other[1]:
            return None
        slope = 3 * (one[0]**2 - 1) * pow(2 * one[1], -1, P)
    else:
        slope = (other[1] - one[1]) * pow(other[0] - one[0], -1, P)
    x = (slope**2 - one[0] - other[0]) % P
    return x, (slope * (one[0] - x) - one[1]) % P


def times(number, point):
    product = None
    while number:
        if number & 1:
            product = add(product, point)
        point, number = add(point, point), number >> 1
    return product


def both(one, other):
    return one.to_bytes(32, "big") + other.to_bytes(32, "big")


def proof(secret, welcome):
    """The parameters of `panel.prove`."""
    key = base64.b64encode(b"\x04" + both(*times(secret, BASE))).decode()
    text = "\n".join(["gstack panel proof 1", welcome["challenge"], welcome["homeId"], key])
    digest = int.from_bytes(hashlib.sha256(text.encode()).digest(), "big")
    once = int.from_bytes(hashlib.sha256(b"once" + text.encode()).digest(), "big") % ORDER
    r = times(once, BASE)[0] % ORDER
    s = pow(once, -1, ORDER) * (digest + r * secret) % ORDER
    return {"publicKey": key, "signature": base64.b64encode(both(r, s)).decode()}


# The wire.

class Fault(Exception):
    def __init__(self, fault):
        super().__init__(fault)
        self.code = fault["code"]


class Daemon:
    def __init__(self, path, say_hello=True):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(120)
        self.socket.connect(path)
        self.next, self.events, self.text, self.done = 0, {}, {}, False
        self.gapped, self.gaps, self.acknowledges = False, 0, True
        self.write({"origin": "chrome-extension://hmjooioflnjmgaipmokechimoabfkeji/", "pid": 1, "version": "0.0.0"})
        if say_hello:
            self.welcome = self.ask("hello", {"protocol": 2, "version": "0.0.0", "instanceId": "a-python-client"})

    def prove(self):
        """Proves this client's key, which the person confirms the first time."""
        answer = self.ask("panel.prove", proof(0x5eed, self.welcome))
        if not answer["confirmed"]:
            assert self.refused("settings.get", {}) == "panel-unconfirmed"
            self.ask("ping", {})
            subprocess.run([sys.argv[3], "panels", "confirm", answer["code"]], check=True, stdout=subprocess.DEVNULL)
            while not answer["confirmed"]:
                message = self.read()
                assert message["method"] == "panel.confirmation", message
                check(message["params"], EVENTS["panel.confirmation"], "panel.confirmation")
                answer = message["params"]
        return self

    def write(self, message):
        body = json.dumps(message).encode()
        self.socket.sendall(struct.pack("=I", len(body)) + body)

    def exactly(self, count):
        data = b""
        while len(data) < count:
            part = self.socket.recv(count - len(data))
            assert part, "the daemon closed the connection"
            data += part
        return data

    def read(self):
        length = struct.unpack("=I", self.exactly(4))[0]
        assert 0 < length <= LARGEST_FRAME, length
        return json.loads(self.exactly(length))

    def tell(self, method, params):
        self.write({"jsonrpc": "2.0", "client": "p1", "method": method, "params": params})

    def ask(self, method, params):
        self.next += 1
        number = self.next
        self.write({"jsonrpc": "2.0", "client": "p1", "id": number, "method": method, "params": params})
        while True:
            message = self.read()
            if "method" in message:
                self.take(message)
                continue
            assert message["id"] == number and message["client"] == "p1", message
            if "error" in message:
                check(message["error"], "Fault", method)
                raise Fault(message["error"])
            check(message["result"], ANSWERS[method], method)
            return message["result"]

    def refused(self, method, params):
        try:
            answer = self.ask(method, params)
        except Fault as fault:
            return fault.code
        raise AssertionError(f"{method} was served: {answer}")

    def take(self, message):
        """A push, applied as the page says."""
        method, params = message["method"], message["params"]
        check(params, EVENTS[method], method)
        if method == "chat.event":
            self.apply(params["event"])
        elif method == "chat.delta":
            held = self.text.get(params["seq"], "").encode("utf-16-le")
            offset = params["offset"]
            assert offset * 2 <= len(held), "text is missing"
            behind = held[offset * 2:]
            new = params["text"].encode("utf-16-le")
            if len(new) > len(behind):
                self.text[params["seq"]] = (held[:offset * 2] + new).decode("utf-16-le")
            seq = params["seq"]
            self.acknowledge(params, seq, len(self.text[seq].encode("utf-16-le")) // 2)
        elif method == "chat.gap":
            self.gapped = True
            self.gaps += 1
        elif method == "echo":
            self.tell("echoed", params)
        if method == "chat.event":
            self.acknowledge(params, params["event"]["seq"])

    def acknowledge(self, push, seq, offset=None):
        if self.acknowledges:
            self.tell("chat.ack", {"conversationId": push["conversationId"], "seq": seq,
                                   **({} if offset is None else {"offset": offset})})

    def follow(self, of, until):
        """Reads pushes until something holds. After a gap it subscribes again: nothing else would come."""
        while not until():
            if not self.gapped:
                self.take(self.read())
                continue
            self.gapped = False
            known = max(self.events, default=0)
            page = self.ask("chat.subscribe", {**of, "after": known})
            while page["events"]:
                for event in page["events"]:
                    self.apply(event)
                first = page["events"][0]["seq"]
                if first == known + 1:
                    break
                page = self.ask("chat.history", {**of, "before": first, "limit": min(500, first - known - 1)})

    def apply(self, event):
        check(event, "ChatEvent", "event")
        self.events[event["seq"]] = event
        if event["type"] in ("text", "thinking"):
            self.text[event["seq"]] = event["text"]
        self.done = self.done or event["type"] == "turn-done"

    def said(self):
        return "".join(self.text[seq] for seq, event in sorted(self.events.items()) if event["type"] == "text")


def open_tab(daemon):
    tab = {"chromeTabId": 1, "windowId": 1, "url": "https://a.example/", "title": "A", "active": True}
    daemon.tell("tabs.changed", {"full": True, "tabs": [tab], "removed": []})
    daemon.tell("panel.opened", {"windowId": 1})
    return daemon.ask("chat.open", {"chromeTabId": 1})["conversationId"]


def main(path):
    strange = Daemon(path, say_hello=False)
    assert strange.refused("settings.get", {}) == "protocol-mismatch", "before hello"
    hello = {"protocol": 99, "version": "9", "instanceId": "another"}
    assert strange.refused("hello", hello) == "protocol-mismatch"
    assert strange.refused("settings.get", {}) == "protocol-mismatch", "after a refused hello"

    daemon = Daemon(path).prove()
    assert daemon.refused("panel.prove", proof(0x5eed, daemon.welcome)) == "conflict", "once a connection"
    assert daemon.welcome["protocol"] == 2 and daemon.welcome["extensionVersion"]
    identifier = open_tab(daemon)
    of = {"conversationId": identifier}
    subscribed = daemon.ask("chat.subscribe", {**of, "after": 0})
    assert subscribed["head"] == 0 and not subscribed["events"] and not subscribed["older"]
    message = {**of, "clientId": "one", "text": "please [[say 50]] \U0001F600"}
    sent = daemon.ask("chat.send", message)
    assert sent["position"] == 0, sent
    daemon.follow(of, lambda: daemon.done)
    assert daemon.ask("chat.send", message)["seq"] == sent["seq"], "the same message is known"
    assert daemon.events[sent["seq"]]["text"] == message["text"]
    assert "word 49" in daemon.said(), daemon.said()
    assert sorted(daemon.events) == list(range(1, max(daemon.events) + 1)), "no number is missing"

    # What another connection reads is what this one was pushed.
    other = Daemon(path).prove()
    subscribed = other.ask("chat.subscribe", {**of, "after": 0})
    for event in subscribed["events"]:
        other.apply(event)
    assert subscribed["head"] == max(daemon.events) and other.said() == daemon.said()
    page = other.ask("chat.history", {**of, "before": subscribed["head"], "limit": 2})
    assert [event["seq"] for event in page["events"]] == [subscribed["head"] - 2, subscribed["head"] - 1] and page["older"]

    # Limits, as the page names them.
    longest = int(re.search(r"^\| The text of a message, as JSON \| ([\d,]+)", PAGE, re.M)[1].replace(",", ""))
    too_long = {**of, "clientId": "two", "text": "x" * (longest - 1)}
    assert other.refused("chat.send", too_long) == "too-large"
    # It is longer than what the daemon keeps for a panel that acknowledges nothing, so what follows it is a gap.
    long = {**of, "clientId": "three", "text": "please [[say 1]] ".ljust(longest - 2, "x")}
    other.acknowledges = False
    assert other.ask("chat.send", long)["seq"] > subscribed["head"]
    other.follow(of, lambda: any(event["type"] == "turn-done" and seq > subscribed["head"]
                                 for seq, event in other.events.items()))
    assert other.gaps > 0 and sorted(other.events) == list(range(1, max(other.events) + 1)), "a gap is read again"
    other.acknowledges = True

    for method in ("ping", "hops", "settings.get", "policy.list", "conversations.list"):
        other.ask(method, {})
    other.ask("agents.list", {"refresh": False})
    other.ask("activity.subscribe", {"after": 0})
    assert other.ask("conversations.rename", {**of, "title": "Named"})["title"] == "Named"
    file = other.ask("conversations.export", {**of, "format": "json"})
    data = b""
    while len(data) < file["bytes"]:
        part = other.ask("file.read", {**of, "id": file["id"], "offset": len(data)})
        data += base64.b64decode(part["data"])
    assert [event["seq"] for event in json.loads(data)["events"]] == list(range(1, len(json.loads(data)["events"]) + 1))
    other.ask("conversations.delete", of)
    assert other.refused("chat.send", {**of, "clientId": "four", "text": "a"}) == "not-found"
    assert other.ask("conversations.restore", of)["title"] == "Named"
    print(f"{len(TYPES)} types, {len(ANSWERS)} methods, {max(other.events)} events")


main(sys.argv[2])
