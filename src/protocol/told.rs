//! Sentences about trouble that a panel can say in its own language: each with a code, its English and places for values.
//!
//! Owns the codes and the English. The other languages are `extension/_locales`, where the sentence of `API_FAILED` is
//! `fault_api_failed`; a test holds them in step. A fault without such a sentence is shown in its English.

use super::chat::SaidPhrase;

/// A sentence before its values are known. `$1`, `$2` … stand for them.
#[derive(Clone, Copy, Debug)]
pub struct Told {
    name: &'static str,
    english: &'static str,
}

/// A sentence of a fault: its English, and the same as a code where there is one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sentence {
    pub(super) text: String,
    pub(super) phrase: Option<SaidPhrase>,
    /// What a program said about it, in its own words.
    pub(super) said: Option<String>,
}

impl Told {
    /// As the wire and the panel's catalogues know it: `api_failed`.
    pub fn code(self) -> String {
        self.name.to_ascii_lowercase()
    }

    /// The sentence with its values: a name, a path, a number, an error.
    pub fn with<const N: usize>(self, values: [&str; N]) -> Sentence {
        debug_assert_eq!(self.english.matches('$').count(), N, "{}", self.name);
        let mut text = String::new();
        let mut rest = self.english.split('$');
        text.push_str(rest.next().unwrap_or_default());
        for part in rest {
            let place = part.chars().next().and_then(|digit| digit.to_digit(10)).unwrap_or_default() as usize;
            text.push_str(place.checked_sub(1).and_then(|at| values.get(at)).copied().unwrap_or_default());
            text.push_str(part.get(1..).unwrap_or_default());
        }
        let values = values.iter().map(|value| (*value).to_owned()).collect();
        Sentence { text, phrase: Some(SaidPhrase { code: self.code(), values }), said: None }
    }
}

impl Sentence {
    /// Adds in brackets what a program said. Empty: it said nothing.
    #[must_use]
    pub fn said(mut self, words: &str) -> Self {
        if !words.is_empty() {
            self.text = format!("{} ({words})", self.text);
            self.said = Some(words.to_owned());
        }
        self
    }
}

/// Reads as its English.
impl std::ops::Deref for Sentence {
    type Target = str;

    fn deref(&self) -> &str {
        &self.text
    }
}

impl From<Told> for Sentence {
    fn from(told: Told) -> Self {
        told.with([])
    }
}

impl From<String> for Sentence {
    fn from(text: String) -> Self {
        Self { text, ..Self::default() }
    }
}

impl From<&str> for Sentence {
    fn from(text: &str) -> Self {
        text.to_owned().into()
    }
}

/// The next step for a disk's trouble (`base::trouble`), by its code. `place`: the path.
pub fn next_step_of_disk(code: &str, place: &str) -> Option<Sentence> {
    let told = ALL.iter().find(|told| told.code() == code)?;
    Some(if told.english.contains('$') { told.with([place]) } else { told.with([]) })
}

macro_rules! told {
    ($($name:ident = $english:literal;)*) => {
        $(pub const $name: Told = Told { name: stringify!($name), english: $english };)*
        /// All sentences that reach a panel as codes.
        pub const ALL: &[Told] = &[$($name),*];
    };
}

