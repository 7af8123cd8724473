//! The questions that an ACP agent asks the person.
//!
//! Owns the open ones. `form` converts them and their answers.

use super::AcpHandler;
use super::permission::{allowed, refused};
use crate::acp::form::{Form, FormRequest};
use crate::acp::wire::PermissionOption;
use crate::adapter::QuestionAnswer;
use crate::rpc::protocol_handler::HandlerOutput;
use gstack_protocol::chat::QuestionPart;
use serde_json::{Value, json};

/// A question that is shown to a person.
pub(super) struct Question {
    id: Value,
    form: Form,
    /// The options of the permission request that asks it.
    options: Vec<PermissionOption>,
}

impl Question {
    /// Returns the answer if the person declines.
    fn declined(&self) -> Value {
        match self.form {
            Form::Fields(_) => json!({"action": "decline"}),
            Form::Numbered => refused(&self.options),
        }
    }

    /// Returns the answer if the question is withdrawn.
    fn cancelled(&self) -> Value {
        match self.form {
            Form::Fields(_) => json!({"action": "cancel"}),
            Form::Numbered => json!({"outcome": {"outcome": "cancelled"}}),
        }
    }
}

impl AcpHandler {
    pub(super) fn form_asked(&mut self, id: Value, request: FormRequest, out: &mut HandlerOutput) {
        match Form::of_request(request).filter(|_| self.turn.is_some()) {
            Some((form, parts)) => self.question_asked(id, (form, parts), Vec::new(), out),
            None => out.answer(&id, json!({"action": "decline"})),
        }
    }

    pub(super) fn question_asked(
        &mut self,
        id: Value,
        (form, parts): (Form, Vec<QuestionPart>),
        options: Vec<PermissionOption>,
        out: &mut HandlerOutput,
    ) {
        let request = id.to_string();
        self.questions.insert(request.clone(), Question { id, form, options });
        out.question(request, parts);
    }

    /// Handles a person's answers, or that there will be none.
    pub(super) fn question_answered(
        &mut self,
        request: &str,
        answers: Option<QuestionAnswer>,
        out: &mut HandlerOutput,
    ) {
        let Some(question) = self.questions.remove(request) else { return };
        let Some(answers) = answers.filter(|answers| answers.iter().any(|answer| !answer.is_empty())) else {
            return out.answer(&question.id, question.declined());
        };
        let content = question.form.content(&answers);
        let answer = match question.form {
            Form::Fields(_) => json!({"action": "accept", "content": content}),
            Form::Numbered => {
                let mut answer = allowed(&question.options);
                answer["answers"] = content;
                answer
            }
        };
        out.answer(&question.id, answer);
    }

    /// Handles that the agent no longer waits for the answer to its request.
    pub(super) fn request_withdrawn(&mut self, id: &Value, out: &mut HandlerOutput) {
        let request = id.to_string();
        let answer = match self.questions.remove(&request) {
            Some(question) => Some(question.cancelled()),
            None => self.waiting.remove(&request).map(|_| json!({"outcome": {"outcome": "cancelled"}})),
        };
        if let Some(answer) = answer {
            out.withdraw(&request);
            out.answer(id, answer);
        }
    }

    /// Closes the open questions of a turn that is stopped.
    pub(super) fn cancel_questions(&mut self, out: &mut HandlerOutput) {
        for (request, question) in self.questions.drain() {
            out.withdraw(&request);
            out.answer(&question.id, question.cancelled());
        }
    }
}
