//! State of a tab rather than of its page: cookies, emulation, memory, service workers, titles, tabs opened for one command.

mod client_hints;
mod cookies;
mod emulation;
mod memory;
mod service_workers;
mod surroundings;
mod temporary;
mod titles;

pub use cookies::{Cookie, PartitionKey};
pub use memory::MemoryReport;
pub use service_workers::{ServiceWorker, Stopped};
pub use surroundings::{Locality, Screen};
pub use temporary::TemporaryTab;
pub use titles::titles;
