//! video.
//!
//! Owns the spec, the rules for agents, and the messages. `video_file` writes the file.

use super::video_file::{self, unusable};
use crate::core::output_files::unnamed;
use crate::core::{Arguments, Context, Output, RecordingKind, wrong};
use crate::files::PartialFile;
use crate::privacy::path_guard;
use crate::spec::{
    Capability, Category, Class, Everyday, Kind, Navigates, Needs, Offered, Spec, TabUse, ValueType, Verb, When,
    Writes, flag, parameter, phrase, phrase_when,
};
use gstack_base::nameless;
use gstack_browser::page::video::{Ending, Frames, LONGEST, MOST_BYTES, VideoOptions, VideoRecording};
use gstack_protocol::fault::{Fault, FaultCode};
use gstack_protocol::ids::TabId;
use serde_json::json;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Frames a second without `--fps`.
const FPS: u32 = 15;
const MOST_FPS: u32 = 30;
const LEFT_OUT: &str = "… not in it: what the tab showed of other sites or while a person used it";
/// Width and height, in pixels.
const SIDES: std::ops::RangeInclusive<u32> = 16..=1920;

pub(crate) const COMMANDS: &[Spec] = &[Spec {
    name: "video",
    aliases: &[],
    category: Category::Visual,
    class: Class::Read,
    parameters: &[
        parameter("action", true, Kind::Text, ValueType::Choice, "start, or stop, which writes the file"),
        parameter(
            "path",
            false,
            Kind::Text,
            ValueType::OutputPath,
            "start: where to write it (.webm), under the working or the temp directory",
        ),
    ],
    flags: &[
        flag(
            "--size",
            "WxH",
            ValueType::Choice,
            "start: the video's size, up to 1920x1920 (default: the page's size, up to 1280)",
        ),
        flag("--fps", "N", ValueType::Choice, "start: frames per second, up to 30 (default: 15)"),
    ],
    summary: "Record the tab as a WebM video",
    details: "Captions below the picture say what commands do. A recording ends by itself after 10 minutes, or at 512 \
        MiB of \
        pictures. If the tab or the browser closes, `video stop` saves what was recorded, as long as gstack is still \
        running. An agent's recording shows only pages of this site, and nothing while a person uses the tab. \
        Replaces an existing file.",
    untrusted: false,
    writes: Writes::File,
    tab: TabUse::ThisPage,
    navigates: Navigates::Nowhere,
    offered: Offered::Extended(Capability::Visual),
    everyday: Everyday::Works,
    needs: Needs::Browser,
    phrases: &[phrase_when(When::Is("action", "start"), Verb::Record, "a video"), phrase(Verb::Save, "the video")],
    output: "Recording a video: path, Video saved: path (N s, WxH)",
    data: "{path: string, fps: number, longest: number, mostBytes: number} | {path: string, bytes: number, seconds: number, width: number, height: number, pictures: number, from: number, to: number, ended: string | null}",
    run: |context, arguments| Box::pin(video(context, arguments)),
}];

async fn video(context: &Context, arguments: Arguments) -> Result<Output, Fault> {
    match (arguments.required("action")?.as_str(), arguments.text("path")) {
        ("start", path) => start(context, &arguments, path.as_deref()).await,
        ("stop", Some(extra)) => {
            Err(wrong(format!("video stop does not take {extra:?}")).hint("Name the file first: video start PATH"))
        }
        ("stop", None) => {
            if let Some(flag) = ["--size", "--fps"].into_iter().find(|flag| arguments.has(flag)) {
                return Err(wrong(format!("give {flag} when the recording starts: video start {flag} …")));
            }
            stop(context).await
        }
        (other, _) => Err(wrong(format!("video does not know {other:?}")).hint("Use video start PATH, or video stop.")),
    }
}

