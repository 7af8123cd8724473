//! The table of requests and the types that answer them, for the tests of the wire. Only in test builds.
//!
//! Owns that table. Never used at run time: there each handler's return type says it.

use super::activity::ActivityPage;
use super::chat::{Attachment, ConversationInfo, HistoryPage, Subscribed};
use super::command::CommandResult;
use super::control::Stopped;
use super::elements::{Picked, Refs};
use super::hello::Welcome;
use super::history::{Conversations, InboxLeft};
use super::methods::{Agents, Empty, FilePart, Hops, Pong, Rendered, Sent};
use super::panel_key::PanelConfirmation;
use super::policy::Policy;
use super::settings::Settings;
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
    visitor.answer::<PanelConfirmation>("panel.prove");
    visitor.answer::<Pong>("ping");
    visitor.answer::<Hops>("hops");
    visitor.answer::<ConversationInfo>("chat.open");
    visitor.answer::<Subscribed>("chat.subscribe");
    visitor.answer::<Empty>("chat.unsubscribe");
    visitor.answer::<HistoryPage>("chat.history");
    visitor.answer::<Sent>("chat.send");
    visitor.answer::<Empty>("chat.unqueue");
    visitor.answer::<Empty>("chat.stop");
    visitor.answer::<Stopped>("chat.stopAll");
    visitor.answer::<Empty>("chat.continue");
    visitor.answer::<ConversationInfo>("chat.clear");
    visitor.answer::<Empty>("approval.answer");
    visitor.answer::<Conversations>("conversations.list");
    visitor.answer::<Empty>("question.answer");
    visitor.answer::<ConversationInfo>("conversations.rename");
    visitor.answer::<Empty>("conversations.delete");
    visitor.answer::<ConversationInfo>("conversations.restore");
    visitor.answer::<Attachment>("conversations.export");
    visitor.answer::<ConversationInfo>("conversations.attach");
    visitor.answer::<ConversationInfo>("conversations.folder");
    visitor.answer::<ConversationInfo>("conversations.tab");
    visitor.answer::<InboxLeft>("inbox.leave");
    visitor.answer::<Settings>("settings.get");
    visitor.answer::<Settings>("settings.set");
    visitor.answer::<Policy>("policy.list");
    visitor.answer::<Policy>("policy.add");
    visitor.answer::<Policy>("policy.remove");
    visitor.answer::<ActivityPage>("activity.subscribe");
    visitor.answer::<Empty>("activity.unsubscribe");
    visitor.answer::<Refs>("refs.list");
    visitor.answer::<Empty>("refs.show");
    visitor.answer::<Empty>("refs.highlight");
    visitor.answer::<Picked>("pick.start");
    visitor.answer::<Empty>("pick.stop");
    visitor.answer::<Agents>("agents.list");
    visitor.answer::<ConversationInfo>("agents.choose");
    visitor.answer::<Rendered>("markdown.render");
    visitor.answer::<FilePart>("file.read");
    visitor.answer::<CommandResult>("command.run");
}

/// The notifications of `ToDaemon`: nothing answers them.
pub(super) const NOTIFICATIONS: [&str; 10] = [
    "tabs.changed",
    "panel.opened",
    "panel.closed",
    "panel.focus",
    "chat.ack",
    "chat.prepare",
    "echoed",
    "relay.answer",
    "relay.event",
    "relay.detached",
];