told! {
    // Agents' programs. `$1` is the agent.
    AGENT_MISSING = "$1 is not installed.";
    AGENT_NOT_AT = "$1 is not at $2, where the configuration says.";
    AGENT_INSTALL = "Install it, or set its path in the configuration; then look again.";
    AGENT_BROKEN = "$1 does not start: $2";
    AGENT_REINSTALL = "Run `$1` in a terminal; installing it again often fixes it.";
    AGENT_NOT_READY = "$1 was not ready within $2 s.";
    AGENT_TRY_COMMAND = "Run `$1` in a terminal to see whether it starts there.";
    AGENT_NO_ANSWER = "$1 did not answer.";
    AGENT_TRY_ITSELF = "Run it in a terminal to see whether it starts there, then look again.";
    AGENT_FILES = "$1's configuration could not be written: $2";
    AGENT_FILES_NEXT = "Check that the disk is not full and that gstack's folder is yours.";
    AGENT_ENDED = "$1 ended unexpectedly ($2).";
    AGENT_ENDED_SAYING = "$1 ended unexpectedly ($2): $3";
    SEND_AGAIN_GOES_ON = "Send the message again: the conversation continues.";
    AGENT_ENDED_MID_TURN = "The agent's process ended in the middle of its turn";
    SEND_AGAIN_RESTARTS = "Send the message again: the agent is restarted.";
    AGENT_ENDED_BEFORE = "the agent ended before it got the message";
    AGENT_BUSY = "$1 is still working on the previous message.";
    MESSAGE_BEFORE_RUNS = "The previous message is still being worked on.";
    WAIT_FOR_END = "Wait until its turn has ended.";
    AGENT_SIGNED_OUT = "$1 is not signed in.";
    SIGN_IN = "Sign in from a terminal, then send the message again.";
    AGENT_NO_OWN_MODEL = "$1 can't switch back to its default model.";
    AGENT_TOO_OLD = "$1 ($2) is too old for gstack.";
    AGENT_TOO_OLD_NEXT = "Update it: gstack can't stop this release from running shell commands.";
    AGENT_UNCONFINED = "gstack can't stop this $1 from reading credentials.";
    AGENT_UNCONFINED_NEXT = "Update it, and remove `sandbox_mode` from its config.toml: that setting overrides the rules for files.";
    NO_SUCH_AGENT = "There is no agent named $1.";
    CHOOSE_ONE_OF = "Choose one of: $1.";
    NO_AGENT_FOUND = "no agent was found";
    NO_AGENT_FOUND_NEXT = "Run `gstack agents` to see which agents there are and how to install them.";
    // Their APIs. `$1` is the agent or who runs the API.
    API_SIGN_IN = "$1's API refused the sign-in.";
    API_SIGN_IN_NEXT = "Check the key in your shell's start-up files, or sign in again.";
    API_SIGN_IN_VARIABLE = "Check $1, or sign in again.";
    API_KEY = "$1's API refused the key.";
    API_KEY_VARIABLE = "Check $1 in your shell's start-up files.";
    API_KEY_COMMAND = "Sign in again with `$1`, or check the key it was given.";
    API_ACCESS = "$1's API refused access.";
    API_ACCESS_NEXT = "Check what your $1 account may use.";
    API_BILLING = "$1's API refused the request because of billing.";
    API_BILLING_NEXT = "Check the credit and plan of your $1 account.";
    API_USAGE_LIMIT = "$1's usage limit is reached.";
    API_USAGE_LIMIT_NEXT = "Wait until it resets, or choose another model.";
    API_OVERLOADED = "$1's API is overloaded.";
    API_FAILED = "$1's API failed.";
    TRY_IN_A_MINUTE = "Try again in a minute.";
    API_REFUSED = "$1's API refused the request.";
    CHECK_KEY_AND_MODEL = "Check the key and the model, then try again.";
    API_UNREACHABLE = "$1's API can't be reached.";
    CHECK_NETWORK = "Check your network and proxy, then try again.";
    CHECK_NETWORK_VARIABLE = "Check your network, your proxy and $1, then try again.";
    MODEL_NOT_AVAILABLE = "The chosen model is not available.";
    CHOOSE_ANOTHER_MODEL = "Choose another model.";
    CONTEXT_FULL = "The conversation is too long for the model.";
    CONTEXT_FULL_NEXT = "Start a new chat, or choose another model.";
    AGENT_ERROR = "$1 reported an error.";
    TRY_OR_NEW_CHAT = "Try again, or start a new chat.";
    AGENT_SANDBOX = "$1's sandbox failed.";
    AGENT_SANDBOX_NEXT = "Run `$1` in a terminal to see why.";
    STOPPED_AT_LENGTH = "$1 reached the longest answer that its model gives.";
    STOPPED_AT_STEPS = "$1 reached its limit of steps.";
    SAY_GO_ON = "Send “go on” to let it continue.";
    STOPPED_AT_COST = "$1 reached its cost limit.";
    RAISE_LIMIT = "Raise the limit to go on.";
    AGENT_REFUSED = "$1 refused to answer.";
    SAY_IT_OTHERWISE = "Rephrase it, or start a new chat.";
    STOPPED_UNKNOWN = "$1 ended its turn for an unknown reason.";
    TRY_OR_UPDATE = "Try again, or update it.";
    // Turns.
    TURN_SAID_TOO_MUCH = "the agent wrote more than $1 MB in one turn and was ended";
    TURN_SAID_TOO_MUCH_NEXT = "Ask for less at once. If it was going in circles, start a new chat.";
    TURN_SILENT_SECONDS = "the agent did nothing for $1 seconds and was ended";
    TURN_SILENT_MINUTES = "the agent did nothing for $1 minutes and was ended";
    TURN_LONG_SECONDS = "the turn took longer than $1 seconds and was ended";
    TURN_LONG_MINUTES = "the turn took longer than $1 minutes and was ended";
    TURN_LIMIT_NEXT = "Send the message again: the agent is restarted. `$1` in the settings changes the limit.";
    TURN_STOPPED = "the turn was stopped";
    TURN_STOPPED_WAITING = "the turn was stopped while it was waiting";
    START_STOPPED = "the start was stopped";
    FOLDER_GONE = "The conversation's folder $1 no longer exists.";
    CHOOSE_ANOTHER_FOLDER = "Choose another folder for this conversation.";
    // Messages and answers.
    QUEUE_FULL = "$1 messages are already waiting";
    QUEUE_FULL_NEXT = "Wait until one of the $1 has run, remove one, or stop the running turn.";
    ALREADY_SENT = "this message was already sent";
    ALREADY_SENT_NEXT = "Nothing to do: the agent has it.";
    NOT_WAITING = "this message is not waiting";
    NOT_WAITING_NEXT = "Its turn has begun, or it was removed. Stop the turn instead.";
    APPROVAL_CLOSED = "this approval is not open: it was answered, or its turn has ended";
    QUESTION_CLOSED = "this question is not open: it was answered, or its turn has ended";
    QUESTION_CLOSED_NEXT = "Nothing to do: the question is closed.";
    CONVERSATION_BUSY = "a turn is running in this conversation";
    STOP_TURN_FIRST = "Stop the turn first.";
    BUSY_ELSEWHERE = "a turn of this conversation is running in its own tab";
    BUSY_ELSEWHERE_NEXT = "Go to that tab, or stop the turn first.";
    NO_CONVERSATION = "there is no conversation $1";
    NO_CONVERSATION_NEXT = "Choose one from the history, or start a new chat.";
    NO_FILE = "this conversation has no file $1";
    NO_FILE_NEXT = "The file was removed from the disk; attach it again.";
    MESSAGE_EMPTY = "the message is empty";
    MESSAGE_EMPTY_NEXT = "Write what you want done.";
    MESSAGE_TOO_LONG = "the message is longer than $1 KiB";
    MESSAGE_TOO_LONG_NEXT = "Put the text into a file in the agent's folder and name the file.";
    ANSWER_TOO_LONG = "the answer is longer than $1 KiB";
    ANSWER_TOO_LONG_NEXT = "Answer in fewer words.";
    TEXT_TOO_LONG = "the text is longer than $1 MB";
    TEXT_TOO_LONG_NEXT = "Write a shorter text.";
    FILES_TOO_LARGE = "the attached files are larger than $1 MB together";
    FILES_TOO_LARGE_NEXT = "Attach fewer or smaller ones.";
    FILE_TOO_LARGE = "$1 is larger than $2 MB";
    FILE_TOO_LARGE_NEXT = "Take a picture of a part of the page.";
    ATTACH_AGAIN = "Attach the file again.";
    MESSAGE_OVER_LIMIT = "the message is too large: $1 bytes, the limit is $2";
    FILE_OVER_LIMIT = "the file is too large: $1 bytes, the limit is $2";
    OVER_LIMIT_NEXT = "Send less at once: shorten the text or attach a smaller file.";
    ANSWER_DOES_NOT_FIT = "the answer of $1 bytes does not fit into one message";
    ASK_FOR_LESS = "Ask for a smaller part.";
    SEARCH_TOO_LONG = "the search is too long";
    SEARCH_TOO_LONG_NEXT = "Search for fewer words.";
    NOTE_EMPTY = "the note is empty";
    NOTE_EMPTY_NEXT = "Write the note after the command.";
    OWN_TAB = "this is the conversation's own tab";
    OWN_TAB_NEXT = "Open the conversation in another tab, or close the tab.";
    TAB_SET_FULL = "its tab set already has $1 tabs";
    TAB_SET_FULL_NEXT = "Remove one first.";
    NOTHING_PICKED = "nothing was picked";
    NOTHING_PICKED_NEXT = "Pick again when you like.";
    // Folders and the disk.
    PATH_NOT_ABSOLUTE = "$1 must be an absolute path";
    PATH_NOT_ABSOLUTE_NEXT = "Give a path that begins with / or ~/.";
    NOT_A_FOLDER = "$1 is not a folder";
    NOT_A_FOLDER_NEXT = "Choose the folder that contains it.";
    FOLDER_NOT_USABLE = "$1 can't be used: $2";
    FOLDER_NOT_USABLE_NEXT = "Choose an existing folder.";
    FOLDER_OFF_LIMITS = "$1 is off limits: $2";
    CHOOSE_PROJECT_FOLDER = "Choose the folder of one project.";
    CAN_NOT_READ = "can't read $1: $2";
    CAN_NOT_WRITE = "can't write $1: $2";
    CAN_NOT_MAKE = "can't create $1: $2";
    FILE_NOT_READ = "$1 can't be read: $2";
    FILE_NOT_WRITTEN = "$1 can't be written: $2";
    FILE_NOT_CHANGED = "$1 can't be changed: $2";
    FILE_NOT_VALID = "$1 is not valid, so it is not changed: $2";
    FIX_LINE = "Fix that line, then set it again.";
    DISK_FULL = "The disk that holds $1 is full. Free some space, then try again.";
    DISK_READ_ONLY = "The disk that holds $1 is read-only. Mount it writable, or set GSTACK_HOME to another folder.";
    DISK_DENIED = "Make $1 writable for you, or set GSTACK_HOME to a folder of yours.";
    DISK_IN_THE_WAY = "$1 is in the way and is not a folder. Move it away, or set GSTACK_HOME to another folder.";
    DISK_TROUBLE = "Check the disk that holds $1, then try again.";
    TOO_MANY_FILES = "Too many files are open. Close tabs and panels that you do not need, or raise the limit (ulimit -n) and run `gstack stop`.";
    CONVERSATION_LOST = "$1 has lost its events: $2 of $3 are left";
    CONVERSATION_LOST_NEXT = "Copy $1 back from a backup, or delete this conversation.";
    CONVERSATION_NEWER = "$1 was written by a newer gstack (format $2)";
    CONVERSATION_NEWER_NEXT = "Update gstack, then open it again.";
    CAPTURE_NOT_WRITTEN = "the capture can't be written to disk: $1";
    CAPTURE_NOT_WRITTEN_NEXT = "Free some space, or turn the setting off.";
    POLICY_NOT_READ = "$1 can't be read ($2), so agents ask about everything";
    POLICY_NOT_READ_NEXT = "Fix the file, or remove it to start without rules. Then run `gstack stop`.";
    // The way from the panel to the daemon.
    DAEMON_WENT_AWAY = "the connection to the gstack daemon was lost ($1)";
    DAEMON_WENT_AWAY_NEXT = "It starts again by itself. If it does not, run `gstack doctor`.";
    DAEMON_NO_ANSWER = "the gstack daemon started but does not answer: $1";
    DAEMON_NO_ANSWER_NEXT = "Run `gstack doctor`, or read the daemon's log.";
    DAEMON_NOT_STARTED = "the gstack daemon could not start ($1).";
    DAEMON_NOT_STARTED_LOG = "the gstack daemon could not start ($1). Its log ends: $2";
    WHOLE_LOG = "The whole log: $1";
    UPDATING = "gstack is being updated: running turns finish, then the new version takes over";
    SEND_IN_A_MOMENT = "Send it again in a moment.";
    PROTOCOLS_DIFFER = "the extension speaks protocol $1, gstack speaks $2 to $3";
    PANEL_UNCONFIRMED = "this browser is not confirmed yet";
    PANEL_UNCONFIRMED_NEXT = "Confirm it once: run the command that its side panel shows in a terminal.";
    EXTENSION_NEWER = "The extension is newer than gstack: update gstack, then run `gstack stop`.";
    EXTENSION_OLDER = "The extension is older than gstack: run `gstack connect`, or reload it in chrome://extensions.";
    // Browser and tabs.
    BROWSER_CLOSED = "the browser that gstack drives was closed or crashed";
    BROWSER_CLOSED_NEXT = "Open it again; conversations are kept.";
    BROWSER_GONE = "the browser is gone";
    BROWSER_GONE_NEXT = "Start the browser again: gstack connect";
    BROWSER_NOT_CONNECTED = "this tab's browser is not connected to gstack";
    BROWSER_NOT_CONNECTED_NEXT = "Open the side panel there again, or another browser with `gstack connect`.";
    BROWSER_SILENT = "the browser does not answer";
    BROWSER_SILENT_NEXT = "Close it and open it again.";
    NO_BROWSER = "no browser is open: $1";
    NO_BROWSER_NEXT = "Run `gstack connect` to open one.";
    EVERYDAY_AWAY = "your everyday browser is selected, but its extension is not connected";
    EVERYDAY_AWAY_NEXT = "Start that browser, or open its side panel. To use another browser, run: gstack disconnect";
    TAB_NOT_REPORTED = "the browser has no tab $1";
    TAB_NOT_REPORTED_NEXT = "It may be closed. Choose another one.";
    TAB_CLOSED = "tab $1 was closed";
    SEE_OPEN_TABS = "See the open ones: gstack tabs";
    TAB_CRASHED = "the page of tab $1 crashed";
    TAB_CRASHED_NEXT = "Load it again (reload), or go to another address (goto).";
    PAGE_TIMEOUT = "$1 took longer than $2 s";
    PAGE_TIMEOUT_NEXT = "The page may be unresponsive: reload it, or allow more time with --timeout.";
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
    RELAY_TOO_OLD_NEXT = "Reload it: open chrome://extensions and press the round arrow on gstack's card.";
    RELAY_NOT_HERE = "this can't be done in an everyday browser, where gstack acts through its extension";
    RELAY_NOT_HERE_NEXT = "Use the browser of `gstack connect` for it.";
    RELAY_NOT_ATTACHED = "the extension is no longer attached to the tab";
    LOOK_AND_REPEAT = "Look at the page again (snapshot), then repeat the command.";
    // Notices of a turn. `$1` is the agent or who runs its API.
    RETRY_OVERLOADED = "$1's API is overloaded; trying again.";
    RETRY_RATE_LIMIT = "$1's rate limit is reached; trying again.";
    RETRY_SIGN_IN = "$1's API refused the sign-in; trying again.";
    RETRY_FAILED = "$1's API failed; trying again.";
    RETRY_UNREACHABLE = "$1's API does not answer; trying again.";
    TOOLS_NOT_REACHED = "$1 could not reach the browser's tools.";
    TOOLS_NOT_KNOWN = "$1 can't use the browser's tools: it does not support MCP over HTTP.";
    BEGINNING_SUMMARISED = "The conversation was long: its beginning was summarised.";
    OTHER_MODEL_ANSWERS = "Another model answers: $1.";
    MODEL_NOT_TAKEN = "$1 did not accept the model $2; another one answers.";
    NO_SUCH_MODEL = "$1 has no model named $2.";
    MODEL_IS_FIXED = "$1 has a fixed model.";
    LIMIT_NEAR = "$1's usage limit is near.";
    LIMIT_NEAR_UNTIL = "$1's usage limit is near; it resets at $2.";
    LIMIT_REACHED_UNTIL = "$1's usage limit is reached; it resets at $2.";
    LIMIT_USED = "$1's usage limit is $2 % used.";
    LIMIT_USED_UNTIL = "$1's usage limit is $2 % used; it resets at $3.";
    PICTURES_LEFT_OUT = "$1 does not support pictures: they were left out.";
    SESSION_BEGINS_AGAIN = "The agent's earlier session is gone: it starts again and is given what was said here.";
    // Warnings about an agent.
    KEY_BILLED_CLAUDE = "$1 is set in your shell's start-up files: messages are billed to that key, not to the Claude plan that is signed in.";
    KEY_BILLED_CODEX = "Codex is signed in with an API key: each message is billed to it, not to a ChatGPT plan. `codex login` changes that.";
    KEY_BILLED_GEMINI = "$1 is set: messages may be billed to that key instead of the Google account that is signed in.";
    // Work trees.
    TREE_MADE = "The agent works in its own git work tree, made from $1 at $2.";
    TREE_LEAVES_OUT = "Uncommitted changes that are not in it: $1.";
    TREE_NO_SUBMODULES = "Its submodules are empty.";
    TREE_GONE = "The work tree $1 is gone. The agent works in $2.";
    TREE_KEPT = "Its work tree is kept. Changed or new files: $1; commits on no branch: $2. It is $3";
    TREE_NO_GIT = "no work tree could be made: git was not found";
    TREE_GIT_FAILED = "no work tree could be made: $1";
    TREE_NO_REPOSITORY = "no work tree could be made: $1 is not in a git repository";
    TREE_NO_COMMIT = "no work tree could be made: the repository in $1 has no commit yet";
    TREE_HOLDS_HOME = "no work tree could be made: gstack's own folder lies in the repository $1";
    TREE_DISK_FULL = "no work tree could be made: the disk is full";
    TREE_DISK = "no work tree could be made: $1 can't be used: $2";
    TREE_FORGOTTEN = "no work tree could be made: the repository of $1 no longer knows the work tree $2";
    TREE_NEXT = "Fix that and send the message again, choose a folder for this conversation, or turn work trees off: gstack settings set worktrees.enabled false. Your message is kept.";
    TREE_REPOSITORY_NEXT = "Run `gstack connect` in a repository, or name one: gstack settings set worktrees.repository FOLDER. Or choose a folder for this conversation. Your message is kept.";
    TREE_FORGOTTEN_NEXT = "Look through it, save what you need and remove the folder; the next message makes a new one. Or choose a folder for this conversation. Your message is kept.";
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
    // What is behind each hop of Debug, Connection.
    HOP_VERSION = "version $1, pid $2";
    HOP_DAEMON = "version $1, pid $2, home $3";
    HOP_BROWSER = "$1, pid $2, $3 tabs";
    HOP_BROWSER_TABS = "$1, $2 tabs";
    HOP_BROWSER_EXTENSION = "$1, by its extension, $2 tabs";
    HOP_BROWSER_ATTACHED = "$1, attached to, $2 tabs";
    HOP_AGENT = "$1 $2 at $3";
    HOP_AGENT_SANDBOXED = "$1 $2 at $3, in a sandbox ($4)";
    HOP_AGENT_UNSANDBOXED = "$1 $2 at $3, without a sandbox: $4";
    SANDBOX_MISSING = "Agents run without a sandbox: $1.";
    SANDBOX_REQUIRED = "Agents do not start: agents.sandbox is set to require, and this machine has no sandbox: $1.";
}

