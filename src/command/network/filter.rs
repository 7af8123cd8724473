//! The filter for listed requests.
//!
//! Owns parsing the flags and deciding about one request. Never queries a browser.

use crate::core::Arguments;
use crate::privacy::redaction;
use gstack_base::glob::Glob;
use gstack_browser::page::journal::RequestRecord;
use gstack_protocol::fault::{Fault, FaultCode};

/// The filter given by the flags.
pub(super) struct Filter {
    address: Option<Glob>,
    kinds: Vec<String>,
    status: Option<Status>,
    since: Option<Since>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Status {
    Between(u16, u16),
    Failed,
    Pending,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Since {
    /// Requests after this number.
    Number(u64),
    /// Requests of the last so many milliseconds.
    Ago(u64),
}

impl Filter {
    pub(super) fn read(arguments: &Arguments) -> Result<Self, Fault> {
        let kinds = arguments.value("--type").unwrap_or_default().to_ascii_lowercase();
        Ok(Self {
            address: arguments.value("--filter").map(Glob::new),
            kinds: kinds.split(',').map(|kind| kind.trim().to_owned()).filter(|kind| !kind.is_empty()).collect(),
            status: arguments.value("--status").map(Status::parse).transpose()?,
            since: arguments.value("--since").map(Since::parse).transpose()?,
        })
    }

    /// Whether the filter accepts this request. `now`: in milliseconds since 1970.
    pub(super) fn takes(&self, record: &RequestRecord, now: u64) -> bool {
        self.address.as_ref().is_none_or(|glob| glob.matches(&redaction::text(&record.url)))
            && (self.kinds.is_empty() || self.kinds.contains(&record.kind))
            && self.status.is_none_or(|status| status.takes(record))
            && match self.since {
                None => true,
                Some(Since::Number(number)) => record.number > number,
                Some(Since::Ago(millis)) => record.at >= now.saturating_sub(millis),
            }
    }
}

impl Status {
    /// Parses `404`, `4xx`, `400-499`, `failed` or `pending`.
    fn parse(text: &str) -> Result<Self, Fault> {
        let number = |text: &str| text.parse::<u16>().ok().filter(|status| (100..=599).contains(status));
        let class = |text: &str| {
            let hundreds = text.to_ascii_lowercase().strip_suffix("xx")?.parse::<u16>().ok()?;
            (1..=5).contains(&hundreds).then(|| Self::Between(hundreds * 100, hundreds * 100 + 99))
        };
        let range = |text: &str| {
            let (from, to) = text.split_once('-')?;
            Some(Self::Between(number(from)?, number(to)?))
        };
        match text {
            "failed" => Some(Self::Failed),
            "pending" => Some(Self::Pending),
            _ => {
                number(text).map(|status| Self::Between(status, status)).or_else(|| class(text)).or_else(|| range(text))
            }
        }
        .ok_or_else(|| {
            Fault::new(FaultCode::BadRequest, format!("{text:?} is not a status"))
                .hint("Write it as 404, 4xx, 400-499, failed or pending.")
        })
    }

    fn takes(self, record: &RequestRecord) -> bool {
        match self {
            Self::Between(from, to) => record.status.is_some_and(|status| (from..=to).contains(&status)),
            Self::Failed => record.failed.is_some(),
            Self::Pending => record.status.is_none() && record.failed.is_none(),
        }
    }
}

impl Since {
    /// Parses `30s`, `5m`, `1h`, or the number of a request.
    fn parse(text: &str) -> Result<Self, Fault> {
        let (number, unit) = text.split_at(text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len()));
        let millis = match unit {
            "" => None,
            "ms" => Some(1),
            "s" => Some(1000),
            "m" => Some(60_000),
            "h" => Some(3_600_000),
            _ => Some(0),
        };
        match (number.parse::<u64>(), millis) {
            (Ok(number), None) => Ok(Self::Number(number)),
            (Ok(number), Some(unit @ 1..)) => Ok(Self::Ago(number.saturating_mul(unit))),
            _ => Err(Fault::new(FaultCode::BadRequest, format!("{text:?} is neither a time nor a request"))
                .hint("Write a time as 30s, 5m or 1h, or give the number of a request.")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Since, Status};

    #[test]
    fn statuses_and_times_are_read_or_refused() {
        assert_eq!(Status::parse("404").unwrap(), Status::Between(404, 404));
        assert_eq!(Status::parse("4xx").unwrap(), Status::Between(400, 499));
        assert_eq!(Status::parse("200-299").unwrap(), Status::Between(200, 299));
        for wrong in ["", "xx", "9xx", "40", "4-5", "all"] {
            assert!(Status::parse(wrong).unwrap_err().hint.is_some(), "{wrong:?}");
        }
        assert_eq!(Since::parse("12").unwrap(), Since::Number(12));
        assert_eq!(Since::parse("2m").unwrap(), Since::Ago(120_000));
        for wrong in ["", "m", "2 m", "-1s", "yesterday"] {
            assert!(Since::parse(wrong).unwrap_err().hint.is_some(), "{wrong:?}");
        }
    }
}
