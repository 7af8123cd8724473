//! The conversations whose tabs were closed, with their pages, in case Chrome restores a tab.

use gstack_protocol::ids::ConversationId;
use std::collections::VecDeque;

/// Chrome itself does not restore more.
const MOST: usize = 32;

/// In order of closing, the newest last.
#[derive(Default)]
pub(crate) struct RecentlyClosed(VecDeque<(ConversationId, String)>);

impl RecentlyClosed {
    pub(crate) fn remember(&mut self, id: ConversationId, url: String) {
        self.0.retain(|(known, _)| *known != id);
        if self.0.len() >= MOST {
            self.0.pop_front();
        }
        self.0.push_back((id, url));
    }

    /// Removes and returns the newest conversation whose tab showed this page.
    pub(crate) fn take(&mut self, url: &str) -> Option<ConversationId> {
        let newest = self.0.iter().rposition(|(_, known)| known == url)?;
        self.0.remove(newest).map(|(id, _)| id)
    }
}

#[cfg(test)]
mod tests {
    use super::{MOST, RecentlyClosed};
    use gstack_protocol::ids::ConversationId;

    #[test]
    fn the_newest_of_a_page_comes_back_once_and_old_ones_are_forgotten() {
        let mut closed = RecentlyClosed::default();
        for name in ["a", "b"] {
            closed.remember(ConversationId::new(name), "https://x.example/".to_owned());
        }
        assert_eq!(closed.take("https://x.example/"), Some(ConversationId::new("b")));
        assert_eq!(closed.take("https://x.example/"), Some(ConversationId::new("a")));
        assert_eq!(closed.take("https://x.example/"), None);
        for number in 0..=MOST {
            closed.remember(ConversationId::new(number.to_string()), format!("https://{number}.example/"));
        }
        assert_eq!(closed.take("https://0.example/"), None);
        assert!(closed.take("https://1.example/").is_some());
    }
}
