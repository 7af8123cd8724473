//! The mode and the model of a session, chosen over the wire.
//!
//! Owns the requests. `modes` decides which mode asks.

use super::agreed::ModelSetting;
use super::modes::{ModeSetting, Modes};
use super::wire::{ConfigUpdate, SessionBegun, Update};
use crate::rpc::message::{Incoming, read};
use crate::rpc::wire::{AskError, Wire};
use gstack_protocol::agents::ModelInfo;
use serde_json::{Value, json};

/// Changes to the mode of the session, and verifies that the agent is in it.
pub(super) async fn enter_mode(wire: &mut Wire, session_id: &str, mut modes: Modes) -> Result<Modes, AskError> {
    follow_mode(&mut wire.early, 0, &mut modes);
    let (Some(wanted), Some(setting)) = (modes.to_set().map(str::to_owned), modes.setting.clone()) else {
        return Ok(modes);
    };
    let before = wire.early.len();
    let (method, params) = set_mode(session_id, &setting, &wanted);
    match wire.ask(method, params).await {
        Ok(answer) => {
            modes.entered(wanted);
            let told: ConfigUpdate = read(&answer, method).unwrap_or_default();
            modes.entered_by_option(&told.config_options);
            follow_mode(&mut wire.early, before, &mut modes);
            if modes.to_set().is_some() {
                modes.refused();
            }
        }
        Err(AskError::Refused(error)) => {
            tracing::warn!(code = error.code, "an agent did not change to the mode in which it asks");
            modes.refused();
        }
        Err(ended) => return Err(ended),
    }
    Ok(modes)
}

/// Follows the changes of the mode among the messages from `start` on, and removes them.
fn follow_mode(early: &mut Vec<Incoming>, start: usize, modes: &mut Modes) {
    let later = early.split_off(start);
    for message in later {
        let update = match &message {
            Incoming::Notification { params, .. } => Update::parse(params),
            Incoming::Answer { .. } | Incoming::Request { .. } => None,
        };
        match update {
            Some(Update::Mode(id)) => {
                modes.entered(id);
            }
            Some(Update::Config(options)) => {
                modes.entered_by_option(&options);
            }
            _ => early.push(message),
        }
    }
}

/// Returns the request that changes the mode.
pub(super) fn set_mode(session_id: &str, setting: &ModeSetting, mode: &str) -> (&'static str, Value) {
    match setting {
        ModeSetting::Method => ("session/set_mode", json!({"sessionId": session_id, "modeId": mode})),
        ModeSetting::Option(id) => {
            ("session/set_config_option", json!({"sessionId": session_id, "configId": id, "value": mode}))
        }
    }
}

/// Returns how to set the model, the available models and the current one.
pub(super) fn models_of(begun: SessionBegun) -> (Option<ModelSetting>, Vec<ModelInfo>, Option<String>) {
    let option = begun.config_options.into_iter().find(|option| option.category.as_deref() == Some("model"));
    if let Some(models) = begun.models {
        // The option is the newer way. An agent that offers the same models by both may take only that one.
        let has = |id: &str| option.iter().flat_map(|option| &option.options).any(|choice| choice.value == id);
        let is_same = models.available_models.iter().all(|model| has(&model.model_id));
        let setting = option.as_ref().filter(|_| is_same).map(|option| ModelSetting::Option(option.id.clone()));
        let infos = models.available_models.into_iter().map(|model| ModelInfo {
            id: model.model_id,
            label: model.name,
            description: model.description.unwrap_or_default(),
        });
        return (Some(setting.unwrap_or(ModelSetting::Method)), infos.collect(), models.current_model_id);
    }
    let Some(option) = option else { return (None, Vec::new(), None) };
    let infos = option.options.into_iter().map(|choice| ModelInfo {
        id: choice.value,
        label: choice.name,
        description: choice.description.unwrap_or_default(),
    });
    let current = option.current_value.as_str().map(str::to_owned);
    (Some(ModelSetting::Option(option.id)), infos.collect(), current)
}

/// Returns whether this is a model's name. `fast` and `deep` say how much thought a message needs, which ACP cannot
/// express.
pub(super) fn is_model(name: &str) -> bool {
    !matches!(name, "fast" | "deep")
}

/// Passes the request that sets a model to `ask`.
pub(super) fn set_model(session_id: &str, setting: &ModelSetting, model: &str, mut ask: impl FnMut(&str, Value)) {
    match setting {
        ModelSetting::Method => ask("session/set_model", json!({"sessionId": session_id, "modelId": model})),
        ModelSetting::Option(id) => {
            ask("session/set_config_option", json!({"sessionId": session_id, "configId": id, "value": model}));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{ModelSetting, models_of};
    use crate::acp::wire::SessionBegun;
    use serde_json::{Value, json};

    #[test]
    fn models_are_set_by_the_option_that_offers_the_same_ones() {
        let option = |values: &[&str]| {
            let choices: Vec<Value> = values.iter().map(|value| json!({"value": value, "name": value})).collect();
            json!([{"id": "model", "category": "model", "currentValue": values[0], "options": choices}])
        };
        let models = json!({"availableModels": [{"modelId": "a", "name": "A"}], "currentModelId": "a"});
        for (models, options, by_option) in [
            (models.clone(), option(&["a", "b"]), true),
            (models.clone(), option(&["a-with-effort"]), false),
            (models, json!([]), false),
            (Value::Null, option(&["a"]), true),
        ] {
            let begun = json!({"sessionId": "s", "models": models, "configOptions": options});
            let begun: SessionBegun = serde_json::from_value(begun).unwrap();
            let (setting, offered, current) = models_of(begun);
            let is_option = matches!(setting, Some(ModelSetting::Option(id)) if id == "model");
            assert_eq!((is_option, offered[0].id.as_str(), current.as_deref()), (by_option, "a", Some("a")));
        }
    }
}
