//! Routes for the person's terminal: conversations and settings.

use super::route::{Route, get, post};
use gstack_engine::Engine;
use gstack_protocol::basics::Empty;
use gstack_protocol::chat::ConversationInfo;
use gstack_protocol::chat_requests::ChatRef;
use gstack_protocol::control::{ConversationOpen, ConversationText};
use gstack_protocol::evidence::{EvidenceFile, EvidenceRequest};
use gstack_protocol::fault::Fault;
use gstack_protocol::history::{
    CompactConversations, CompactedConversations, ConversationExport, ConversationRename, Conversations,
    ConversationsList,
};
use gstack_protocol::settings::{Settings, SettingsSet};

pub(super) fn routes() -> Vec<Route> {
    vec![
        post("/conversations/list", "Conversations, newest first", list),
        post("/conversations/text", "A conversation as a document", text),
        post("/conversations/open", "Opens a conversation in a tab", open),
        post("/conversations/rename", "Gives a conversation a title", rename),
        post("/conversations/delete", "Deletes a conversation; it can be restored for 7 days", delete),
        post("/conversations/restore", "Restores a deleted conversation", restore),
        post("/conversations/compact", "Compacts the files of conversations", compact),
        post("/evidence", "One finished turn as one HTML file, without secrets", evidence),
        get("/settings", "Every setting, with its value and where the value comes from", settings),
        post("/settings", "Changes one setting", set),
    ]
}

type Answer<T> = Result<T, Fault>;

async fn list(engine: Engine, list: ConversationsList) -> Answer<Conversations> {
    engine.conversations().list(list).await
}

async fn text(engine: Engine, export: ConversationExport) -> Answer<ConversationText> {
    engine.conversations().text(export).await
}

async fn open(engine: Engine, open: ConversationOpen) -> Answer<ConversationInfo> {
    engine.conversation_requests().open_from_terminal(open).await
}

async fn rename(engine: Engine, rename: ConversationRename) -> Answer<ConversationInfo> {
    engine.conversation_requests().rename(rename).await
}

async fn delete(engine: Engine, of: ChatRef) -> Answer<Empty> {
    engine.conversation_requests().delete(&of.conversation_id).await?;
    Ok(Empty {})
}

async fn restore(engine: Engine, of: ChatRef) -> Answer<ConversationInfo> {
    engine.conversations().restore(&of.conversation_id).await
}

async fn compact(engine: Engine, of: CompactConversations) -> Answer<CompactedConversations> {
    engine.conversations().compact(of).await
}

async fn evidence(engine: Engine, request: EvidenceRequest) -> Answer<EvidenceFile> {
    engine.evidence().of_turn(request).await
}

async fn settings(engine: Engine) -> Answer<Settings> {
    Ok(engine.settings().list().await)
}

async fn set(engine: Engine, set: SettingsSet) -> Answer<Settings> {
    engine.settings().set(set).await
}
