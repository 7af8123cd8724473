//! State of a tab rather than of its page: cookies, emulation, memory, service workers, titles, tabs opened for one command.

mod client_hints;
mod cookies;
mod emulation;
mod memory;
mod service_workers;
mod surroundings;
mod temporary;
mod titles;

pub(crate) use cookies::{Cookie, PartitionKey};
pub(crate) use memory::MemoryReport;
pub(crate) use service_workers::{ServiceWorker, Stopped};
pub(crate) use surroundings::{Locality, Screen};
pub(crate) use temporary::TemporaryTab;
pub(crate) use titles::titles;
