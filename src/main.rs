fn main() -> std::process::ExitCode {
    if std::env::args().nth(1).as_deref() == Some(gstack::protocol::keeper::KEEPER_ROLE) {
        return gstack::keeper::run();
    }
    std::process::ExitCode::SUCCESS
}
