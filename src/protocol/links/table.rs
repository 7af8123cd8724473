//! The lines of `tests/links.json`: the expected result for each address. Only in test builds.

/// An address and its link's destination; `None` if it is not a link.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Line {
    pub address: String,
    pub leads: Option<String>,
}

/// Reads every line of the table.
#[allow(clippy::unwrap_used, reason = "a test ends where its table is broken")]
pub fn lines() -> Vec<Line> {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join("tests/links.json");
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}
