//! The basis of every layer: paths, atomic file writes, processes, the clock.
//!
//! Never knows about chats, agents or how a browser is driven.

pub(crate) mod answer;
pub(crate) mod append;
pub(crate) mod atomic;
pub(crate) mod browsers;
pub(crate) mod clock;
pub(crate) mod counted;
pub(crate) mod file_name;
pub(crate) mod filled_secrets;
pub(crate) mod fingerprint;
pub(crate) mod glob;
pub mod home;
pub(crate) mod host;
pub(crate) mod inbox;
pub(crate) mod lineage;
pub(crate) mod lock;
pub(crate) mod log_filter;
pub(crate) mod lookalike;
pub(crate) mod loopback;
pub(crate) mod metadata;
pub(crate) mod mutex;
pub(crate) mod nameless;
pub(crate) mod own_page;
pub(crate) mod peer;
pub(crate) mod person_program;
pub(crate) mod pinned;
pub(crate) mod private_folder;
pub(crate) mod process;
pub mod program;
pub(crate) mod proof;
pub(crate) mod reserve;
pub mod say;
pub(crate) mod shorten;
pub mod site;
pub(crate) mod site_list;
pub(crate) mod state;
pub(crate) mod trouble;
pub(crate) mod upgrade;
pub(crate) mod visible;
pub(crate) mod well_formed;
pub(crate) mod whole_file;
