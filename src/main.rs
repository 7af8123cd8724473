//! Chooses the role of this process by its first argument. Owns nothing else.

#![deny(clippy::print_stdout, clippy::print_stderr)]

use gstack::{cli, install, keeper, native};
use gstack_agent::process::minder;
use gstack_agent::sandbox::confine;
use gstack_base::{program, say};
use gstack_client as client;
use gstack_daemon as daemon;
use gstack_keyring as keyring;
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> =
        std::env::args_os().skip(1).map(|argument| argument.to_string_lossy().into_owned()).collect();
    if arguments.first().is_some_and(|first| first == program::KEEPER_ROLE) {
        return keeper::run();
    }
    if arguments.first().is_some_and(|first| first == minder::ROLE) {
        return minder::run(std::env::args_os().skip(2));
    }
    if arguments.first().is_some_and(|first| first == confine::ROLE) {
        return confine::run(std::env::args_os().skip(2));
    }
    if arguments.first().is_some_and(|first| first == program::KEYRING_ROLE) {
        return keyring::run();
    }
    let first = arguments.first().map(String::as_str);
    if let Some(code) = cli::browser_command::run_directly(std::env::args_os().skip(1)) {
        return code;
    }
    let serves = first.is_some_and(|first| first == client::start::DAEMON_ROLE || native::is_origin(first));
    let parsed = match serves {
        true => None,
        false => match cli::parse(std::env::args_os().skip(1)) {
            Ok(parsed) => Some(parsed),
            Err(code) => return code,
        },
    };
    // A command sends one request and ends: starting threads would take longer than they save.
    let mut builder = match serves {
        true => tokio::runtime::Builder::new_multi_thread(),
        false => tokio::runtime::Builder::new_current_thread(),
    };
    let runtime = match builder.worker_threads(2).enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            say::line(format_args!("the runtime could not start: {error}"));
            return ExitCode::FAILURE;
        }
    };
    let code = runtime.block_on(async {
        match (parsed, first) {
            (Some(parsed), _) => cli::run(parsed).await,
            (None, Some(origin)) if native::is_origin(origin) => native::run(origin.to_owned()).await,
            (None, _) => daemon::run(arguments.get(1).map(String::as_str), install::provision::PROVISION).await,
        }
    });
    // A pending read of standard input in its thread must not delay the exit.
    runtime.shutdown_background();
    code
}
