//! The basis of every layer: paths, atomic file writes, processes, the clock.
//!
//! Never knows about chats, agents or how a browser is driven.

#![deny(clippy::print_stdout, clippy::print_stderr)]
#![warn(unreachable_pub)]

#[cfg(test)]
extern crate self as gstack_base;

pub mod answer;
pub mod answers;
pub mod append;
pub mod atomic;
pub mod bindings;
mod browser_files;
pub mod browser_names;
pub mod browsers;
pub mod clock;
pub mod counted;
pub mod descendants;
pub mod file_name;
pub mod filled_secrets;
pub mod fingerprint;
pub mod glob;
pub mod hex;
pub mod home;
pub mod host;
pub mod html;
pub mod inbox;
pub mod instances;
pub mod lineage;
pub mod lock;
pub mod log_filter;
pub mod lookalike;
pub mod loopback;
pub mod memory;
pub mod metadata;
pub mod mutex;
pub mod nameless;
pub mod own_page;
pub mod peer;
pub mod person_program;
pub mod pinned;
pub mod plain_name;
pub mod private_folder;
pub mod process;
pub mod profiles;
pub mod program;
pub mod project_file;
pub mod proof;
pub mod reserve;
pub mod say;
pub mod secret_program;
pub mod served_page;
pub mod shorten;
pub mod site;
pub mod site_limits;
pub mod site_list;
pub mod state;
pub mod trouble;
pub mod upgrade;
pub mod visible;
pub mod well_formed;
pub mod whole_file;
