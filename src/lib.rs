//! gstack: a coding agent in the browser's side panel, and the same browser from the terminal.
//!
//! The program's own parts. The layers below them are crates of their own (docs/ARCHITECTURE.md).

// They panic if the write fails; `base::say` and `cli::terminal` do not.
#![deny(clippy::print_stdout, clippy::print_stderr)]
// What tests and the program use is `pub` and documented; everything else is `pub(crate)` or narrower.
#![warn(unreachable_pub, missing_docs)]

pub mod cli;
pub mod install;
pub mod keeper;
pub mod native;
mod upgrade;
