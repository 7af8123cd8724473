//! Formats times and parses durations.

use jiff::Timestamp;
use jiff::tz::TimeZone;

/// Formats a time in the local time zone: `2026-11-21 08:15:03`.
pub(super) fn local(millis: u64) -> String {
    match i64::try_from(millis).ok().and_then(|millis| Timestamp::from_millisecond(millis).ok()) {
        Some(moment) => moment.to_zoned(TimeZone::system()).strftime("%Y-%m-%d %H:%M:%S").to_string(),
        None => millis.to_string(),
    }
}

/// Parses `90m`, `2h`, `1h30m` or `1d` to milliseconds. `None` for invalid and zero durations.
pub(super) fn span(text: &str) -> Option<u64> {
    let mut whole: u64 = 0;
    let mut number = String::new();
    for letter in text.trim().chars() {
        if letter.is_ascii_digit() {
            number.push(letter);
            continue;
        }
        let unit: u64 = match letter {
            's' => 1000,
            'm' => 60_000,
            'h' => 3_600_000,
            'd' => 86_400_000,
            _ => return None,
        };
        whole = whole.checked_add(number.parse::<u64>().ok()?.checked_mul(unit)?)?;
        number.clear();
    }
    (number.is_empty() && whole > 0).then_some(whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_needs_its_units() {
        for (text, minutes) in [("90m", 90), ("2h", 120), ("1h30m", 90), ("1d", 1440), (" 3h ", 180)] {
            assert_eq!(span(text), Some(minutes * 60_000), "{text}");
        }
        for wrong in ["", "2", "h", "2x", "-1h", "0m", "1.5h", "99999999999999999999d", "18446744073709551615d"] {
            assert_eq!(span(wrong), None, "{wrong:?}");
        }
    }
}
