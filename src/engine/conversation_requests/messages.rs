//! Messages from people: opens, writes to, stops and clears a conversation.
//!
//! Owns the path from a request to the conversation's task. Never waits for an agent.

use super::ConversationRequests;
use super::error::RequestError;
use crate::agents::split_model;
use crate::conversations::persist;
use crate::folders;
use crate::ports::PortId;
use crate::tasks::off_thread;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use gstack_chat::store::NewConversation;
use gstack_chat::turn::Message;
use gstack_chat::{ChatError, Conversation, Event};
use gstack_protocol::agents::AgentsChoose;
use gstack_protocol::chat::{ConversationInfo, ConversationState, LONGEST_MESSAGE, PageContext, json_length};
use gstack_protocol::chat_requests::{ChatOpen, ChatOrder, ChatSend, ChatUnqueue, NewAttachment, Sent};
use gstack_protocol::fault::{Fault, FaultCode};
use gstack_protocol::ids::{ConversationId, TurnId};
use std::sync::Arc;

/// The limit for the attachments of one message, decoded, in bytes.
const MOST_ATTACHED: usize = 32 * 1024 * 1024;
/// The longest message id. Each id is kept as long as its conversation.
pub(super) const LONGEST_ID: usize = 200;

impl ConversationRequests {
    /// Returns the conversation of a Chrome tab, and creates it if it does not exist.
    pub async fn open(&self, port: PortId, open: &ChatOpen) -> Result<ConversationInfo, Fault> {
        let place = self.tabs.place_of(port, open.chrome_tab_id).await?;
        let new = NewConversation { folder: self.conversations.folder(), page: Some(place.page.clone()) };
        let open = || self.conversations.store().open_for_tab(place.tab_id, Some(place.key.clone()), new.clone());
        let conversation = match open() {
            Err(error @ ChatError::Lost { .. }) => {
                // The tab begins another conversation, and the person sees why.
                self.ports.tell_fault(&error.fault());
                open()
            }
            opened => opened,
        };
        let conversation = conversation.map_err(|e| e.fault())?;
        if conversation.state() == ConversationState::Idle {
            conversation.set_page(place.page);
        }
        self.tabs.tell();
        self.tabs.refresh(&conversation);
        Ok(conversation.info())
    }

    /// Accepts a message. Its line in the journal is the only commit point: once that line is on the disk, the message
    /// is accepted and runs; otherwise it is refused and never runs.
    pub async fn send(&self, send: ChatSend) -> Result<Sent, Fault> {
        self.check(&send)?;
        let conversation = self.conversations.get(&send.conversation_id)?;
        if send.agent.is_some() {
            // A mode is its agent's own.
            let mode = conversation.mode().filter(|_| conversation.info().agent == send.agent);
            conversation.choose_agent(send.agent.clone(), None, mode);
        }
        let (model, text) = match send.model {
            Some(model) => (Some(model), send.text),
            None => split_model(send.text),
        };
        let attachments = keep(&conversation, send.attachments, folders::temporary(&self.home)?).await?;
        let page = send.page.map(PageContext::bounded).or_else(|| self.tabs.page_of(&conversation));
        if let Some(page) = &page {
            conversation.set_page(PageContext { selection: None, ..page.clone() });
        }
        let message = Message {
            turn_id: TurnId::random(),
            client_id: send.client_id,
            text,
            page,
            attachments,
            from: send.from,
            model,
        };
        if let Some(tab) = conversation.info().tab_id {
            // A person who writes wants something done there.
            self.browsers.let_in(tab);
        }
        let gate = self.conversations.gate(&conversation);
        let answer = off_thread(move || gate.send(message).map_err(|e| e.fault())).await?;
        // The contents of session.json can be rebuilt from the journal.
        if let Err(fault) = persist(conversation).await {
            tracing::warn!(%fault, "a conversation's record is not up to date");
        }
        Ok(answer.sent)
    }

    /// Refuses a message that no conversation would accept.
    pub(super) fn check(&self, send: &ChatSend) -> Result<(), Fault> {
        if send.text.trim().is_empty() && send.attachments.is_empty() {
            return Err(RequestError::MessageEmpty.into());
        }
        if json_length(&send.text) > LONGEST_MESSAGE {
            return Err(RequestError::MessageTooLong.into());
        }
        if send.client_id.as_str().len() > LONGEST_ID {
            return Err(RequestError::IdTooLong.into());
        }
        self.upgrade.check_takes_turns()?;
        if let Some(agent) = &send.agent {
            self.agents.get(agent)?;
        }
        Ok(())
    }

    pub async fn unqueue(&self, unqueue: ChatUnqueue) -> Result<(), Fault> {
        let conversation = self.conversations.get(&unqueue.conversation_id)?;
        let gate = self.conversations.gate(&conversation);
        off_thread(move || gate.unqueue(unqueue.client_id).map_err(|e| e.fault())).await
    }

    /// Changes the order of the queued messages, and may stop the running turn for the first one.
    pub async fn order(&self, order: ChatOrder) -> Result<(), Fault> {
        let conversation = self.conversations.get(&order.conversation_id)?;
        let gate = self.conversations.gate(&conversation);
        off_thread(move || gate.order(order.client_ids, order.now).map_err(|e| e.fault())).await
    }

