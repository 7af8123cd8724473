//! Conversations and settings for the terminal: the person's own.

use super::answer::Refusal;
use super::routes::Body;
use crate::engine::Engine;
use crate::protocol::chat::ConversationInfo;
use crate::protocol::control::{ConversationOpen, ConversationText};
use crate::protocol::history::{
    CompactConversations, CompactedConversations, ConversationExport, ConversationRename, Conversations,
    ConversationsList,
};
use crate::protocol::methods::{ChatRef, Empty};
use crate::protocol::settings::{Settings, SettingsSet};
use axum::extract::State;
use axum::routing::{get, post};
use axum::{Json, Router};

pub(super) fn routes() -> Router<Engine> {
    Router::new()
        .route("/conversations/list", post(list))
        .route("/conversations/text", post(text))
        .route("/conversations/open", post(open))
        .route("/conversations/rename", post(rename))
        .route("/conversations/delete", post(delete))
        .route("/conversations/restore", post(restore))
        .route("/conversations/compact", post(compact))
        .route("/settings", get(settings).post(set))
}

type Answer<T> = Result<Json<T>, Refusal>;

async fn list(State(engine): State<Engine>, Body(list): Body<ConversationsList>) -> Answer<Conversations> {
    Ok(Json(engine.conversations().list(list).await?))
}

async fn text(State(engine): State<Engine>, Body(export): Body<ConversationExport>) -> Answer<ConversationText> {
    Ok(Json(engine.conversations().text(export).await?))
}

async fn open(State(engine): State<Engine>, Body(open): Body<ConversationOpen>) -> Answer<ConversationInfo> {
    Ok(Json(engine.open_from_terminal(open).await?))
}

async fn rename(State(engine): State<Engine>, Body(rename): Body<ConversationRename>) -> Answer<ConversationInfo> {
    Ok(Json(engine.rename_conversation(rename).await?))
}

async fn delete(State(engine): State<Engine>, Body(of): Body<ChatRef>) -> Answer<Empty> {
    engine.delete_conversation(&of.conversation_id).await?;
    Ok(Json(Empty {}))
}

async fn restore(State(engine): State<Engine>, Body(of): Body<ChatRef>) -> Answer<ConversationInfo> {
    Ok(Json(engine.conversations().restore(&of.conversation_id).await?))
}

async fn compact(State(engine): State<Engine>, Body(of): Body<CompactConversations>) -> Answer<CompactedConversations> {
    Ok(Json(engine.conversations().compact(of).await?))
}

async fn settings(State(engine): State<Engine>) -> Json<Settings> {
    Json(engine.settings().await)
}

async fn set(State(engine): State<Engine>, Body(set): Body<SettingsSet>) -> Answer<Settings> {
    Ok(Json(engine.set_setting(set).await?))
}
