//! A client of `gstack mcp` on its standard input and output that sends arbitrary messages.

use crate::stage::Stage;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

pub struct McpClient {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    last: u64,
}

/// The result of a call.
#[derive(Debug)]
pub struct Answer {
    pub failed: bool,
    pub text: String,
}

impl McpClient {
    /// Starts a client in the stage's work folder that the person trusts: what keeps it in bounds is not the policy.
    pub fn start(stage: &Stage, args: &[&str]) -> Self {
        let args = [&["mcp", "--trusted"], args].concat();
        let mut child = stage.command(&args).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().unwrap());
        let mut client = Self { child, input, output, last: 0 };
        let hello = json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "attack", "version": "1" } });
        client.ask("initialize", &hello);
        client.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        client
    }

    pub fn tools(&mut self) -> Vec<Value> {
        self.ask("tools/list", &json!({}))["result"]["tools"].as_array().unwrap().clone()
    }

    pub fn call(&mut self, tool: &str, arguments: &Value) -> Answer {
        let answer = self.ask("tools/call", &json!({ "name": tool, "arguments": arguments }));
        let result = &answer["result"];
        let content = result["content"].as_array().cloned().unwrap_or_default();
        let words: Vec<&str> = content.iter().filter_map(|part| part["text"].as_str()).collect();
        let text = if words.is_empty() { answer["error"].to_string() } else { words.join("\n") };
        Answer { failed: !result.is_object() || result["isError"] == true, text }
    }

    fn ask(&mut self, method: &str, params: &Value) -> Value {
        self.last += 1;
        let id = self.last;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        loop {
            let mut line = String::new();
            assert!(self.output.read_line(&mut line).unwrap() > 0, "gstack mcp ended");
            let message: Value = serde_json::from_str(&line).unwrap();
            if message["id"] == id {
                return message;
            }
        }
    }

    fn send(&mut self, message: &Value) {
        writeln!(self.input.as_mut().unwrap(), "{message}").unwrap();
    }
}

impl Drop for McpClient {
    fn drop(&mut self) {
        // It ends when its input closes.
        self.input = None;
        self.child.wait().unwrap();
    }
}
