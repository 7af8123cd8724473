//! The lines of `tests/links.json`: what the list of schemes means, address by address. Only in test builds.

/// An address, and where a link with it leads; `None`: it is no link.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Line {
    pub address: String,
    pub leads: Option<String>,
}

/// Every line of the table.
pub fn lines() -> Vec<Line> {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/links.json");
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}