async fn start(context: &Context, arguments: &Arguments, typed: Option<&str>) -> Result<Output, Fault> {
    let size = arguments.value("--size").map(read_size).transpose()?;
    let fps = arguments.value("--fps").map_or(Ok(FPS), |text| read_fps(arguments, text))?;
    let path = read_path(context, typed)?;
    let page = context.page().await?;
    check_room(context, page.id(), &path)?;
    let spool = nameless::create(&context.temp_folder).map_err(|error| unusable(&error))?;
    let options = VideoOptions {
        size,
        fps,
        for_model: context.for_model,
        only_on: context.bound_to(&page)?,
        path: path.clone(),
        folder: context.cwd.clone(),
    };
    let recording = VideoRecording::open(&page, options, spool)?;
    // Before the first await: if this command is cut off, `video stop` still finds the recording.
    context.recordings.add(recording.clone());
    if let Err(error) = recording.begin(&page).await {
        recording.finish().await;
        context.recordings.remove(&recording);
        return Err(error.into());
    }
    context.recording_log.began(RecordingKind::Video, page.id(), context.for_model);
    let shown = path.display().to_string();
    Ok(Output::text(format!("Recording a video: {shown}"))
        .data(json!({ "path": shown, "fps": fps, "longest": LONGEST.as_secs(), "mostBytes": MOST_BYTES })))
}

fn check_room(context: &Context, tab: TabId, path: &Path) -> Result<(), Fault> {
    let conflict = |message: &str, hint: &str| {
        Err(Fault::new(FaultCode::Conflict, message).hint(hint).command("gstack video stop"))
    };
    if context.recordings.of(tab).is_some() {
        return conflict("this tab is already being recorded", "End that recording first: gstack video stop");
    }
    if context.recordings.takes(path) {
        return conflict("another recording is writing to this file", "Choose another name.");
    }
    if !context.recordings.make_room(context.for_model) {
        let tabs: Vec<String> = context.recordings.tabs().iter().map(ToString::to_string).collect();
        let hint = format!("Recorded tabs: {}. End one of them: gstack video stop --tab N", tabs.join(", "));
        return conflict("too many tabs are being recorded", &hint);
    }
    Ok(())
}

fn read_path(context: &Context, typed: Option<&str>) -> Result<PathBuf, Fault> {
    let Some(typed) = typed else { return Ok(unnamed(context, "video", "webm")) };
    let extension = Path::new(typed).extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    if !extension.eq_ignore_ascii_case("webm") {
        return Err(wrong(format!("a video is a .webm file: {typed}")).hint("For instance: video start page.webm"));
    }
    path_guard::output_path(context, typed)
}

fn read_size(text: &str) -> Result<(u32, u32), Fault> {
    let side = |text: &str| text.parse::<u32>().ok().filter(|side| SIDES.contains(side));
    let sides = text.split_once('x').and_then(|(width, height)| Some((side(width)?, side(height)?)));
    sides.ok_or_else(|| {
        wrong(format!("{text} is not the size of a video")).hint("Width and height, 16 to 1920 each: --size 1280x720")
    })
}

fn read_fps(arguments: &Arguments, text: &str) -> Result<u32, Fault> {
    let fps: u32 = arguments.number("--fps", text)?;
    if !(1..=MOST_FPS).contains(&fps) {
        return Err(wrong(format!("--fps {fps} is out of range")).hint(format!("1 to {MOST_FPS} frames per second.")));
    }
    Ok(fps)
}

async fn stop(context: &Context) -> Result<Output, Fault> {
    let recording = chosen(context).await?;
    if recording.ending().is_none() && !recording.has_lost_its_tab() {
        // In turn: a command that runs in the tab may rely on the screencast.
        match context.page().await {
            Ok(page) => page.stop_screencast().await,
            Err(fault) => {
                tracing::info!(%fault, "a recorded tab can't be reached");
                // Out of turn: nothing can rely on the pictures of a page that does not answer.
                if let Ok(tab) = context.browser.tab(recording.tab()) {
                    tab.stop_screencast().await;
                }
            }
        }
    }
    recording.finish().await;
    let mut kept = recording.frames().await;
    let Some(frames) = kept.as_mut() else {
        return Err(Fault::new(FaultCode::Conflict, "the recording has already ended"));
    };
    if frames.times().is_empty() {
        let output = without_pictures(&recording, frames);
        *kept = None;
        context.recordings.remove(&recording);
        context.recording_log.ended(RecordingKind::Video, recording.tab());
        return Err(output);
    }
    let output = save(context, &recording, frames).await?;
    *kept = None;
    context.recordings.remove(&recording);
    context.recording_log.ended(RecordingKind::Video, recording.tab());
    Ok(output)
}

