//! What changes with the browsers, for those who live by it.

use crate::chat::session::TabKey;
use crate::protocol::ids::TabId;
use crate::protocol::relay::Refusal;

/// One change. Told in the order in which changes happen, on the thread that makes them and without a lock held.
#[derive(Debug)]
pub(in crate::engine) enum BrowserChange {
    /// Another browser is in use, or none.
    InUse,
    /// A browser that gstack has started is in use: ports of it may have connected before.
    Started,
    /// A tab is there whose conversation may be known from an earlier connection or daemon.
    TabBack { tab: TabId, key: TabKey },
    /// A tab cannot be reached now. It may come back.
    TabAway(TabId),
    /// A tab is closed for good.
    TabClosed(TabId),
    /// A page of one tab opened another.
    TabOpenedBy { opener: TabId, tab: TabId },
    /// The list of tabs, or an address or title in it, is another one.
    TabsChanged,
    /// Somebody else ended the attachment to a tab of an everyday browser.
    SentOut(TabId, Refusal),
}
