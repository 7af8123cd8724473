//! Claude Code's list of what it means to do, as it hands it to a tool of its own.
//!
//! Pure. Newer releases keep single tasks instead: those are steps like any other.

use crate::protocol::chat::{PlanEntry, PlanStatus};
use serde::Deserialize;
use serde_json::Value;

#[derive(Deserialize)]
struct Input {
    #[serde(default)]
    todos: Vec<Todo>,
}

#[derive(Deserialize)]
struct Todo {
    #[serde(default)]
    content: String,
    #[serde(default)]
    status: String,
}

/// The whole plan, where this call of a tool tells one.
pub fn of_call(tool: &str, input: &Value) -> Option<Vec<PlanEntry>> {
    if tool != "TodoWrite" {
        return None;
    }
    let entry = |todo: Todo| {
        let status = match todo.status.as_str() {
            "completed" => PlanStatus::Done,
            "in_progress" => PlanStatus::Running,
            _ => PlanStatus::Pending,
        };
        PlanEntry { text: todo.content, status }
    };
    Some(Input::deserialize(input).ok()?.todos.into_iter().map(entry).collect())
}

#[cfg(test)]
mod tests {
    use super::of_call;
    use crate::protocol::chat::PlanStatus;
    use serde_json::json;

    #[test]
    fn a_list_of_todos_is_a_plan() {
        let input =
            json!({"todos": [{"content": "a", "status": "completed"}, {"content": "b", "status": "in_progress"}]});
        let plan = of_call("TodoWrite", &input).unwrap();
        assert_eq!(
            (plan[0].status, plan[1].status, plan[1].text.as_str()),
            (PlanStatus::Done, PlanStatus::Running, "b")
        );
        assert!(of_call("Read", &input).is_none());
    }
}