/// Returns the recording of the tab, else the newest whose tab is gone.
async fn chosen(context: &Context) -> Result<Arc<VideoRecording>, Fault> {
    let tab = context.tab().await.ok().map(|tab| tab.id());
    let is_own = |recording: &Arc<VideoRecording>| {
        !context.for_model || (recording.options.for_model && recording.options.folder == context.cwd)
    };
    if let Some(recording) = tab.and_then(|tab| context.recordings.of(tab)) {
        return match is_own(&recording) {
            true => Ok(recording),
            false => Err(Fault::new(FaultCode::Forbidden, "someone else started this recording")
                .hint("Ask the person to stop it.")),
        };
    }
    let left = context.recordings.left().into_iter().find(is_own);
    left.ok_or_else(|| {
        let none = Fault::new(FaultCode::NotFound, "this tab is not being recorded")
            .hint("Start it with: gstack video start PATH");
        context.recording_log.lost_or(RecordingKind::Video, tab, context.for_model, none)
    })
}

fn without_pictures(recording: &VideoRecording, frames: &Frames) -> Fault {
    let why = match (recording.ending(), frames.left_out()) {
        (Some(ending), _) => ended(&ending),
        (None, 0) => "the page drew nothing".to_owned(),
        (None, _) => "the tab showed other sites, or what a person did there".to_owned(),
    };
    Fault::new(FaultCode::Conflict, format!("the recording has no picture: {why}"))
        .hint("Start again: gstack video start")
}

async fn save(context: &Context, recording: &VideoRecording, frames: &mut Frames) -> Result<Output, Fault> {
    let path = recording.options.path.clone();
    let shown = path.display().to_string();
    if context.for_model && !path.starts_with(&context.temp_folder) {
        // Somebody may have created the file meanwhile.
        path_guard::output_path(context, &shown)?;
    }
    let mut file = PartialFile::create(&path)?;
    let written =
        video_file::write(&context.browser, recording, frames, &mut file, &context.temp_folder, &context.progress)
            .await?;
    let bytes = file.size();
    file.finish().await?;
    let (width, height) = written.size;
    let seconds = frames.length() as f64 / 1000.0;
    let ending = recording.ending();
    let mut output = Output::text(format!("Video saved: {shown} ({seconds:.1} s, {width}x{height})"));
    let (from, to) = recording.span().unwrap_or_default();
    output.data = Some(json!({
        "path": shown, "bytes": bytes, "seconds": seconds, "width": width, "height": height,
        "pictures": written.pictures, "from": from, "to": to, "ended": ending.as_ref().map(ended),
    }));
    output.say(ending.map(|ending| format!("… it ended before it was stopped: {}", ended(&ending))));
    output.say((frames.left_out() > 0).then(|| LEFT_OUT.to_owned()));
    output.files.push(path);
    Ok(output)
}

/// Explains why a recording ended by itself.
fn ended(ending: &Ending) -> String {
    match ending {
        Ending::Length => format!("it reached the limit of {} minutes", LONGEST.as_secs() / 60),
        Ending::Size => format!("it reached the limit of {} MiB of pictures", MOST_BYTES / 1024 / 1024),
        Ending::TabClosed => "its tab was closed".to_owned(),
        Ending::BrowserGone => "its browser went away".to_owned(),
        Ending::SentOut => "gstack was detached from its tab".to_owned(),
        Ending::Refused => "the page involved an address that gstack never reads".to_owned(),
        Ending::Disk(error) => format!("its pictures can't be kept: {error}"),
    }
}

#[cfg(test)]
mod tests {
    use super::read_size;

    #[test]
    fn a_size_is_two_sides_within_the_bounds() {
        assert_eq!(read_size("1280x720").ok(), Some((1280, 720)));
        for text in ["1280", "1280x", "x720", "0x10", "15x720", "1921x100", "-1x5", "1e3x100", "1280x720x1", "1280X720"]
        {
            assert!(read_size(text).is_err(), "{text}");
        }
    }
}
