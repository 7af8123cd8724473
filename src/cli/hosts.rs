//! `gstack install-host` and `uninstall-host`: run in this process, without a daemon.

use super::terminal::{Terminal, print, print_line};
use crate::install::extension::{self, LoadingSteps};
use crate::install::hosts::{self, Options, Report};
use gstack_base::home::Home;
use gstack_protocol::fault::{Fault, FaultCode};
use serde_json::json;
use std::path::{Path, PathBuf};

pub(super) fn install(home: &Home, options: Options, json: bool, terminal: Terminal) -> Result<(), Fault> {
    let report = hosts::install(&options)?;
    let folder = if options.dry_run { home.extension() } else { extension::unpack(home)? };
    show(&report, Some(&folder), json)?;
    if !json {
        print(&format!("\n{}\n", LoadingSteps { folder }));
        print(&format!("Or, with nothing to load: {}\n", terminal.bold("gstack connect")));
    }
    outcome(&report)
}

pub(super) fn uninstall(options: &Options, json: bool) -> Result<(), Fault> {
    let report = hosts::uninstall(options)?;
    show(&report, None, json)?;
    outcome(&report)
}

/// Builds the options of both commands.
pub(super) fn options(user_data_dir: Option<PathBuf>, dry_run: bool) -> Options {
    Options { user_data_dir, dry_run }
}

fn show(report: &Report, extension: Option<&Path>, json: bool) -> Result<(), Fault> {
    if json {
        let value = json!({ "report": report, "extension": extension });
        let text = serde_json::to_string_pretty(&value).map_err(|e| Fault::new(FaultCode::Internal, e.to_string()))?;
        print_line(&text);
    } else {
        print(&report.to_string());
    }
    Ok(())
}

fn outcome(report: &Report) -> Result<(), Fault> {
    if report.failed() {
        return Err(Fault::new(FaultCode::Storage, "some browsers could not be changed")
            .hint("The lines above say which and why. Fix that, then run the command again."));
    }
    Ok(())
}
