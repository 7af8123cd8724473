//! The names that Rust and the injected scripts share: functions, and the verdicts in their replies.
//!
//! Owns both lists. `src/browser/injected/declared.d.ts` is generated from them, and the scripts are type-checked
//! against it: a missing function or an unlisted verdict fails `tests/run.sh types`. Never calls anything.

use serde::{Deserialize, Serialize, Serializer};
use std::fmt;

macro_rules! functions {
    ($($variant:ident = $name:literal,)+) => {
        /// A function of `globalThis.__gstack` in our world of a page.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(in crate::page) enum Injected { $($variant,)+ }

        impl Injected {
            #[cfg(test)]
            const ALL: &[Self] = &[$(Self::$variant,)+];

            /// Returns the function's name in the script.
            pub(super) const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)+ }
            }

            /// Returns true if the function acts on the page: without an answer, it may have done so.
            pub(super) const fn acts(self) -> bool {
                use Injected::{
                    BeginFill, BlurFocused, CleanUp, FillSignIn, FocusElement, HideAll, PasteText, ReadyThen, RestoreStyle, ScrollToBottom,
                    ScrollToElement, ScrollToFirst, SelectText, SetStyle, Unhide, WriteStorage,
                };
                matches!(
                    self,
                    BeginFill
                        | BlurFocused
                        | CleanUp
                        | FillSignIn
                        | FocusElement
                        | HideAll
                        | PasteText
                        | ReadyThen
                        | RestoreStyle
                        | ScrollToBottom
                        | ScrollToElement
                        | ScrollToFirst
                        | SelectText
                        | SetStyle
                        | Unhide
                        | WriteStorage
                )
            }
        }
    };
}

functions! {
    AddressOf = "addressOf",
    AdoptRoot = "adoptRoot",
    AdoptedSheets = "adoptedSheets",
    ArmPaste = "armPaste",
    Appears = "appears",
    AuditDocument = "auditDocument",
    BeginFill = "beginFill",
    BeginPick = "beginPick",
    BeginRecording = "beginRecording",
    BeginStitching = "beginStitching",
    BeginTyping = "beginTyping",
    BlurFocused = "blurFocused",
    BoxesOf = "boxesOf",
    CheckedOf = "checkedOf",
    Choose = "choose",
    ChooseOption = "chooseOption",
    CleanUp = "cleanUp",
    ClearRefs = "clearRefs",
    CloseToPointer = "closeToPointer",
    CopyText = "copyText",
    CountMatches = "countMatches",
    CoveredAt = "coveredAt",
    CustomAppears = "customAppears",
    CustomList = "customList",
    CustomOptions = "customOptions",
    CustomReveals = "customReveals",
    CustomShows = "customShows",
    DescribePicked = "describePicked",
    DocumentId = "documentId",
    OriginOf = "originOf",
    DragBegan = "dragBegan",
    DragClicks = "dragClicks",
    DrawBoxes = "drawBoxes",
    DrawRefs = "drawRefs",
    DropOutcome = "dropOutcome",
    ElementOf = "elementOf",
    EndDrop = "endDrop",
    EndFill = "endFill",
    EndPick = "endPick",
    EndRecording = "endRecording",
    EndStitching = "endStitching",
    ExpectDrop = "expectDrop",
    FileField = "fileField",
    FillSignIn = "fillSignIn",
    FirstMatch = "firstMatch",
    FocusElement = "focusElement",
    FocusIsPassword = "focusIsPassword",
    FocusLeadsTo = "focusLeadsTo",
    FrameAt = "frameAt",
    FrameElement = "frameElement",
    FrameHit = "frameHit",
    FrameView = "frameView",
    HasRoot = "hasRoot",
    HideAll = "hideAll",
    HideAsked = "hideAsked",
    HideOwn = "hideOwn",
    HoldKeys = "holdKeys",
    InDocument = "inDocument",
    JoinParts = "joinParts",
    ListAsked = "listAsked",
    ListSuspects = "listSuspects",
    MovesSettled = "movesSettled",
    NoteHandled = "noteHandled",
    NumberOf = "numberOf",
    NumberOfPicked = "numberOfPicked",
    NumbersAt = "numbersAt",
    ObserveChanges = "observeChanges",
    OffersTools = "offersTools",
    PasteText = "pasteText",
    PathOf = "pathOf",
    PixelRatio = "pixelRatio",
    PointAt = "pointAt",
    PointWithin = "pointWithin",
    PresentOf = "presentOf",
    ReadBlob = "readBlob",
    ReadData = "readData",
    ReadChoice = "readChoice",
    ReadDocument = "readDocument",
    ReadEditor = "readEditor",
    ReadElement = "readElement",
    ReadFacts = "readFacts",
    ReadFill = "readFill",
    ReadTyped = "readTyped",
    ReadForms = "readForms",
    ReadLinks = "readLinks",
    ReadMedia = "readMedia",
    ReadShown = "readShown",
    ReadStorage = "readStorage",
    ReadTable = "readTable",
    ReadText = "readText",
    ReadTiming = "readTiming",
    ReadVitals = "readVitals",
    Reaches = "reaches",
    Ready = "ready",
    ReadyThen = "readyThen",
    ReleaseGuard = "releaseGuard",
    ReleaseKeys = "releaseKeys",
    RemoveBoxes = "removeBoxes",
    RestoreStyle = "restoreStyle",
    RevealFrame = "revealFrame",
    ScrollForPart = "scrollForPart",
    ScrollToBottom = "scrollToBottom",
    ScrollToElement = "scrollToElement",
    ScrollToFirst = "scrollToFirst",
    ScrollUntil = "scrollUntil",
    ScrollWithin = "scrollWithin",
    SecretValues = "secretValues",
    SeeSignIn = "seeSignIn",
    SelectText = "selectText",
    SetStyle = "setStyle",
    Settled = "settled",
    SkippedParts = "skippedParts",
    ShowsText = "showsText",
    ShowAsked = "showAsked",
    ShowClosedRoot = "showClosedRoot",
    Snapshot = "snapshot",
    TakePaste = "takePaste",
    TellInternals = "tellInternals",
    ThenSettled = "thenSettled",
    Touch = "touch",
    Unhide = "unhide",
    ValueOfField = "valueOfField",
    WatchDrag = "watchDrag",
    WatchDrop = "watchDrop",
    WatchMoves = "watchMoves",
    WriteStorage = "writeStorage",
}

