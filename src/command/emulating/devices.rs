//! The devices that `emulate device` knows.
//!
//! Owns parsing the table in `devices/`, which `tests/oracle/devices.test.mjs` generates from Playwright's descriptors.

use crate::core::wrong;
use gstack_browser::page::Screen;
use gstack_protocol::fault::Fault;
use std::sync::LazyLock;
use strsim::osa_distance;

static DEVICES: LazyLock<Vec<Device>> =
    LazyLock::new(|| include_str!("devices/table.tsv").lines().filter_map(Device::read).collect());

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Device {
    pub(crate) name: &'static str,
    pub(crate) screen: Screen,
    pub(super) touch: bool,
    pub(super) user_agent: &'static str,
}

impl Device {
    /// Parses `NAME, VIEWPORT, SCREEN, SCALE, mobile, touch, USER AGENT`, separated by tabs; `#` starts a comment.
    fn read(line: &'static str) -> Option<Self> {
        let mut fields = line.split('\t');
        let mut field = || fields.next();
        let size = |text: &str| {
            let (width, height) = text.split_once('x')?;
            Some((width.parse().ok()?, height.parse().ok()?))
        };
        let name = field().filter(|name| !name.starts_with('#') && !name.is_empty())?;
        let (viewport, screen) = (size(field()?)?, size(field()?)?);
        let (scale, mobile, touch) = (field()?.parse().ok()?, field()? == "mobile", field()? == "touch");
        let screen = Screen { viewport, screen: Some(screen), scale, mobile };
        Some(Self { name, screen, touch, user_agent: field()? })
    }
}

pub(super) fn all() -> &'static [Device] {
    &DEVICES
}

/// Finds a device by its name, ignoring case.
pub(crate) fn find(name: &str) -> Result<&'static Device, Fault> {
    let given = name.trim().to_lowercase();
    let lower = |device: &Device| device.name.to_lowercase();
    if let Some(device) = all().iter().find(|device| lower(device) == given) {
        return Ok(device);
    }
    let near = all().iter().min_by_key(|device| osa_distance(&given, &lower(device)));
    let near = near.map(|device| format!("Did you mean {}? ", device.name)).unwrap_or_default();
    Err(wrong(format!("no device is called {name:?}")).hint(format!("{near}See them: gstack emulate devices")))
}

#[cfg(test)]
mod tests {
    use super::{all, find};

    #[test]
    fn every_line_of_the_table_is_a_device_and_found_by_its_name() {
        let lines = include_str!("devices/table.tsv").lines().filter(|line| !line.starts_with('#')).count();
        assert_eq!(all().len(), lines);
        assert!(lines > 100, "{lines}");
        for device in all() {
            assert_eq!(find(device.name).unwrap(), device);
            assert!(device.screen.viewport.0 > 100 && device.screen.scale > 0.0, "{}", device.name);
            assert!(device.user_agent.starts_with("Mozilla/5.0 ("), "{}", device.name);
        }
        assert_eq!(find("pixel 7").unwrap().name, "Pixel 7");
        assert!(find("Pixl 7").unwrap_err().hint.unwrap().contains("Pixel 7"));
    }
}
