//! Pictures that a command took on the machine with the browser (`gstack --remote SOCKET screenshot`), as files on this one.
//!
//! Owns the path that the caller typed, which never goes through the tunnel, and writing the files.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use gstack_base::atomic;
use gstack_command::registry;
use gstack_protocol::command::CommandResult;
use gstack_protocol::fault::{Fault, FaultCode};
use gstack_protocol::tunnel::{RemotePicture, RemoteResult};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// Pictures of commands without a path are in this format.
const FORMAT: &str = "png";
const OTHER_FORMATS: [&str; 3] = ["jpg", "jpeg", "webp"];

/// Takes the path at which a picture is to be written out of a command's arguments. Fails for a format that the tunnel
/// does not send.
pub(super) fn take_path(command: &str, mut args: Vec<String>) -> Result<(Vec<String>, Option<PathBuf>), Fault> {
    let ends_with = |text: &str, formats: &[&str]| {
        let extension = Path::new(text).extension().and_then(|extension| extension.to_str());
        extension.is_some_and(|extension| formats.iter().any(|format| extension.eq_ignore_ascii_case(format)))
    };
    let Some(spec) = registry::find(command).filter(|spec| spec.takes_picture()) else { return Ok((args, None)) };
    let takes_value =
        |word: &str| spec.flags.iter().any(|flag| (flag.name == word || flag.alias == word) && flag.value.is_some());
    let is_value = args.iter().nth_back(1).is_some_and(|before| takes_value(before));
    match args.last().filter(|last| !is_value && !last.starts_with('-')) {
        Some(last) if ends_with(last, &OTHER_FORMATS) => {
            Err(Fault::new(FaultCode::BadRequest, "a tunnel sends screenshots as PNG only")
                .hint("Give the file a name that ends in .png."))
        }
        Some(last) if ends_with(last, &[FORMAT]) => {
            let path = args.pop().map(PathBuf::from);
            Ok((args, path))
        }
        _ => Ok((args, None)),
    }
}

/// Writes the pictures of an answer to files here, and names these instead of those over there. Fails if a screenshot
/// came without its picture.
pub(super) fn save(command: &str, answer: RemoteResult, path: Option<PathBuf>) -> Result<CommandResult, Fault> {
    let RemoteResult { mut result, pictures } = answer;
    let is_unchanged = result.data.as_ref().is_some_and(|data| data["changed"] == Value::Bool(false));
    let takes_picture = registry::find(command).is_some_and(|spec| spec.takes_picture());
    if takes_picture && pictures.is_empty() && !is_unchanged {
        return Err(Fault::new(FaultCode::TooLarge, "the picture could not be sent through the tunnel").hint(
            "Take a smaller part with --viewport or --clip, and use the same version of gstack on both machines.",
        ));
    }
    let mut path = path;
    // Nothing else of the other machine becomes a file here.
    for picture in pictures.into_iter().filter(|picture| takes_picture && !picture.path.is_empty()) {
        let to = path.take().unwrap_or_else(|| unnamed(&picture));
        let to = std::path::absolute(&to).map_err(|error| not_written(&to, &error.to_string()))?;
        let bytes = STANDARD.decode(&picture.data).map_err(|error| not_written(&to, &error.to_string()))?;
        atomic::write(&to, &bytes).map_err(|error| not_written(&to, &error.to_string()))?;
        let here = to.display().to_string();
        result.output = result.output.replace(&picture.path, &here);
        if let Some(named) = result.data.as_mut().and_then(|data| data.get_mut("path")) {
            *named = Value::String(here.clone());
        }
        result.files.push(here);
    }
    Ok(result)
}

/// Returns a new name in the temporary folder.
fn unnamed(picture: &RemotePicture) -> PathBuf {
    let extension = match picture.media_type.as_str() {
        "image/jpeg" => "jpg",
        "image/webp" => "webp",
        _ => FORMAT,
    };
    std::env::temp_dir().join(format!("gstack-screenshot-{}.{extension}", uuid::Uuid::new_v4().simple()))
}

fn not_written(path: &Path, why: &str) -> Fault {
    Fault::new(FaultCode::Storage, format!("{} could not be written: {why}", path.display()))
        .hint("Give a path in a folder that you can write to.")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<String> {
        line.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn the_path_of_a_screenshot_stays_on_this_machine() {
        for (line, rest, path) in [
            ("", "", None),
            ("shot.png", "", Some("shot.png")),
            ("@e3 /tmp/Shot.PNG", "@e3", Some("/tmp/Shot.PNG")),
            ("--viewport a.png", "--viewport", Some("a.png")),
            ("--element a.png", "--element a.png", None),
            ("#main", "#main", None),
        ] {
            let (left, found) = take_path("screenshot", words(line)).unwrap();
            assert_eq!((left, found), (words(rest), path.map(PathBuf::from)), "{line}");
        }
        assert_eq!(take_path("screenshot", words("a.jpg")).unwrap_err().code, FaultCode::BadRequest);
        assert_eq!(take_path("click", words("a.png")).unwrap(), (words("a.png"), None));
    }

    #[test]
    fn a_picture_becomes_a_file_here_and_a_missing_one_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let to = folder.path().join("shot.png");
        let result = CommandResult {
            output: "Screenshot saved: /over/there.png".to_owned(),
            data: Some(serde_json::json!({ "path": "/over/there.png", "bytes": 3 })),
            ..CommandResult::default()
        };
        let picture = RemotePicture {
            path: "/over/there.png".to_owned(),
            media_type: "image/png".to_owned(),
            data: STANDARD.encode("png"),
        };
        // A command that takes no picture writes nothing here, whatever comes with its answer.
        let unasked = RemoteResult { result: result.clone(), pictures: vec![picture.clone(), picture.clone()] };
        assert_eq!(save("text", unasked, None).unwrap(), result);
        let answer = RemoteResult { result: result.clone(), pictures: vec![picture] };
        let saved = save("screenshot", answer, Some(to.clone())).unwrap();
        let here = to.display().to_string();
        assert_eq!(std::fs::read(&to).unwrap(), b"png");
        assert_eq!((saved.output, saved.files), (format!("Screenshot saved: {here}"), vec![here.clone()]));
        assert_eq!(saved.data.unwrap()["path"], here.as_str());
        let without = RemoteResult { result, pictures: Vec::new() };
        assert_eq!(save("screenshot", without, Some(to)).unwrap_err().code, FaultCode::TooLarge);
    }
}