#[cfg(test)]
mod tests {
    use super::{AGENT_ENDED_SAYING, ALL, API_FAILED, Sentence};
    use std::collections::BTreeSet;
    use std::path::Path;

    #[test]
    fn every_sentence_has_its_words_in_every_language_and_the_english_ones_are_these() {
        let locales = Path::new(env!("CARGO_MANIFEST_DIR")).join("extension/_locales");
        let mut languages = 0;
        for locale in std::fs::read_dir(locales).unwrap() {
            let path = locale.unwrap().path();
            let catalogue: serde_json::Value =
                serde_json::from_slice(&std::fs::read(path.join("messages.json")).unwrap()).unwrap();
            for told in ALL {
                let words = catalogue[format!("fault_{}", told.code())]["message"].as_str().unwrap_or_default();
                assert!(!words.is_empty(), "{}: no words for {}", path.display(), told.code());
                if path.ends_with("en") {
                    assert_eq!(words, told.english, "{}", told.code());
                }
                for place in 1..=told.english.matches('$').count() {
                    assert!(
                        words.contains(&format!("${place}")),
                        "{}: {} without ${place}",
                        path.display(),
                        told.code()
                    );
                }
            }
            let known: BTreeSet<_> = ALL.iter().map(|told| format!("fault_{}", told.code())).collect();
            let kept = catalogue.as_object().unwrap().keys().filter(|name| name.starts_with("fault_"));
            assert_eq!(kept.filter(|name| !known.contains(*name)).collect::<Vec<_>>(), Vec::<&String>::new());
            languages += 1;
        }
        assert_eq!(languages, 7);
    }

    #[test]
    fn values_stand_where_they_belong_and_are_not_read_for_places() {
        let sentence = AGENT_ENDED_SAYING.with(["Codex", "signal $3", "no $1 left"]);
        assert_eq!(sentence.text, "Codex ended unexpectedly (signal $3): no $1 left");
        assert_eq!(sentence.phrase.unwrap().values, ["Codex", "signal $3", "no $1 left"]);
        assert_eq!(API_FAILED.with(["X"]).said("").text, "X's API failed.");
        assert_eq!(API_FAILED.with(["X"]).said("boom").text, "X's API failed. (boom)");
        assert_eq!(Sentence::from("plain").phrase, None);
    }
}
