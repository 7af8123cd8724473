//! The model of a turn: the one that the person named, or the fast or deep one that the message calls for. Pure.
//!
//! Owns the choice among the models that an agent offers. If the models cannot be told apart, the agent's default
//! answers.

mod depth;

use crate::config::DepthModels;
use depth::Depth;
use gstack_protocol::agents::ModelInfo;

/// Words that vendors use in the names of their fast models.
const FAST_NAMES: [&str; 5] = ["haiku", "flash", "mini", "nano", "spark"];

/// Returns the model for a message; `None` is the agent's own default. `chosen` is what the person chose for the
/// conversation or the message. `offered` is what the agent reported.
pub(super) fn model_for(
    chosen: Option<&str>,
    message: &str,
    agent: &str,
    offered: &[ModelInfo],
    configured: Option<&DepthModels>,
) -> Option<String> {
    let depth = match chosen {
        None => depth::of(message),
        Some("fast") => Depth::Fast,
        Some("deep") => Depth::Deep,
        Some(named) => return Some(named.to_owned()),
    };
    let own = configured.and_then(|models| match depth {
        Depth::Fast => models.fast.clone(),
        Depth::Deep => models.deep.clone(),
    });
    match depth {
        _ if own.is_some() => own,
        Depth::Fast => fast_of(agent, offered),
        // The person's own default is the deep model.
        Depth::Deep => None,
    }
}

/// Splits `/fast WORDS` and `/deep WORDS` into the model for that one message and the message.
pub(crate) fn split_model(text: String) -> (Option<String>, String) {
    let named = |depth: &str| {
        let rest = text.trim_start().strip_prefix('/')?.strip_prefix(depth)?;
        let words = rest.trim();
        // Without further words, it is the agent's own command if the agent has one of that name.
        (rest.starts_with(char::is_whitespace) && !words.is_empty()).then(|| words.to_owned())
    };
    match ["fast", "deep"].iter().find_map(|depth| Some((*depth, named(depth)?))) {
        Some((depth, words)) => (Some(depth.to_owned()), words),
        None => (None, text),
    }
}

fn fast_of(agent: &str, offered: &[ModelInfo]) -> Option<String> {
    let is_fast = |model: &&ModelInfo| {
        let words = format!("{} {}", model.id, model.label).to_lowercase();
        words.split(|letter: char| !letter.is_alphanumeric()).any(|word| FAST_NAMES.contains(&word))
    };
    // Claude Code accepts this name even if it has not reported its models.
    let known = || (agent == "claude" && offered.is_empty()).then(|| "haiku".to_owned());
    offered.iter().find(is_fast).map(|model| model.id.clone()).or_else(known)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn offered(ids: &[&str]) -> Vec<ModelInfo> {
        let model = |id: &&str| ModelInfo { id: (*id).to_owned(), label: String::new(), description: String::new() };
        ids.iter().map(model).collect()
    }

    #[test]
    fn a_message_may_say_which_model_it_wants() {
        let of = |text: &str| split_model(text.to_owned());
        assert_eq!(of("/fast why is\nit so?"), (Some("fast".to_owned()), "why is\nit so?".to_owned()));
        assert_eq!(of(" /deep  click it "), (Some("deep".to_owned()), "click it".to_owned()));
        for other in ["/fast", "/fast ", "/faster go", "fast go", "/model deep", "go /fast now"] {
            assert_eq!(of(other), (None, other.to_owned()));
        }
    }

    #[test]
    fn what_the_person_named_is_taken_as_it_is() {
        assert_eq!(model_for(Some("opus"), "click it", "claude", &[], None).as_deref(), Some("opus"));
    }

    #[test]
    fn an_action_gets_the_fast_model_where_one_can_be_told() {
        let with = |agent, ids: &[&str]| model_for(None, "click Submit", agent, &offered(ids), None);
        assert_eq!(with("claude", &[]).as_deref(), Some("haiku"));
        assert_eq!(with("claude", &["default", "opus", "claude-haiku-4"]).as_deref(), Some("claude-haiku-4"));
        assert_eq!(with("codex", &["gpt-5", "gpt-5-mini"]).as_deref(), Some("gpt-5-mini"));
        assert_eq!(with("gemini", &["gemini-2.5-pro", "gemini-2.5-flash"]).as_deref(), Some("gemini-2.5-flash"));
        assert_eq!(with("codex", &["gpt-5"]), None);
        assert_eq!(with("mine", &["gemini-pro"]), None, "a part of a word is not a name");
        assert_eq!(model_for(None, "why does it fail?", "claude", &[], None), None);
    }

    #[test]
    fn fast_and_deep_can_be_chosen_and_configured() {
        let own = DepthModels { fast: Some("small".to_owned()), deep: Some("large".to_owned()) };
        let model = |chosen, message| model_for(chosen, message, "claude", &[], Some(&own));
        assert_eq!(model(Some("fast"), "why?").as_deref(), Some("small"));
        assert_eq!(model(Some("deep"), "click it").as_deref(), Some("large"));
        assert_eq!(model(None, "click it").as_deref(), Some("small"));
        assert_eq!(model_for(Some("deep"), "click it", "claude", &[], None), None);
    }
}
