//! The HTTP face: one router, served on `http.sock` for our own clients and on 127.0.0.1 for scripts.
//!
//! Owns routes, their guard and the forms of answers. Never does a command's work: the engine does.

mod activity;
mod answer;
mod conversations;
mod guard;
mod listen;
mod routes;
mod stream;
mod welcome;

pub use guard::Access;
pub use listen::{bind_port, serve_port, serve_socket};
pub use routes::router;
