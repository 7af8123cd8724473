//! Sentences about the connection between the panel and the daemon, its check, and the settings.

use super::template::MessageTemplate;

catalogue! {
    // The connection between the panel and the daemon.
    DAEMON_WENT_AWAY = "the connection to gstack was lost ($1)";
    DAEMON_WENT_AWAY_NEXT = "It starts again by itself. If it does not, run `gstack doctor`.";
    DAEMON_NO_ANSWER = "gstack started but does not answer: $1";
    DAEMON_NO_ANSWER_NEXT = "Run `gstack doctor`, or read gstack's log.";
    DAEMON_NOT_STARTED = "gstack could not start ($1)";
    DAEMON_NOT_STARTED_LOG = "gstack could not start ($1). Its log ends: $2";
    WHOLE_LOG = "The whole log: $1";
    UPDATING = "gstack is being updated: running turns finish, then the new version takes over";
    SEND_IN_A_MOMENT = "Send it again in a moment.";
    PROTOCOLS_DIFFER = "the extension speaks protocol $1, gstack speaks $2 to $3";
    PANEL_UNCONFIRMED = "this browser is not confirmed yet";
    PANEL_UNCONFIRMED_NEXT = "Confirm it once: run the command that its side panel shows in a terminal.";
    EXTENSION_NEWER = "The extension is newer than gstack: update gstack, then run `gstack stop`.";
    EXTENSION_OLDER = "The extension is older than gstack: run `gstack connect`, or reload it in chrome://extensions.";
    // Requests that only a panel of another version sends.
    PROOF_WRONG = "this browser's proof is not valid";
    PROVED_ALREADY = "this connection has already proved a key, or has not sent hello";
    PROVE_AGAIN = "Connect again: each connection has a challenge of its own.";
    TOO_MANY_WAIT = "too many browsers wait to be confirmed";
    TOO_MANY_WAIT_NEXT = "`gstack panels` lists them. Close those that are not yours, then run `gstack stop`.";
    HOME_NOT_WRITTEN_NEXT = "Free space or make gstack's home writable by you, then try again.";
    NOT_A_REF = "$1 is not a ref";
    NOT_A_REF_NEXT = "A ref looks like @e3.";
    ANSWER_TAKES_NO_TEXT = "this answer can't be combined with changed text";
    ANSWER_TAKES_NO_TEXT_NEXT = "Text can be changed only on a card that shows it, and only when you allow it once.";
    ANSWER_NOT_OFFERED = "this answer was not offered";
    ANSWER_NOT_OFFERED_NEXT = "Give one of the answers that were offered, or deny.";
    ANSWER_PARTS_NEXT = "Answer each part, or give no answer at all.";
    NOT_OUR_FILE = "gstack did not write $1";
    NOT_OUR_FILE_NEXT = "Only what a command has just written can be attached by its path.";
    NO_HELLO = "the extension has not sent hello";
    VERSIONS_MAY_DIFFER = "The extension and the gstack program may have different versions: reload the extension.";
    HOST_UNREADABLE = "gstack's first message can't be read: $1";
    HOST_UNREADABLE_NEXT = "The program and the extension have different versions. Run `gstack install-host` again.";
    CHROME_UNREADABLE = "Chrome's message could not be read: $1";
    CHROME_UNREADABLE_NEXT = "Reload the extension; the connection starts again.";
    DAEMON_CLOSED = "gstack closed the connection";
    CONVERSATION_IN_USE = "$1 is in use by another gstack";
    CONVERSATION_IN_USE_NEXT = "Run gstack status: another gstack works on this folder. Stop it, or use another session.";
    NOTE_NOT_LEFT = "the note can't be saved in $1: $2";
    NOTE_NOT_LEFT_NEXT = "Make the folder writable by you, or choose another one for this conversation.";
    FOLDER_HOLDS_GSTACK = "$1 is off limits: it contains gstack's own files";
    FOLDER_ABOVE_GSTACK = "$1 is off limits: it contains gstack's home";
    FOLDER_ABOVE_HOME = "$1 is off limits: it contains your whole home directory";
    FOLDER_HOLDS_KEYS = "$1 is off limits: it contains settings, keys or signed-in sessions";
    // The connection to a panel, as seen by a check.
    NO_EXTENSION = "no browser's extension is connected";
    NO_EXTENSION_NEXT = "Open one with `gstack connect`, or register your everyday browser with `gstack install-host`.";
    NO_PANEL = "no side panel is open";
    NO_PANEL_NEXT = "Click gstack's icon in the browser's toolbar, or run `gstack connect`.";
    HOST_STOPPED = "the program that links the browser with gstack (PID $1) is stopped";
    HOST_STOPPED_NEXT = "Continue it (kill -CONT $1), or end the process: the browser starts another one.";
    EXTENSION_SILENT = "the extension does not answer";
    PANEL_SILENT = "the side panel does not answer";
    RELOAD_EXTENSION = "Reload the extension in chrome://extensions.";
    HOP_ANSWERS = "answers";
    HOP_ANSWERS_OPEN = "answers, $1 open";
    // The details of each hop in Debug, Connection.
    HOP_VERSION = "version $1, pid $2";
    HOP_DAEMON = "version $1, pid $2, home $3";
    HOP_BROWSER = "$1, pid $2, tabs: $3";
    HOP_BROWSER_TABS = "$1, tabs: $2";
    HOP_BROWSER_EXTENSION = "$1, through its extension, tabs: $2";
    HOP_BROWSER_ATTACHED = "$1, attached, tabs: $2";
    HOP_AGENT = "$1 $2 at $3";
    HOP_AGENT_SANDBOXED = "$1 $2 at $3, in a sandbox ($4)";
    HOP_AGENT_UNSANDBOXED = "$1 $2 at $3, without a sandbox: $4";
    SANDBOX_MISSING = "Agents run without a sandbox: $1.";
    SANDBOX_REQUIRED = "Agents do not start: agents.sandbox is set to require, and this machine has no sandbox: $1.";
    // Settings.
    NO_SETTING = "there is no setting $1";
    NO_SETTING_NEXT = "`gstack settings` lists them.";
    OUT_OF_RANGE = "$1 is out of range";
    OUT_OF_RANGE_NEXT = "Give a number from $1 to $2.";
    NOT_WHOLE = "$1 is not a whole number";
    NOT_WHOLE_NEXT = "Give a whole number.";
    IS_A_SWITCH = "$1 must be true or false";
    IS_A_SWITCH_NEXT = "Give true or false.";
    IS_A_NUMBER = "$1 must be a number";
    IS_A_NUMBER_NEXT = "Give a number.";
    IS_A_TEXT = "$1 must be text";
    IS_A_TEXT_NEXT = "Give text.";
    NOT_A_HOST = "$1 is not a site";
    NOT_A_HOST_NEXT = "Write hosts with commas between them: shop.example, *.shop.example, localhost:3000.";
    PORT_BELOW = "$1 limits the ports of many hosts";
    PORT_BELOW_NEXT = "Name each host with its port, such as www.shop.example:443.";
    METADATA_SITE = "$1 covers a cloud's metadata service, which gstack never opens";
    METADATA_SITE_NEXT = "Name the hosts that you need one by one.";
    NOT_A_VALUE = "$1 does not take this value";
    NOT_A_VALUE_NEXT = "Give one of: $1.";
    CONFIG_NOT_READ_NEXT = "Make the file readable by you, or remove it.";
    CONFIG_NOT_VALID = "$1 is not valid: $2";
    CONFIG_NOT_VALID_NEXT = "Fix that line, or remove the file.";
}
