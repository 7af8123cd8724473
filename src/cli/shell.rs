//! `gstack completions` and `gstack man`: generates the completion scripts and the manual page.
//!
//! Owns the form of both. Both are generated from the command line and the registry, so every command is included.

use super::arguments::Document;
use super::command_line;
use super::terminal::print;
use clap::{Arg, ArgAction, Command, ValueHint};
use clap_complete::{Shell, generate};
use clap_mangen::Man;
use clap_mangen::roff::{Roff, bold, roman};
use gstack_command::spec::Spec;
use gstack_protocol::fault::{Fault, FaultCode};
use std::io;

pub(super) fn show(document: &Document) -> Result<(), Fault> {
    let text = match document {
        Document::Completions { shell } => completions(shell)
            .ok_or_else(|| Fault::new(FaultCode::BadRequest, format!("there are no completions for {shell}")))?,
        Document::Manual => manual().map_err(|error| Fault::new(FaultCode::Internal, error.to_string()))?,
    };
    print(&String::from_utf8_lossy(&text));
    Ok(())
}

/// Returns the completion script, or `None` for a shell that is not in `command_line::SHELLS`.
fn completions(shell: &str) -> Option<Vec<u8>> {
    let shell = match shell {
        "bash" => Shell::Bash,
        "zsh" => Shell::Zsh,
        "fish" => Shell::Fish,
        _ => return None,
    };
    let mut script = Vec::new();
    generate(shell, &mut command_line::with(detailed), "gstack", &mut script);
    Some(script)
}

/// Returns the manual page, in roff.
fn manual() -> io::Result<Vec<u8>> {
    let command = command_line::command();
    let mut page = Vec::new();
    let man = Man::new(command.clone()).manual("gstack");
    man.render_title(&mut page)?;
    man.render_name_section(&mut page)?;
    man.render_synopsis_section(&mut page)?;
    man.render_description_section(&mut page)?;
    man.render_options_section(&mut page)?;
    commands(command).to_writer(&mut page)?;
    man.render_extra_section(&mut page)?;
    man.render_version_section(&mut page)?;
    Ok(page)
}

/// Returns one section with every command: a page per command would be eighty files to install.
fn commands(mut command: Command) -> Roff {
    let mut roff = Roff::new();
    roff.control("SH", ["COMMANDS"]);
    command.build();
    for sub in command.get_subcommands_mut().filter(|sub| sub.get_name() != "help") {
        let usage = sub.render_usage().to_string();
        let usage = usage.trim_start_matches("Usage: ").trim().to_owned();
        let help = sub.get_long_about().or(sub.get_about()).map(ToString::to_string).unwrap_or_default();
        roff.control("TP", []).text([bold(usage)]);
        // Keep the alignment of columns.
        roff.text([roman(help.lines().next().unwrap_or_default().to_owned())]);
        let more = help.lines().skip(1).skip_while(|line| line.is_empty());
        let more: Vec<String> = more.map(str::to_owned).collect();
        if !more.is_empty() {
            roff.control("RS", []).control("nf", []).text([roman(more.join("\n"))]).control("fi", []).control("RE", []);
        }
    }
    roff
}

/// Returns a browser command with its flags and arguments, which on the command line it parses itself.
fn detailed(spec: &'static Spec) -> Command {
    let mut command = Command::new(spec.name).about(spec.summary);
    for flag in spec.flags {
        let spellings = [flag.name, flag.alias];
        let mut arg = Arg::new(flag.name).help(flag.help);
        for spelling in spellings {
            match spelling.strip_prefix("--") {
                Some(long) => arg = arg.long(long.to_owned()),
                None => arg = spelling.chars().nth(1).into_iter().fold(arg, Arg::short),
            }
        }
        command = command.arg(match flag.value {
            Some(value) => arg.value_name(value),
            None => arg.action(ArgAction::SetTrue),
        });
    }
    for parameter in spec.parameters {
        let hint = if parameter.is_path() { ValueHint::FilePath } else { ValueHint::Other };
        let arg = Arg::new(parameter.name).help(parameter.help).value_hint(hint);
        command = command.arg(if parameter.takes_all() { arg.num_args(0..) } else { arg });
    }
    command
}

#[cfg(test)]
mod tests {
    use super::*;
    use gstack_command::registry;

    fn names() -> Vec<String> {
        let own = command_line::command().get_subcommands().map(|sub| sub.get_name().to_owned()).collect::<Vec<_>>();
        assert!(registry::all().iter().all(|spec| own.iter().any(|name| name == spec.name)));
        own
    }

    #[test]
    fn every_command_and_every_flag_is_in_the_completions_of_every_shell() {
        for shell in command_line::SHELLS {
            let script = String::from_utf8(completions(shell).unwrap()).unwrap();
            for name in names() {
                assert!(script.contains(&name), "{name} is not completed in {shell}");
            }
            for flag in registry::all().iter().flat_map(|spec| spec.flags) {
                let long = flag.name.trim_start_matches('-');
                assert!(script.contains(long), "{} is not completed in {shell}", flag.name);
            }
        }
        assert!(completions("powershell").is_none());
    }

    #[test]
    fn every_command_is_in_the_manual_with_its_usage() {
        let page = String::from_utf8(manual().unwrap()).unwrap();
        let plain = page.replace('\\', "");
        for name in names() {
            assert!(plain.contains(&format!("fBgstack {name}")), "{name} is not in the manual");
        }
        assert!(page.contains("Prints: ") && page.contains(".SH COMMANDS"), "{page}");
    }
}
