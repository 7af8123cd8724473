//! Changes of the browsers, for the rest of the engine.

use gstack_chat::session_file::TabKey;
use gstack_protocol::ids::TabId;
use gstack_protocol::relay::Refusal;

/// One change. Sent in the order in which changes happen, on the thread that makes them and without a lock held.
#[derive(Debug)]
pub(crate) enum BrowserChange {
    /// Another browser is in use, or none.
    InUse,
    /// A browser that gstack started is in use; its ports may have connected earlier.
    Started,
    /// A tab appeared whose conversation may be known from an earlier connection or daemon.
    TabBack { tab: TabId, key: TabKey },
    /// A tab cannot be reached now. It may return.
    TabAway(TabId),
    /// A tab was closed for good.
    TabClosed(TabId),
    /// A page of one tab opened another tab.
    TabOpenedBy { opener: TabId, tab: TabId },
    /// The list of tabs changed, or an address or title in it.
    TabsChanged,
    /// The person used the mouse, the keyboard or a touch screen in a page of the tab.
    PersonActed(TabId),
    /// The attachment to a tab of an everyday browser was ended by someone other than gstack.
    SentOut(TabId, Refusal),
}
