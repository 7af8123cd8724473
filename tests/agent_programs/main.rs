//! The agents' real programs against fake APIs on loopback: an isolated HOME, dummy keys, no other network.
//!
//! The coverage of each program and its test file (e2e: tests/e2e/claude.test.mjs, in the panel of a real browser):
//!
//! | | Claude Code | Codex | Gemini CLI | claude-agent-acp |
//! |---|---|---|---|---|
//! | several turns over one process | claude | codex | acp | acp |
//! | a tool that really clicks | e2e | e2e | e2e | e2e |
//! | allowed, denied, withdrawn | claude, e2e | codex, e2e | acp, e2e | acp, e2e |
//! | interrupt in mid-stream | claude | codex | acp | acp |
//! | interrupt in mid-tool | every | codex, every | every | every |
//! | resumed by a new process | claude | codex | acp (or again, with what was said) | acp |
//! | continues after the daemon restarts | e2e | e2e | e2e | e2e |
//! | wrong key | claude | codex | acp | acp |
//! | API down, rate limit | every | codex, every | every (it retries silently) | every |
//! | killed | claude | codex | acp | acp |
//!
//! If a program or `node` is not installed, its tests are skipped with a message; tests/run.sh installs them.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that can't go on fails where it stands")]

mod acp;
mod bench;
mod claude;
mod codex;
mod every;
mod rude;
