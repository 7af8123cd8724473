//! The installer callbacks that the daemon's `connect` needs.

use super::{binary, extension, hosts};
use gstack_daemon::Provision;

/// Unpacks the extension and registers the native messaging host.
pub const PROVISION: Provision = Provision {
    unpack_extension: |home| Ok(extension::unpack(home)?),
    register_host: |profile| Ok(hosts::register(profile, &binary::current()?)?),
};
