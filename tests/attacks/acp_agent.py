"""A hostile ACP agent: in a turn it does whatever the test says, over a connection to a port of 127.0.0.1.

Lines of the test: {"tool": NAME, "input": {...}} calls a tool of gstack's, {"run": COMMAND} a shell, the end of the
connection ends the turn. Each is answered by one line. A call is reported as a step, with its input, as agents do.

`never-asks` among its arguments: it has no modes. `stdio`: it uses no MCP over HTTP, and starts its MCP server itself.
"""
import json
import socket
import subprocess
import sys
import urllib.request

opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
server, session, number, started = None, {}, 0, None


def write(message):
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def exchange(body, is_request):
    """Speaks with a server that the agent started: a line for a message."""
    global started
    if started is None:
        command = [server["command"], *server["args"]]
        started = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    started.stdin.write(json.dumps(body) + "\n")
    started.stdin.flush()
    while is_request:
        answer = json.loads(started.stdout.readline())
        if answer.get("id") == body["id"]:
            return answer
    return None


def post(method, params, is_request=True):
    global session, number
    number += 1
    body = {"jsonrpc": "2.0", "method": method, "params": params, **({"id": number} if is_request else {})}
    if "command" in server:
        return exchange(body, is_request)
    headers = {header["name"]: header["value"] for header in server["headers"]}
    headers |= {"content-type": "application/json", "accept": "application/json, text/event-stream", **session}
    request = urllib.request.Request(server["url"], json.dumps(body).encode(), headers)
    with opener.open(request) as response:
        given = response.headers.get("mcp-session-id")
        if given:
            session = {"mcp-session-id": given}
        text = response.read().decode()
    lines = [text] if text.startswith("{") else [line[5:] for line in text.splitlines() if line.startswith("data:")]
    answers = [json.loads(line) for line in lines if line.strip()]
    return next((answer for answer in answers if answer.get("id") == number), None)


def report(step, update):
    write({"method": "session/update", "params": {"sessionId": "s", "update": {"toolCallId": step, **update}}})


def call(tool, given):
    name, step = "mcp__gstack__" + tool, f"call-{number}"
    report(step, {"sessionUpdate": "tool_call", "title": name, "kind": "other", "status": "in_progress", "rawInput": given})
    result = called(tool, given)
    text = {"type": "content", "content": {"type": "text", "text": result["text"]}}
    report(step, {"sessionUpdate": "tool_call_update", "status": "completed", "content": [text]})
    return result


def called(tool, given):
    answer = post("tools/call", {"name": tool, "arguments": given})
    if "error" in answer:
        return {"error": True, "text": answer["error"]["message"]}
    result = answer["result"]
    return {"error": bool(result.get("isError")), "text": "\n".join(part.get("text", "") for part in result["content"])}


def turn():
    connection = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
    with connection, connection.makefile("rw") as lines:
        for line in lines:
            wanted = json.loads(line)
            if "run" in wanted:
                done = subprocess.run(["/bin/sh", "-c", wanted["run"]], capture_output=True, text=True)
                said = {"error": done.returncode != 0, "text": done.stdout + done.stderr}
            else:
                said = call(wanted["tool"], wanted["input"])
            lines.write(json.dumps(said) + "\n")
            lines.flush()


for line in sys.stdin:
    message = json.loads(line)
    method, params = message.get("method"), message.get("params", {})
    if method == "initialize":
        abilities = {"mcpCapabilities": {"http": "stdio" not in sys.argv}}
        write({"id": message["id"], "result": {"protocolVersion": 1, "agentCapabilities": abilities}})
    elif method == "session/new":
        wanted = None if "stdio" in sys.argv else "http"
        server = next(one for one in params["mcpServers"] if one.get("type") == wanted)
        post("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}})
        post("notifications/initialized", {}, is_request=False)
        asks = {"currentModeId": "default", "availableModes": [{"id": "default", "name": "Default"}]}
        write({"id": message["id"], "result": {"sessionId": "s", "modes": None if "never-asks" in sys.argv else asks}})
    elif method == "session/prompt":
        turn()
        write({"id": message["id"], "result": {"stopReason": "end_turn"}})
    elif "id" in message and method:
        write({"id": message["id"], "error": {"code": -32601, "message": "unknown"}})
