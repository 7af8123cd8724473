//! The basis of every layer: paths, atomic file writes, processes, the clock.
//!
//! Never knows about chats, agents or how a browser is driven.

pub mod append;
pub mod atomic;
pub mod browsers;
pub mod clock;
pub mod counted;
pub mod file_name;
pub mod fingerprint;
pub mod glob;
pub mod home;
pub mod inbox;
pub mod lineage;
pub mod lock;
pub mod lookalike;
pub mod loopback;
pub mod metadata;
pub mod mutex;
pub mod nameless;
pub mod own_page;
pub mod peer;
pub mod pinned;
pub mod private_folder;
pub mod process;
pub mod program;
pub mod proof;
pub mod reserve;
pub mod say;
pub mod site;
pub mod site_list;
pub mod state;
pub mod trouble;
pub mod upgrade;
pub mod visible;
pub mod well_formed;
pub mod whole_file;