impl fmt::Display for Injected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Serializes the name, as an argument of `inDocument`.
impl Serialize for Injected {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// The reason a function failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "lowercase")]
pub(in crate::page) enum FaultKind {
    /// The number belongs to another document.
    Gone,
    /// The element was removed from the page.
    Stale,
    /// Nothing matches the selector.
    Missing,
    /// More than one element matches the selector.
    Several,
    /// The selector or the pattern is invalid.
    Selector,
    /// The element does not meet a condition yet.
    Blocked,
    /// The element does not accept this value.
    Value,
    /// The function does not apply to this kind of element.
    Kind,
    /// The browser could not fetch the address.
    Fetch,
    /// The data is too large.
    Size,
}

/// The guard's verdict on the pointer events since it was set.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(tag = "verdict", rename_all = "lowercase")]
pub(in crate::page) enum Guarded {
    /// The element received them.
    Hit,
    /// It received the press, but not the click: the page changed in between.
    Pressed,
    /// They were blocked; `reason`: `it is covered by <div class="x">`.
    Covered { reason: String },
    /// The document was replaced.
    Left,
}

#[cfg(test)]
mod tests {
    use super::super::injection::SOURCE;
    use super::{FaultKind, Guarded, Injected};
    use crate::page::act::Clutter;
    use crate::page::locate::Need;
    use crate::page::read::{Activation, ElementState, What};
    use std::fmt::Write;
    use std::path::Path;
    use ts_rs::{Config, TS};

    const FILE: &str = "src/browser/injected/declared.d.ts";

    fn declaration<T: TS>(text: &mut String) {
        let config = Config::new();
        let docs = T::docs().unwrap_or_default();
        writeln!(text, "\n{docs}{}", T::decl(&config)).unwrap();
    }

    fn declarations() -> String {
        let mut text = String::from(
            "/*\n * The words that Rust and the injected scripts share. Generated from src/browser/page/script/injected.rs: never edit it.\n \
             * After a change there: GSTACK_BLESS=1 cargo test -p gstack-browser script::injected\n */\n\n\
             /** The functions that Rust calls. */\ntype InjectedFunction =\n",
        );
        let names: Vec<String> = Injected::ALL.iter().map(|function| format!("  | {:?}", function.name())).collect();
        writeln!(text, "{};", names.join("\n")).unwrap();
        declaration::<FaultKind>(&mut text);
        declaration::<Guarded>(&mut text);
        declaration::<Need>(&mut text);
        declaration::<What>(&mut text);
        declaration::<Activation>(&mut text);
        declaration::<ElementState>(&mut text);
        declaration::<Clutter>(&mut text);
        text
    }

    #[test]
    fn the_scripts_are_checked_against_these_names() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(FILE);
        let wanted = declarations();
        if std::env::var_os("GSTACK_BLESS").is_some() {
            std::fs::write(&path, &wanted).unwrap();
        }
        let found = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(
            found == wanted,
            "{FILE} is behind the enums. Run: GSTACK_BLESS=1 cargo test -p gstack-browser script::injected"
        );
    }

    /// Independent of the type check of the scripts: a name that is misspelled here is not among theirs.
    #[test]
    fn the_script_has_every_function_that_rust_calls() {
        let (_, surface) = SOURCE.split_once("const SURFACE = {").unwrap();
        let mut theirs: Vec<&str> = surface
            .lines()
            .filter_map(|line| line.strip_prefix("    ").or_else(|| line.strip_prefix("  ")))
            .filter(|line| line.starts_with(|first: char| first.is_ascii_lowercase()))
            .filter_map(|line| line.split([',', ':', '(']).next())
            .collect();
        theirs.retain(|name| Injected::ALL.iter().any(|function| function.name() == *name));
        theirs.sort_unstable();
        theirs.dedup();
        let mut ours: Vec<&str> = Injected::ALL.iter().map(|function| function.name()).collect();
        ours.sort_unstable();
        assert_eq!(theirs, ours);
    }
}
