//! The model of a thread's turns, and its reasoning effort.
//!
//! Owns the chosen model and the parameters that a turn needs for it: Codex applies one turn's parameters to all
//! following turns. Sends nothing.

use serde_json::Value;

/// The usual reasoning effort of its models if nothing else is set.
const USUAL_EFFORT: &str = "medium";

pub(super) struct Models {
    /// The model that answers now.
    pub(super) now: Option<String>,
    /// The model that the thread started with.
    own: Option<String>,
    own_effort: Option<String>,
    chosen: Option<String>,
    /// A turn set another model, or another effort, which applies to all following turns.
    changed_model: bool,
    changed_effort: bool,
}

impl Models {
    pub(super) fn of(own: Option<String>, own_effort: Option<String>) -> Self {
        let now = own.clone();
        Self { now, own, own_effort, chosen: None, changed_model: false, changed_effort: false }
    }

    /// Chooses the model for the next turns. Returns false if the thread's own model is unknown and cannot be restored.
    pub(super) fn choose(&mut self, model: Option<String>) -> bool {
        let stays = model.as_deref().is_none_or(is_effort);
        if stays && self.changed_model && self.own.is_none() {
            return false;
        }
        self.chosen = model;
        true
    }

    /// Adds the model and effort to the parameters of the next turn.
    pub(super) fn put_into(&mut self, params: &mut Value) {
        let (model, effort) = match self.chosen.as_deref() {
            // The same model with less or more effort.
            Some("fast") => (None, Some("low")),
            Some("deep") => (None, Some("high")),
            Some(model) => (Some(model), None),
            None => (None, None),
        };
        match (model, &self.own) {
            (Some(model), _) => {
                params["model"] = model.into();
                self.now = Some(model.to_owned());
                self.changed_model = true;
            }
            (None, Some(own)) if self.changed_model => {
                params["model"] = own.as_str().into();
                self.now = Some(own.clone());
                self.changed_model = false;
            }
            _ => {}
        }
        if let Some(effort) = effort {
            params["effort"] = effort.into();
            self.changed_effort = true;
        } else if std::mem::take(&mut self.changed_effort) {
            params["effort"] = self.own_effort.as_deref().unwrap_or(USUAL_EFFORT).into();
        }
    }
}

fn is_effort(name: &str) -> bool {
    matches!(name, "fast" | "deep")
}

#[cfg(test)]
mod tests {
    use super::Models;
    use serde_json::{Value, json};

    fn said(models: &mut Models, chosen: Option<&str>) -> Value {
        assert!(models.choose(chosen.map(str::to_owned)));
        let mut params = json!({});
        models.put_into(&mut params);
        params
    }

    #[test]
    fn a_message_without_a_model_goes_back_to_the_threads_own() {
        let mut models = Models::of(Some("large".to_owned()), Some("high".to_owned()));
        assert_eq!(said(&mut models, None), json!({}));
        assert_eq!(said(&mut models, Some("mini")), json!({"model": "mini"}));
        assert_eq!(models.now.as_deref(), Some("mini"));
        assert_eq!(said(&mut models, None), json!({"model": "large"}));
        assert_eq!(models.now.as_deref(), Some("large"));
        assert_eq!(said(&mut models, Some("fast")), json!({"effort": "low"}));
        assert_eq!(said(&mut models, Some("mini")), json!({"model": "mini", "effort": "high"}));
        assert_eq!(said(&mut models, Some("deep")), json!({"model": "large", "effort": "high"}));
        let mut untold = Models::of(Some("large".to_owned()), None);
        said(&mut untold, Some("fast"));
        assert_eq!(said(&mut untold, None), json!({"effort": "medium"}));
    }

    #[test]
    fn without_a_known_own_model_there_is_no_way_back() {
        let mut models = Models::of(None, None);
        assert!(models.choose(None), "nothing was changed yet");
        said(&mut models, Some("mini"));
        assert!(!models.choose(None));
        assert!(!models.choose(Some("deep".to_owned())));
        assert_eq!(said(&mut models, Some("nano")), json!({"model": "nano"}));
    }
}
