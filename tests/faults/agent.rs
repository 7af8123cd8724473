//! The agent that gstack gets: it speaks like Claude Code and obeys the message's `[[…]]` instruction.

use serde_json::{Value, json};
use std::io::{BufRead, Write};
use std::time::Duration;

/// If set, this process is the agent.
pub const VARIABLE: &str = "GSTACK_FAULT_AGENT";

fn write(line: &Value) {
    let mut out = std::io::stdout().lock();
    // The reader may be killed at any time; then the agent ends too.
    if writeln!(out, "{line}").and_then(|()| out.flush()).is_err() {
        std::process::exit(0);
    }
}

pub fn play() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let has = |flag: &str| arguments.iter().any(|argument| argument == flag);
    if has("--version") {
        return println!("2.1.329 (Claude Code)");
    }
    if has("--help") {
        return println!("  --tools\n  --setting-sources\n  --strict-mcp-config\n  --settings\n  --restricted");
    }
    if arguments.first().is_some_and(|first| first == "auth") {
        return println!("{}", json!({ "loggedIn": true }));
    }
    let value = |flag: &str| arguments.iter().find_map(|a| a.strip_prefix(&format!("{flag}=")).map(str::to_owned));
    let session = value("--resume").or_else(|| value("--session-id")).unwrap_or_else(|| "s".to_owned());
    let mut agent = Player { session, deaf: false };
    for line in std::io::stdin().lock().lines() {
        let Ok(line) = line else { break };
        let line: Value = serde_json::from_str(&line).unwrap();
        agent.take(&line);
    }
    if agent.deaf {
        loop {
            std::thread::sleep(Duration::from_secs(1));
        }
    }
}

struct Player {
    session: String,
    deaf: bool,
}

impl Player {
    fn take(&mut self, line: &Value) {
        match line["type"].as_str() {
            Some("control_request") => {
                let request = &line["request"]["subtype"];
                if self.deaf && request == "interrupt" {
                    return;
                }
                let response = if request == "initialize" { json!({ "account": {} }) } else { json!({}) };
                write(&json!({ "type": "control_response", "response": {
                    "subtype": "success", "request_id": line["request_id"], "response": response } }));
                if request == "interrupt" {
                    self.end(json!({ "subtype": "error_during_execution", "is_error": true, "terminal_reason": "aborted_streaming" }));
                }
            }
            Some("user") => {
                let content = &line["message"]["content"];
                let text = content.as_str().map_or_else(|| content.to_string(), str::to_owned);
                self.turn(&text);
            }
            _ => {}
        }
    }

    fn turn(&mut self, text: &str) {
        write(&json!({ "type": "system", "subtype": "init", "session_id": self.session, "model": "stand-in",
            "apiKeySource": "none", "mcp_servers": [{ "name": "gstack", "status": "connected" }], "tools": [] }));
        let order =
            text.rsplit_once("[[").and_then(|(_, rest)| rest.split_once("]]")).map_or("say 1", |(order, _)| order);
        let (word, count) = order.split_once(' ').unwrap_or((order, "1"));
        let count: usize = count.parse().unwrap_or(1);
        match word {
            "say" => {
                self.say(count);
                self.end(json!({}));
            }
            // Streams the same in pieces of 2 kB.
            "tell" => {
                self.begin();
                for n in 0..count {
                    self.delta(&format!("{n:<2000}"));
                }
                self.finish();
                self.end(json!({}));
            }
            "slow" => {
                self.begin();
                for n in 0..count {
                    self.delta(&format!("{n} "));
                    std::thread::sleep(Duration::from_millis(10));
                }
                self.finish();
                self.end(json!({}));
            }
            // Leaves a file in its working folder.
            "write" => {
                std::fs::write("of-the-agent", "").unwrap();
                self.end(json!({}));
            }
            // Sends one text and waits until a stop, a kill or the watchdog ends it.
            "hang" => self.say(1),
            "exit" => std::process::exit(0),
            "crash" => std::process::exit(9),
            "garbage" => {
                for _ in 0..count {
                    let mut out = std::io::stdout().lock();
                    out.write_all(b"\xff\xfe this is not JSON {{{\n\n\x00\n[]\nnull\n").ok();
                }
                self.say(1);
                self.end(json!({}));
            }
            // Sends a line of that many MB.
            "long" => {
                let mut out = std::io::stdout().lock();
                let piece = vec![b'x'; 1024 * 1024];
                for _ in 0..count {
                    if out.write_all(&piece).is_err() {
                        std::process::exit(0);
                    }
                }
                out.write_all(b"\n").ok();
                drop(out);
                self.end(json!({}));
            }
            "flood" => loop {
                self.say(200);
            },
            // Ignores an interrupt and the end of its input; its parent made it ignore TERM.
            "deaf" => {
                self.deaf = true;
                self.say(1);
            }
            other => panic!("no such order: {other}"),
        }
    }

    fn begin(&self) {
        self.stream(json!({ "type": "message_start", "message": { "id": "m", "role": "assistant", "model": "stand-in", "content": [] } }));
        self.stream(
            json!({ "type": "content_block_start", "index": 0, "content_block": { "type": "text", "text": "" } }),
        );
    }

    fn delta(&self, text: &str) {
        self.stream(
            json!({ "type": "content_block_delta", "index": 0, "delta": { "type": "text_delta", "text": text } }),
        );
    }

    fn finish(&self) {
        self.stream(json!({ "type": "content_block_stop", "index": 0 }));
        self.stream(json!({ "type": "message_stop" }));
    }

    fn say(&self, count: usize) {
        self.begin();
        for n in 0..count {
            self.delta(&format!("word {n}, "));
        }
        self.finish();
    }

    fn stream(&self, event: Value) {
        write(
            &json!({ "type": "stream_event", "event": event, "session_id": self.session, "parent_tool_use_id": null }),
        );
    }

    fn end(&self, more: Value) {
        let mut line = json!({ "type": "result", "subtype": "success", "is_error": false, "result": "done",
            "session_id": self.session, "total_cost_usd": 0.01, "terminal_reason": "completed" });
        line.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        write(&line);
    }
}
