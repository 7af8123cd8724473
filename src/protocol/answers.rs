//! Which type answers which request, as a table that the wire's own tests walk. Only in test builds.
//!
//! Owns that table. Never used at run time: there each handler's return type says it.

use super::chat::{ConversationInfo, HistoryPage, Subscribed};
use super::command::CommandResult;
use super::hello::Welcome;
use super::methods::{Agents, Conversations, Empty, FilePart, Hops, Pong, Rendered, Sent};
use serde::Serialize;
use serde::de::DeserializeOwned;
use ts_rs::TS;

/// Something that is done with each answer's type.
pub(super) trait AnswerVisitor {
    fn answer<T: TS + Serialize + DeserializeOwned + 'static>(&mut self, method: &'static str);
}

/// Every request of `ToDaemon` with the type of its answer.
pub(super) fn walk(visitor: &mut impl AnswerVisitor) {
    visitor.answer::<Welcome>("hello");
    visitor.answer::<Pong>("ping");
    visitor.answer::<Hops>("hops");
    visitor.answer::<ConversationInfo>("chat.open");
    visitor.answer::<Subscribed>("chat.subscribe");
    visitor.answer::<Empty>("chat.unsubscribe");
    visitor.answer::<HistoryPage>("chat.history");
    visitor.answer::<Sent>("chat.send");
    visitor.answer::<Empty>("chat.unqueue");
    visitor.answer::<Empty>("chat.stop");
    visitor.answer::<Empty>("chat.continue");
    visitor.answer::<ConversationInfo>("chat.clear");
    visitor.answer::<Empty>("approval.answer");
    visitor.answer::<Conversations>("conversations.list");
    visitor.answer::<Agents>("agents.list");
    visitor.answer::<ConversationInfo>("agents.choose");
    visitor.answer::<Rendered>("markdown.render");
    visitor.answer::<FilePart>("file.read");
    visitor.answer::<CommandResult>("command.run");
}

/// The notifications of `ToDaemon`: nothing answers them.
pub(super) const NOTIFICATIONS: [&str; 5] = ["tabs.changed", "panel.opened", "panel.closed", "chat.ack", "echoed"];
