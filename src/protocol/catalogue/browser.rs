//! Sentences about browsers, tabs, pages and their elements.

use super::template::MessageTemplate;

catalogue! {
    // Browser and tabs.
    BROWSER_CLOSED = "the browser that gstack drives was closed or crashed";
    BROWSER_CLOSED_NEXT = "Open it again; conversations are kept.";
    BROWSER_GONE = "the browser is gone";
    BROWSER_GONE_NEXT = "Start the browser again: gstack connect";
    BROWSER_NOT_CONNECTED = "this tab's browser is not connected to gstack";
    BROWSER_NOT_CONNECTED_NEXT = "Open the side panel there again, or open another browser with `gstack connect`.";
    BROWSER_SILENT = "the browser does not answer";
    BROWSER_SILENT_NEXT = "Close it and open it again.";
    NO_BROWSER = "no browser is open: $1";
    NO_BROWSER_NEXT = "Run `gstack connect` to open one.";
    EVERYDAY_AWAY = "your everyday browser is selected, but its extension is not connected";
    EVERYDAY_AWAY_NEXT = "Start that browser, or open its side panel. To use another browser, run: gstack disconnect";
    TAB_LEASED = "tab $1 is leased by $2";
    TAB_LEASED_NEXT = "Work in another tab, or ask for this one with `lease`: the person decides.";
    TAB_LEASED_AGENT_NEXT = "Work in another tab. Only the person can take this one back.";
    TAB_LEASED_CLIENT_NEXT = "The person can take the tab back, or start the client without --tab.";
    LEASE_TAKES = "The tab is leased by $1, which loses it at once: whatever it runs there is cancelled.";
    DRIVER_GONE = "this client is no longer connected";
    DRIVER_GONE_NEXT = "Give the tab to another client, or start this one again.";
    TAB_NOT_REPORTED = "the browser has no tab $1";
    TAB_NOT_REPORTED_NEXT = "It may be closed. Choose another one.";
    TAB_PAGE_UNKNOWN = "the browser does not say which page tab $1 shows";
    TAB_PAGE_UNKNOWN_NEXT = "The browser may be busy. Try again.";
    TAB_CLOSED = "tab $1 was closed";
    SEE_OPEN_TABS = "See the open ones: gstack tabs";
    TAB_CRASHED = "the page of tab $1 crashed";
    TAB_CRASHED_NEXT = "Load it again (reload), or go to another address (goto).";
    PAGE_TIMEOUT = "$1 took longer than $2 s";
    PAGE_TIMEOUT_NEXT = "The page may be unresponsive, or the computer busy: try again, or reload the page. Commands with --timeout can wait longer.";
    PICK_FORBIDDEN = "you can't pick an element here: extensions can't access the browser's own pages";
    PICK_FORBIDDEN_STORE = "you can't pick an element here: extensions can't access the extension store";
    PICK_FORBIDDEN_NEXT = "Open another page, or choose from the refs of a snapshot.";
    RELAY_CANCELLED = "gstack was detached from this browser: Cancel was pressed in the bar above the page";
    RELAY_CANCELLED_NEXT = "To attach it again, send a message from the tab's side panel, use a button there, or run: gstack connect --everyday";
    RELAY_OWN_PAGE = "extensions can't access the browser's own pages, its store or other extensions";
    RELAY_OWN_PAGE_NEXT = "Open another page; `goto` works here too.";
    RELAY_OCCUPIED = "the browser does not let gstack attach to this tab: another extension is debugging it, or an administrator forbids it";
    RELAY_OCCUPIED_NEXT = "Stop the other tool in this tab, or use the browser of `gstack connect`.";
    RELAY_INCOGNITO = "this is a private window, and gstack never acts there";
    RELAY_INCOGNITO_NEXT = "Open the page in a normal window, or in the browser of `gstack connect`.";
    RELAY_CLOSED = "the tab was closed";
    RELAY_TOO_LARGE = "the answer is larger than the extension can send";
    RELAY_TOO_LARGE_NEXT = "Ask for a smaller part: one element, or `--viewport`.";
    RELAY_TOO_OLD = "the extension in this browser is older than gstack: it can chat but not act";
    RELAY_TOO_OLD_NEXT = "Reload it: open chrome://extensions and click the reload icon on gstack's card.";
    RELAY_NOT_HERE = "this can't be done in an everyday browser, where gstack acts through its extension";
    RELAY_NOT_HERE_NEXT = "Use the browser of `gstack connect` for it.";
    RELAY_NOT_ATTACHED = "the extension is no longer attached to the tab";
    LOOK_AND_REPEAT = "Look at the page again (snapshot), then repeat the command.";
    // Pages.
    NO_SUCH_TAB = "there is no tab $1";
    NO_OPEN_TAB = "there is no open tab";
    NO_OPEN_TAB_NEXT = "Open one: gstack newtab";
    FRAME_GONE = "the frame is gone";
    FRAME_LOST = "the frame that you had switched to is gone";
    FRAME_LOST_NEXT = "The main frame is used again; switch again with: frame <sel>";
    PAGE_LEFT = "the page navigated away while gstack was reading it";
    ADDRESS_NOT_READ = "the page involves $1, an address that gstack never reads";
    ADDRESS_NOT_READ_NEXT = "Such addresses hand out a machine's credentials. Leave the page with `goto` or `closetab`.";
    REF_NOT_FOUND = "Ref $1 not found. Run 'snapshot' to get fresh refs.";
    SELECTOR_NOT_FOUND = "Selector not found: $1";
    SELECTOR_NOT_FOUND_NEXT = "Check the selector, or run 'snapshot' to find the element's ref.";
    NEVER_APPEARED = "$1 did not appear within $2 s";
    LOOK_AGAIN = "Run 'snapshot' to see the page as it is now.";
    NOT_LOADED = "$1 could not be loaded: $2";
    PAGE_UNREADABLE = "the page's answer can't be read";
    SEE_DAEMON_LOG = "The details are in the daemon's log.";
    // No browser, although one is needed.
    NO_BROWSER_FOR = "no browser is open: `$1` needs one";
    NO_BROWSER_TO_ACT = "no browser is open: commands and agents have nothing to act on";
    NO_BROWSER_FOR_TAB = "no browser is open: tab $1 can't be reached";
    NO_BROWSER_FOR_REFS = "no browser is open, so there are no refs";
    // A command that was cut off.
    LOOK_BEFORE_AGAIN = "Look at the page before you repeat the command.";
    OPEN_BEFORE_AGAIN = "Open the browser again with `gstack connect` before you repeat the command.";
    LOOK_THEN_AGAIN = "Look at the page, then repeat the command.";
    OPEN_THEN_AGAIN = "Open the browser again with `gstack connect`, then repeat the command.";
    LOOK_AT_SNAPSHOT = "Run 'snapshot' to see the page before you repeat the command.";
    // Addresses that did not load.
    NO_SUCH_HOST = "No such host: check the spelling, or the network.";
    NOTHING_LISTENS = "Nothing listens there: is the server running, and on this port?";
    CHECK_NETWORK_ONLY = "Check the network, then try again. `gstack offline off` ends what `gstack offline on` set.";
    LOAD_ABORTED = "The page was left, stopped or turned into a download.";
    UNSAFE_PORT = "The browser refuses this port for web pages.";
    LOAD_NEEDS_PASSWORD = "It asks for a user name and a password: use goto http://NAME:PASSWORD@host/, or first run header 'Authorization: …'.";
    REDIRECTS_IN_CIRCLE = "The site redirects in a circle; its cookies may be to blame.";
    LOAD_BLOCKED = "An extension or a rule of the browser blocked it.";
    CERTIFICATE = "The site's certificate is not trusted; only a person can accept it, in the browser.";
    CHECK_ADDRESS = "Check the address, then try again.";
    LOAD_DIVERTED = "$1 was not reached: the page itself navigated to $2 meanwhile";
    LOAD_DIVERTED_NEXT = "Try again, or open it in a new tab: newtab <url>";
    // Elements.
    REF_STALE = "Ref $1 is stale: its element left the page. Run 'snapshot' to get fresh refs.";
    REF_STALE_WAS = "Ref $1 ($2) is stale: its element left the page. Run 'snapshot' to get fresh refs.";
    NAME_ONE = "Choose one of them with a narrower selector, or with a ref from 'snapshot'.";
    SELECTOR_KINDS = "A selector is a ref (@e3), CSS, text=…, label=…, role=button[name=\"…\"], testid=… or xpath=….";
    ANOTHER_SITE = "the tab no longer shows $1: nothing was done";
    ELEMENT_CHANGED = "$1 has changed since it was looked at: nothing was done";
    CORRECT_EXPRESSION = "The page's script threw this; correct the expression.";
    NOT_FETCHED = "$1 could not be fetched: $2";
    NOT_FETCHED_NEXT = "Check the address. If the site requires a sign-in, sign in to it in this browser first.";
    NOT_FETCHED_REFUSED = "it leads to $1, an address that gstack does not open";
    NOT_FETCHED_REFUSED_NEXT = "Only http and https addresses are fetched, and never a cloud metadata service.";
    SEE_HELP = "See: gstack help";
    NO_STYLE_CHANGE = "there is no modification to revert";
    NO_STYLE_CHANGE_NEXT = "See them: gstack inspect <sel> --history";
    NOTHING_PICKED_YET = "Pick one in the side panel, or name one: inspect <sel>";
    PICK_IT_AGAIN = "Pick it again in the side panel, or name it: inspect <sel>";
    CHANGED_NOTHING = "Nothing was changed, so you can repeat the command. `gstack doctor` says which part is down.";
}
