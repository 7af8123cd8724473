//! Locking a mutex whatever became of the thread that held it.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks it for a small section without an await: a panic elsewhere left no half-made state in one.
pub fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
