//! A conversation from the terminal: `gstack chat` sends a message and reads the answer as panels do.

use super::ConversationRequests;
use super::error::TerminalError;
use crate::browsers::BrowsersError;
use gstack_agent::agent_list::Look;
use gstack_chat::store::NewConversation;
use gstack_chat::{Conversation, Push, Sink};
use gstack_protocol::catalogue;
use gstack_protocol::chat::{ChatBody, ConversationInfo, ConversationState, MessageSource};
use gstack_protocol::chat_requests::ChatSend;
use gstack_protocol::control::{ChatLine, ChatRequest, ConversationOpen, StopTurns};
use gstack_protocol::fault::Fault;
use gstack_protocol::ids::{ClientMessageId, TabId, TurnId};
use gstack_protocol::methods::ToPanel;
use std::sync::Arc;
use tokio::sync::mpsc;

impl ConversationRequests {
    /// Sends a message and streams what follows until its turn ends or the terminal disconnects.
    pub fn chat_from_terminal(&self, request: ChatRequest, lines: mpsc::Sender<ChatLine>) {
        let requests = self.clone();
        self.tasks.spawn(async move {
            if let Err(fault) = requests.converse(request, &lines).await {
                // The terminal may have disconnected.
                lines.send(ChatLine::Failed(fault)).await.ok();
            }
        });
    }

    /// Runs the waiting messages of the conversation of the named or current tab.
    pub async fn continue_from_terminal(&self, tab: Option<TabId>) -> Result<(), Fault> {
        let place = self.tabs.place_for_terminal(tab, None).await?;
        let id = place
            .and_then(|place| self.conversations.store().of_tab(place.tab_id))
            .ok_or(TerminalError::NoConversation)?;
        self.go_on(&id)
    }

    /// Stops the running turn of the named tab, of the current one, or of all. Returns how many were stopped.
    pub async fn stop_from_terminal(&self, request: StopTurns) -> Result<usize, Fault> {
        if request.tab_id.is_some() || !request.current {
            return Ok(self.conversations.stop_turns(request.tab_id));
        }
        match self.tabs.place_for_terminal(None, None).await? {
            Some(place) => Ok(self.conversations.stop_turns(Some(place.tab_id))),
            None => Ok(0),
        }
    }

    /// Moves the conversation to the named or current tab.
    pub async fn open_from_terminal(&self, open: ConversationOpen) -> Result<ConversationInfo, Fault> {
        let place = self.tabs.place_for_terminal(open.tab_id, None).await?;
        let place = place
            .ok_or_else(|| BrowsersError::NotOpen(catalogue::NO_BROWSER.with(["a conversation is opened in a tab"])))?;
        self.attach_to(&open.conversation_id, place).await
    }

    async fn converse(&self, request: ChatRequest, lines: &mpsc::Sender<ChatLine>) -> Result<(), Fault> {
        if self.agents.learn_path(request.path.as_deref()) {
            self.agents.list(Look::Again).await;
        }
        let conversation = self.conversation_of_terminal(&request).await?;
        let had_tab = conversation.info().tab_id.is_some();
        // Bounded by the window of unacknowledged pushes: chat/feed.rs.
        let (sender, mut pushes) = mpsc::unbounded_channel::<Push>();
        let sink: Arc<dyn Sink> = Arc::new(sender);
        let (subscribed, subscription) = conversation.subscribe(conversation.head(), sink).map_err(|e| e.fault())?;
        if lines.send(ChatLine::Conversation(Box::new(subscribed.info))).await.is_err() {
            return Ok(());
        }
        if request.mode.is_some() {
            let info = conversation.info();
            conversation.choose_agent(request.agent.clone().or(info.agent), info.model, request.mode);
        }
        let send = ChatSend {
            conversation_id: conversation.id().clone(),
            client_id: request.client_id.clone(),
            text: request.message,
            page: None,
            attachments: Vec::new(),
            agent: request.agent,
            model: request.model,
            from: MessageSource::Terminal,
        };
        self.send(send).await?;
        let mut follow = Follow { client_id: request.client_id, turn: None };
        let shutdown = self.tasks.shutdown();
        loop {
            let push = tokio::select! {
                push = pushes.recv() => push,
                () = lines.closed() => return Ok(()),
                () = shutdown.cancelled() => None,
            };
            let Some(push) = push else { return Err(TerminalError::Interrupted.into()) };
            let line = match &*push {
                ToPanel::ChatEvent(event) => ChatLine::Event(event.event.clone()),
                ToPanel::ChatDelta(delta) => ChatLine::Delta(delta.clone()),
                // Carries the state too, so that a terminal can say why nothing arrives.
                ToPanel::ChatInfo(info) => ChatLine::Conversation(Box::new(info.clone())),
                ToPanel::ChatGap(_) => return Err(TerminalError::TooSlow.into()),
                _ => continue,
            };
            match &line {
                ChatLine::Event(event) => subscription.acknowledge(event.seq, 0),
                ChatLine::Delta(delta) => {
                    let end = delta.offset + delta.text.encode_utf16().count() as u64;
                    subscription.acknowledge(delta.seq, end);
                }
                ChatLine::Conversation(_) | ChatLine::Failed(_) => {}
            }
            let ended = follow.ends_with(&line);
            if lines.send(line).await.is_err() || ended {
                return Ok(());
            }
            let now = conversation.info();
            if had_tab && now.tab_id.is_none() && now.state == ConversationState::Idle && follow.turn.is_none() {
                return Err(TerminalError::TabClosed(conversation.id().clone()).into());
            }
        }
    }

    /// Returns the conversation of the named or current tab, or one without a tab if no browser is open.
    async fn conversation_of_terminal(&self, request: &ChatRequest) -> Result<Arc<Conversation>, Fault> {
        let folder = request.cwd.clone().unwrap_or_else(|| self.conversations.folder());
        match self.tabs.place_for_terminal(request.tab_id, request.browser.as_deref()).await? {
            Some(place) => {
                let new = NewConversation { folder, page: Some(place.page) };
                let conversation = self
                    .conversations
                    .store()
                    .open_for_tab(place.tab_id, Some(place.key), new)
                    .map_err(|e| e.fault())?;
                self.tabs.tell();
                Ok(conversation)
            }
            None => Ok(self.conversations.store().create(NewConversation { folder, page: None })),
        }
    }
}

/// Finds the turn that answers the message.
struct Follow {
    client_id: ClientMessageId,
    turn: Option<TurnId>,
}

impl Follow {
    fn ends_with(&mut self, line: &ChatLine) -> bool {
        let ChatLine::Event(event) = line else { return false };
        match &event.body {
            ChatBody::TurnStarted { turn_id, client_id, .. } if *client_id == self.client_id => {
                self.turn = Some(turn_id.clone());
                false
            }
            ChatBody::TurnDone { turn_id, .. } => self.turn.as_ref() == Some(turn_id),
            // The message was withdrawn in a panel.
            ChatBody::MessageRemoved { client_id } => *client_id == self.client_id,
            _ => false,
        }
    }
}
