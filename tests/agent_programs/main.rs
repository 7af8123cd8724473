//! The agents' real programs against fake APIs on loopback: an isolated HOME, dummy keys, no other network.
//!
//! What is shown of each program, and where (e2e: tests/e2e/claude.test.mjs, in the panel of a real browser):
//!
//! | | Claude Code | Codex | Gemini CLI | claude-agent-acp |
//! |---|---|---|---|---|
//! | several turns over one process | claude | codex | acp | acp |
//! | a tool that really clicks | e2e | e2e | e2e | e2e |
//! | allowed, denied, withdrawn | claude, e2e | codex, e2e | acp, e2e | acp, e2e |
//! | interrupt in mid-stream | claude | codex | acp | acp |
//! | interrupt in mid-tool | every | codex, every | every | every |
//! | resumed by a new process | claude | codex | acp (or again, with what was said) | acp |
//! | goes on after the daemon's restart | e2e | e2e | e2e | e2e |
//! | wrong key | claude | codex | acp | acp |
//! | API down, rate limit | every | codex, every | every (it tries again without a word) | every |
//! | killed | claude | codex | acp | acp |
//!
//! Skipped, with a line that says so, where a program or `node` is not installed; tests/run.sh installs them.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that can't go on fails where it stands")]

mod acp;
mod bench;
mod claude;
mod codex;
mod every;
mod rude;
