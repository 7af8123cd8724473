//! A command's arguments as a log or a question may hold them.
//!
//! Owns what is left out: what is typed into a page, secrets, the queries of addresses.

use super::registry;
use super::spec::Spec;
use url::Url;

/// The command line for a person who decides about it: a script must be seen to be judged, what is typed must not.
pub(super) fn shown(spec: &Spec, args: &[String]) -> String {
    const LONGEST_SCRIPT: usize = 500;
    let words =
        if matches!(spec.name, "js" | "cdp" | "chain" | "tab-each") { args.to_vec() } else { redact(spec.name, args) };
    let line = format!("{} {}", spec.name, words.join(" "));
    let line = line.trim_end();
    if line.chars().count() <= LONGEST_SCRIPT {
        return line.to_owned();
    }
    line.chars().take(LONGEST_SCRIPT - 1).chain(['…']).collect()
}

/// The arguments without what a person or page may have typed: values are counted, addresses lose their query.
pub fn redact(name: &str, args: &[String]) -> Vec<String> {
    let Some(spec) = registry::find(name) else { return vec![counted(args)] };
    let kept = match spec.name {
        "type" | "js" | "dialog-accept" | "cookie" | "header" | "useragent" | "chain" | "tab-each" | "cdp" => 0,
        // `storage set key`
        "storage" => 2,
        "fill" | "select" => 1 + args.iter().take_while(|word| word.starts_with("--timeout")).count() * 2,
        _ => args.len(),
    };
    let mut redacted: Vec<String> = args.iter().take(kept).map(|word| without_query(word)).collect();
    if args.len() > kept {
        redacted.push(counted(&args[kept..]));
    }
    redacted
}

fn counted(words: &[String]) -> String {
    format!("[{} characters]", words.join(" ").chars().count())
}

fn without_query(word: &str) -> String {
    match Url::parse(word) {
        Ok(mut url) if url.has_host() => {
            let hidden = url.query().is_some() || url.fragment().is_some();
            url.set_query(None);
            url.set_fragment(None);
            // Neither fails for an address with a host.
            url.set_password(None).ok();
            url.set_username("").ok();
            if hidden { format!("{url}?…") } else { url.to_string() }
        }
        _ => word.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::redact;

    #[test]
    fn logs_hold_no_values_and_no_queries() {
        let redacted = |name: &str, args: &[&str]| {
            redact(name, &args.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>()).join(" ")
        };
        assert_eq!(redacted("fill", &["#pw", "hunter2"]), "#pw [7 characters]");
        assert_eq!(redacted("type", &["hunter2"]), "[7 characters]");
        assert_eq!(redacted("goto", &["https://u:p@a.example/x?token=1#y"]), "https://a.example/x?…");
        assert_eq!(redacted("click", &["@e3"]), "@e3");
        assert_eq!(redacted("storage", &["set", "token", "abc"]), "set token [3 characters]");
        assert_eq!(redacted("header", &["Authorization: x"]), "[16 characters]");
    }
}
