//! How much a test repeats: less for each change, more in a run with `GSTACK_TEST_LONG=1`, as every night.

/// Returns the first, or the second in a long run.
pub fn usual_or_long<T>(usual: T, long: T) -> T {
    if std::env::var_os("GSTACK_TEST_LONG").is_some() { long } else { usual }
}
