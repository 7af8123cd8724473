//! Which events are logged.
//!
//! Owns the default and how a filter is written (`gstack=debug,warn`). Never opens a log.

use tracing_subscriber::filter::{LevelFilter, Targets};

/// Returns the events of gstack's crates, whose names all begin like that, from `info` on, and others' from `warn` on.
pub fn standard() -> Targets {
    Targets::new().with_target("gstack", LevelFilter::INFO).with_default(LevelFilter::WARN)
}

/// Returns the filter that an environment variable holds, or the default if it is not set or is not a filter.
pub fn from_variable(name: &str) -> Targets {
    std::env::var(name).ok().and_then(|filter| filter.parse().ok()).unwrap_or_else(standard)
}

#[cfg(test)]
mod tests {
    use super::standard;
    use tracing_subscriber::filter::Targets;

    #[test]
    fn the_default_is_what_people_would_write() {
        let written: Targets = "gstack=info,warn".parse().unwrap();
        assert_eq!(written, standard());
    }
}
