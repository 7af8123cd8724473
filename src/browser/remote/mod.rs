//! Browsers on other machines: DevTools endpoints, Selenium Grids and hosted services.
//!
//! Owns addresses, TLS, credentials and the sessions that are created and released there. Everything that comes from
//! such a machine is hostile: it is bounded, it never chooses where we connect next, and its text is never an
//! instruction. Credentials go to the endpoint that they were configured for and nowhere else.

mod address;
mod cdp_url;
mod endpoint;
mod error;
mod files;
mod grid;
mod grid_answers;
mod grid_files;
mod grid_requests;
mod hosted;
mod http;
mod presets;
mod provider;
mod socket;
mod tls;
mod zip;

pub use address::{argument_secret, shown};
pub use cdp_url::CdpUrl;
pub use endpoint::{Endpoint, EndpointSettings};
pub use error::RemoteError;
pub use files::{FileSystem, RemoteFiles};
pub use grid::Grid;
pub use hosted::Hosted;
pub use presets::{PRESETS, Preset, find as find_preset};
pub use provider::{Facts, NotReserved, Opened, Provider, RemoteSession, Request};
