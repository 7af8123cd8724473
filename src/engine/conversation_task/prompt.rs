//! What the agent gets with a message: the current page, the earlier messages, images.
//!
//! Owns collecting it and recording it in the taint log. `task` drives the rest of the turn.

use super::earlier;
use super::error::TurnError;
use super::task::Task;
use crate::policy::NO_SITE;
use gstack_agent::adapter::{Image, Prompt};
use gstack_base::site;
use gstack_chat::turn::Message;
use gstack_chat::{Conversation, Event};
use gstack_protocol::chat::{Attachment, PageContext};
use std::sync::Arc;

impl Task {
    /// Sends the message to the agent.
    pub(super) async fn prompt(&mut self, message: &Arc<Message>) {
        let turn_id = message.turn_id.clone();
        let (page, images) = (self.page(message), images(self.conversation.clone(), message.clone()).await);
        let working_tab = self.services.tabs.working_page(&self.conversation);
        let earlier = self.session.as_ref().and_then(|session| {
            let (conversation, now) = (&self.conversation, &message.client_id);
            if !session.is_informed {
                return earlier::words(conversation, now);
            }
            let may_forget = self.services.agents.get(&session.agent).is_ok_and(|agent| agent.may_forget());
            may_forget.then(|| earlier::unfinished(conversation, now, &session.agent)).flatten()
        });
        if let Some(words) = &earlier {
            // The agent may pass it on, as if it had just read it.
            self.services.policy.with_taint_log(self.conversation.id(), |log| log.read(NO_SITE, words));
        }
        let seen: Vec<&PageContext> = page.iter().chain(working_tab.iter().map(|(_, page)| page)).collect();
        self.services.policy.with_taint_log(self.conversation.id(), |log| {
            seen.iter().for_each(|page| log.saw_page(page));
            if !images.is_empty() {
                // An image counts as coming from the page that the person was looking at.
                let site = message.page.as_ref().and_then(|page| site::of(&page.url));
                log.read_unseen(site.as_deref().unwrap_or(NO_SITE));
            }
        });
        self.watch_control_files(&turn_id).await;
        let prompt = Prompt { text: message.text.clone(), page, working_tab, earlier, images };
        let Some(session) = &mut self.session else {
            let fault = TurnError::AgentEnded.into();
            return self.step(Event::PromptRefused { turn_id, fault });
        };
        match session.session.prompt(prompt).await {
            Ok(()) => {
                session.is_informed = true;
                session.had_a_message = true;
                let unsaved_session_id = session.unsaved_session_id.take().map(|name| (session.agent.clone(), name));
                if session.slot.is_some() {
                    self.conversation.note_folder_used();
                }
                if let Some((agent, name)) = unsaved_session_id {
                    self.conversation.set_resume(agent, Some(name));
                }
                self.services.agents.unmark_spare(self.conversation.id());
                self.step(Event::PromptAccepted(turn_id));
            }
            Err(fault) => {
                // An agent that rejects a message would reject later ones too: the next message gets a new process.
                self.end_session();
                self.step(Event::PromptRefused { turn_id, fault });
            }
        }
    }

    /// Returns the current page, with what the person had selected when they wrote.
    fn page(&self, message: &Message) -> Option<PageContext> {
        let now = self.services.tabs.page_of(&self.conversation);
        let selection = message.page.as_ref().and_then(|page| page.selection.clone());
        match now {
            Some(page) => Some(PageContext { selection, ..page }),
            None => message.page.clone(),
        }
    }
}

/// Returns the images that came with a message. Reads them off the runtime's own threads.
async fn images(conversation: Arc<Conversation>, message: Arc<Message>) -> Vec<Image> {
    if message.attachments.is_empty() {
        return Vec::new();
    }
    let read = move || {
        let pictures = message.attachments.iter().filter(|file| file.mime.starts_with("image/"));
        let image = |file: &Attachment| match conversation.file_path(&file.id).map(std::fs::read) {
            Ok(Ok(bytes)) => Some(Image { mime: file.mime.clone(), bytes }),
            Ok(Err(error)) => {
                tracing::warn!(%error, "an attachment can't be read");
                None
            }
            Err(error) => {
                tracing::warn!(%error, "an attachment is not there");
                None
            }
        };
        pictures.filter_map(image).collect()
    };
    tokio::task::spawn_blocking(read).await.unwrap_or_default()
}
