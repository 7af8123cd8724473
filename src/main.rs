//! Chooses the role of this process by its first argument. Holds nothing else.

use gstack::agent::process::minder;
use gstack::{cli, client, daemon, keeper, native, protocol};
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> =
        std::env::args_os().skip(1).map(|argument| argument.to_string_lossy().into_owned()).collect();
    if arguments.first().is_some_and(|first| first == protocol::keeper::KEEPER_ROLE) {
        return keeper::run();
    }
    if arguments.first().is_some_and(|first| first == minder::ROLE) {
        return minder::run(std::env::args_os().skip(2));
    }
    let runtime = match tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            eprintln!("gstack: the runtime could not start: {error}");
            return ExitCode::FAILURE;
        }
    };
    let code = runtime.block_on(async {
        match arguments.first().map(String::as_str) {
            Some(origin) if native::is_origin(origin) => native::run(origin.to_owned()).await,
            Some(client::start::DAEMON_ROLE) => daemon::run(arguments.get(1).map(String::as_str)).await,
            _ => cli::run(arguments).await,
        }
    });
    // A read of standard input that still waits in its thread must not hold the process.
    runtime.shutdown_background();
    code
}
