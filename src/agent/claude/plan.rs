//! Claude Code's plan, from the calls of its own tools: a complete list (`TodoWrite`), or single tasks (`TaskCreate`,
//! `TaskUpdate`, `TaskList`), which newer releases have instead.
//!
//! Pure. A call changes the plan only if its result reports success.

use gstack_protocol::chat::{PlanEntry, PlanStatus};
use serde::Deserialize;
use serde_json::Value;
use std::collections::HashMap;

/// The plan of one process, over all its turns.
#[derive(Debug, Default)]
pub(super) struct Plans {
    tasks: Vec<Task>,
    /// Calls without a result yet, by their id.
    open: HashMap<String, Call>,
}

#[derive(Debug)]
struct Task {
    id: String,
    text: String,
    status: PlanStatus,
}

#[derive(Debug)]
enum Call {
    Todos(Vec<PlanEntry>),
    Create { subject: String },
    Update { id: String, subject: Option<String>, status: Option<String> },
    List,
}

#[derive(Deserialize)]
struct Todos {
    todos: Vec<Todo>,
}

#[derive(Deserialize)]
struct Todo {
    #[serde(default)]
    content: String,
    #[serde(default)]
    status: String,
}

#[derive(Deserialize)]
struct Created {
    task: ToldTask,
}

#[derive(Deserialize)]
struct Listed {
    tasks: Vec<ToldTask>,
}

#[derive(Deserialize)]
struct ToldTask {
    id: String,
    #[serde(default)]
    subject: String,
    #[serde(default)]
    status: String,
}

/// The status that removes a task.
const DELETED: &str = "deleted";

fn status_of(name: &str) -> PlanStatus {
    match name {
        "completed" => PlanStatus::Done,
        "in_progress" => PlanStatus::Running,
        _ => PlanStatus::Pending,
    }
}

impl Plans {
    /// Records a call; ignores tools that do not concern the plan.
    pub(super) fn called(&mut self, id: &str, tool: &str, input: &Value) {
        let text = |name: &str| input.get(name).and_then(Value::as_str).map(str::to_owned);
        let call = match tool {
            "TodoWrite" => Todos::deserialize(input).ok().map(|list| {
                let entry = |todo: Todo| PlanEntry { status: status_of(&todo.status), text: todo.content };
                Call::Todos(list.todos.into_iter().map(entry).collect())
            }),
            "TaskCreate" => text("subject").map(|subject| Call::Create { subject }),
            "TaskUpdate" => {
                text("taskId").map(|id| Call::Update { id, subject: text("subject"), status: text("status") })
            }
            "TaskList" => Some(Call::List),
            _ => None,
        };
        if let Some(call) = call {
            self.open.insert(id.to_owned(), call);
        }
    }

    /// Applies a call's result. Returns the complete plan if it changed. `told`: the result as Claude Code's own data.
    pub(super) fn answered(&mut self, id: &str, ok: bool, told: &Value) -> Option<Vec<PlanEntry>> {
        let call = self.open.remove(id).filter(|_| ok)?;
        match call {
            Call::Todos(entries) => return Some(entries),
            Call::Create { subject } => {
                let id = Created::deserialize(told).ok()?.task.id;
                self.tasks.push(Task { id, text: subject, status: PlanStatus::Pending });
            }
            Call::Update { id, status, .. } if status.as_deref() == Some(DELETED) => {
                self.tasks.retain(|task| task.id != id);
            }
            Call::Update { id, subject, status } => {
                let task = self.tasks.iter_mut().find(|task| task.id == id)?;
                if let Some(subject) = subject {
                    task.text = subject;
                }
                if let Some(status) = status {
                    task.status = status_of(&status);
                }
            }
            Call::List => {
                let known = Listed::deserialize(told).ok()?.tasks;
                let task = |told: ToldTask| Task { id: told.id, text: told.subject, status: status_of(&told.status) };
                self.tasks = known.into_iter().map(task).collect();
            }
        }
        Some(self.tasks.iter().map(|task| PlanEntry { text: task.text.clone(), status: task.status }).collect())
    }

    /// Removes finished tasks when a turn ends: they are not part of the next turn's plan.
    pub(super) fn turn_ended(&mut self) {
        self.open.clear();
        self.tasks.retain(|task| task.status != PlanStatus::Done);
    }
}

#[cfg(test)]
mod tests {
    use super::Plans;
    use gstack_protocol::chat::PlanStatus::{self, Done, Pending, Running};
    use serde_json::{Value, json};

    fn call(plans: &mut Plans, tool: &str, input: &Value, told: &Value) -> Option<Vec<(String, PlanStatus)>> {
        plans.called("c", tool, input);
        let plan = plans.answered("c", true, told)?;
        Some(plan.into_iter().map(|entry| (entry.text, entry.status)).collect())
    }

    fn wanted(entries: &[(&str, PlanStatus)]) -> Option<Vec<(String, PlanStatus)>> {
        Some(entries.iter().map(|(text, status)| ((*text).to_owned(), *status)).collect())
    }

    #[test]
    fn a_list_of_todos_is_a_plan_once_it_was_taken() {
        let mut plans = Plans::default();
        let input =
            json!({"todos": [{"content": "a", "status": "completed"}, {"content": "b", "status": "in_progress"}]});
        assert_eq!(call(&mut plans, "TodoWrite", &input, &Value::Null), wanted(&[("a", Done), ("b", Running)]));
        plans.called("refused", "TodoWrite", &input);
        assert_eq!(plans.answered("refused", false, &Value::Null), None);
        assert_eq!(call(&mut plans, "Read", &input, &Value::Null), None);
        assert_eq!(call(&mut plans, "TodoWrite", &json!({"todos": 1}), &Value::Null), None);
    }

    #[test]
    fn single_tasks_make_a_plan_that_grows_and_forgets_what_is_done() {
        let mut plans = Plans::default();
        let create = |plans: &mut Plans, id: &str| {
            let input = json!({"subject": format!("task {id}"), "description": "d"});
            call(plans, "TaskCreate", &input, &json!({"task": {"id": id, "subject": "as told"}}))
        };
        assert_eq!(create(&mut plans, "1"), wanted(&[("task 1", Pending)]));
        assert_eq!(create(&mut plans, "2"), wanted(&[("task 1", Pending), ("task 2", Pending)]));
        let done = json!({"taskId": "1", "status": "completed"});
        assert_eq!(
            call(&mut plans, "TaskUpdate", &done, &json!({"success": true})),
            wanted(&[("task 1", Done), ("task 2", Pending)])
        );
        assert_eq!(call(&mut plans, "TaskUpdate", &json!({"taskId": "9", "status": "completed"}), &json!({})), None);
        plans.turn_ended();
        let running = json!({"taskId": "2", "status": "in_progress", "subject": "renamed"});
        assert_eq!(call(&mut plans, "TaskUpdate", &running, &json!({})), wanted(&[("renamed", Running)]));
        let list = json!({"tasks": [{"id": "2", "subject": "b", "status": "pending", "blockedBy": []}]});
        assert_eq!(call(&mut plans, "TaskList", &json!({}), &list), wanted(&[("b", Pending)]));
        assert_eq!(
            call(&mut plans, "TaskUpdate", &json!({"taskId": "2", "status": "deleted"}), &json!({})),
            wanted(&[])
        );
        assert_eq!(call(&mut plans, "TaskCreate", &json!({"subject": "x"}), &json!("no task")), None);
    }
}