    pub fn stop(&self, id: &ConversationId) -> Result<(), Fault> {
        self.conversations.handle(id, Event::Stop)
    }

    /// Runs the messages that wait for the person to continue.
    pub fn go_on(&self, id: &ConversationId) -> Result<(), Fault> {
        self.upgrade.check_takes_turns()?;
        self.conversations.handle(id, Event::Continue)
    }

    /// Moves the conversation to history and opens an empty one for its tab. Stops what runs there.
    pub fn clear(&self, id: &ConversationId) -> Result<ConversationInfo, Fault> {
        let conversation = self.conversations.get(id)?;
        if conversation.state() != ConversationState::Idle {
            self.conversations.handle(id, Event::Stop)?;
        }
        let fresh = self.conversations.store().clear(id).map_err(|e| e.fault())?;
        let gate = self.conversations.known_gate(id);
        if let Some(gate) = gate {
            gate.let_go();
        }
        let place = conversation.place();
        self.tidy_worktree(conversation, place);
        self.tabs.tell();
        Ok(fresh.info())
    }

    pub fn choose_agent(&self, choose: &AgentsChoose) -> Result<ConversationInfo, Fault> {
        let conversation = self.conversations.get(&choose.conversation_id)?;
        if let Some(agent) = &choose.agent {
            self.agents.get(agent)?;
        }
        conversation.choose_agent(choose.agent.clone(), choose.model.clone(), choose.mode.clone());
        self.spare.renew(conversation.id());
        Ok(conversation.info())
    }
}

/// Writes the files that came with a message. `temporary` is the folder that must contain files given by path.
async fn keep(
    conversation: &Arc<Conversation>,
    files: Vec<NewAttachment>,
    temporary: std::path::PathBuf,
) -> Result<Vec<gstack_protocol::chat::Attachment>, Fault> {
    if files.is_empty() {
        return Ok(Vec::new());
    }
    if files.iter().map(|file| file.data.len() / 4 * 3).sum::<usize>() > MOST_ATTACHED {
        return Err(RequestError::FilesTooLarge.into());
    }
    let conversation = conversation.clone();
    off_thread(move || {
        let mut kept = Vec::with_capacity(files.len());
        for file in files {
            let bytes = bytes_of(&file, &temporary)?;
            kept.push(conversation.write_file(&file.name, &file.mime, &bytes).map_err(|e| e.fault())?);
        }
        Ok(kept)
    })
    .await
}

fn bytes_of(file: &NewAttachment, temporary: &std::path::Path) -> Result<Vec<u8>, RequestError> {
    let unreadable = |code, error: &dyn std::fmt::Display| RequestError::FileNotRead {
        name: file.name.clone(),
        code,
        why: error.to_string(),
    };
    let Some(path) = &file.path else {
        return STANDARD.decode(&file.data).map_err(|error| unreadable(FaultCode::BadRequest, &error));
    };
    // Resolved first: a link in the folder must not lead out of it.
    let folder = temporary.canonicalize().map_err(|error| unreadable(FaultCode::Storage, &error))?;
    let place = std::path::Path::new(path).canonicalize().map_err(|error| unreadable(FaultCode::NotFound, &error))?;
    let length = place.metadata().map_err(|error| unreadable(FaultCode::NotFound, &error))?.len();
    if !place.starts_with(&folder) || !place.is_file() {
        return Err(RequestError::NotOurFile { name: file.name.clone() });
    }
    if length > MOST_ATTACHED as u64 {
        return Err(RequestError::FileTooLarge { name: file.name.clone() });
    }
    std::fs::read(&place).map_err(|error| unreadable(FaultCode::Storage, &error))
}

#[cfg(test)]
mod tests {
    use super::bytes_of;
    use gstack_protocol::chat_requests::NewAttachment;
    use gstack_protocol::fault::{Fault, FaultCode};

    fn named(path: &std::path::Path) -> NewAttachment {
        let path = Some(path.display().to_string());
        NewAttachment { name: "shot.png".into(), mime: "image/png".into(), data: String::new(), path }
    }

    #[test]
    fn a_file_by_its_path_is_taken_from_the_temporary_folder_only() {
        let folder = tempfile::tempdir().unwrap();
        let inside = folder.path().join("tmp");
        std::fs::create_dir(&inside).unwrap();
        std::fs::write(inside.join("shot.png"), b"picture").unwrap();
        std::fs::write(folder.path().join("secret"), b"secret").unwrap();
        assert_eq!(bytes_of(&named(&inside.join("shot.png")), &inside).unwrap(), b"picture");
        let code = |path: &std::path::Path| Fault::from(bytes_of(&named(path), &inside).unwrap_err()).code;
        assert_eq!(code(&folder.path().join("secret")), FaultCode::PathRefused);
        assert_eq!(code(&inside.join("../secret")), FaultCode::PathRefused);
        assert_eq!(code(&inside), FaultCode::PathRefused);
        assert_eq!(code(&inside.join("gone.png")), FaultCode::NotFound);
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(folder.path().join("secret"), inside.join("link.png")).unwrap();
            assert_eq!(code(&inside.join("link.png")), FaultCode::PathRefused);
        }
    }
}
