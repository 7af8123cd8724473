//! Five fields of cron, as a calendar that systemd and launchd run: the same minutes, or an error.
//!
//! Owns the reading of the fields and both conversions. Starts no timer. The rules of the fields are those of Vixie's cron.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;

const MONTHS: [&str; 12] = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const DAYS: [&str; 7] = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];
/// The most entries of a launchd calendar.
const MOST_ENTRIES: usize = 500;

/// The minutes of a schedule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cron {
    minutes: Field,
    hours: Field,
    days: Field,
    months: Field,
    weekdays: Field,
}

/// The values of a field.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Field {
    values: BTreeSet<u32>,
    /// It begins with `*`: cron then does not count it as a restriction of the day.
    is_star: bool,
    /// It has every value.
    is_all: bool,
}

/// An entry of a launchd calendar. `None`: every one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Entry {
    /// From 0.
    pub minute: Option<u32>,
    /// From 0.
    pub hour: Option<u32>,
    /// From 1.
    pub day: Option<u32>,
    /// From 1.
    pub month: Option<u32>,
    /// 0 is Sunday.
    pub weekday: Option<u32>,
}

impl Cron {
    /// Reads `MINUTE HOUR DAY MONTH WEEKDAY`, or `@hourly`, `@daily`, `@weekly`, `@monthly`, `@yearly`. The error is a message.
    ///
    /// # Errors
    ///
    /// Fails if it is not such a text, or no minute ever fits it.
    pub fn read(text: &str) -> Result<Self, String> {
        let text = match text.trim() {
            "@hourly" => "0 * * * *",
            "@daily" => "0 0 * * *",
            "@weekly" => "0 0 * * 0",
            "@monthly" => "0 0 1 * *",
            "@yearly" => "0 0 1 1 *",
            other => other,
        };
        let fields: Vec<&str> = text.split([' ', '\t']).filter(|field| !field.is_empty()).collect();
        let [minutes, hours, days, months, weekdays] = fields.as_slice() else {
            return Err(format!("a schedule has five fields, minute hour day month weekday, and not {}", fields.len()));
        };
        let mut weekdays = field(weekdays, "weekday", 0..=7, &DAYS)?;
        // Both 0 and 7 are Sunday.
        if weekdays.values.remove(&7) {
            weekdays.values.insert(0);
        }
        weekdays.is_all = weekdays.values.len() == 7;
        let read = Self {
            minutes: field(minutes, "minute", 0..=59, &[])?,
            hours: field(hours, "hour", 0..=23, &[])?,
            days: field(days, "day", 1..=31, &[])?,
            months: field(months, "month", 1..=12, &MONTHS)?,
            weekdays,
        };
        let longest = read.months.values.iter().map(|month| match month {
            2 => 29,
            4 | 6 | 9 | 11 => 30,
            _ => 31,
        });
        let first_day = read.days.values.first().copied().unwrap_or(1);
        if longest.max().unwrap_or(31) < first_day && !read.is_either() {
            return Err(format!("no month of the schedule has a day {first_day}"));
        }
        Ok(read)
    }

    /// Whether it runs on days that fit the day or the weekday: both are restricted. Otherwise both must fit.
    fn is_either(&self) -> bool {
        !self.days.is_star && !self.weekdays.is_star
    }

    /// Whether it may run in the hours in which clocks are set forward: a time that does not exist is left out.
    pub fn may_skip(&self) -> bool {
        !self.hours.is_all && self.hours.values.iter().any(|hour| (0..=3).contains(hour))
    }

    /// Returns the values of `OnCalendar=`. It runs when one of them fits.
    pub fn to_systemd(&self, utc: bool) -> Vec<String> {
        let zone = if utc { " UTC" } else { "" };
        let list = |field: &Field| match field.is_all {
            true => "*".to_owned(),
            false => field.values.iter().map(|value| format!("{value:02}")).collect::<Vec<_>>().join(","),
        };
        let names: Vec<String> = self
            .weekdays
            .values
            .iter()
            .filter_map(|day| DAYS.get(usize::try_from(*day).ok()?))
            .map(|name| format!("{}{}", name[..1].to_uppercase(), &name[1..]))
            .collect();
        let weekdays = if self.weekdays.is_all { String::new() } else { format!("{} ", names.join(",")) };
        let calendar = |weekdays: &str, days: &str| {
            let (months, hours, minutes) = (list(&self.months), list(&self.hours), list(&self.minutes));
            format!("{weekdays}*-{months}-{days} {hours}:{minutes}:00{zone}")
        };
        match self.is_either() {
            true => vec![calendar("", &list(&self.days)), calendar(&weekdays, "*")],
            false => vec![calendar(&weekdays, &list(&self.days))],
        }
    }

    /// Returns launchd's calendar. The error is a message.
    ///
    /// # Errors
    ///
    /// Fails if launchd has no such calendar, or one that is too long.
    pub fn to_launchd(&self) -> Result<Vec<Entry>, String> {
        let each = |field: &Field| -> Vec<Option<u32>> {
            if field.is_all { vec![None] } else { field.values.iter().copied().map(Some).collect() }
        };
        let every = vec![None];
        let both = !self.days.is_all && !self.weekdays.is_all;
        let pairs = match (self.is_either(), both) {
            (true, _) => vec![(each(&self.days), every.clone()), (every, each(&self.weekdays))],
            (false, false) => vec![(each(&self.days), each(&self.weekdays))],
            // An entry with both runs if either fits.
            (false, true) => {
                return Err("launchd cannot require a day and a weekday at once: name one of them".to_owned());
            }
        };
        let mut entries = Vec::new();
        for (days, weekdays) in pairs {
            for month in each(&self.months) {
                for (day, weekday) in days.iter().flat_map(|day| weekdays.iter().map(move |weekday| (*day, *weekday))) {
                    for hour in each(&self.hours) {
                        let entry = |minute| Entry { minute, hour, day, month, weekday };
                        entries.extend(each(&self.minutes).into_iter().map(entry));
                    }
                }
            }
        }
        if entries.len() > MOST_ENTRIES {
            return Err(format!("launchd would need {} entries: name fewer minutes, hours or days", entries.len()));
        }
        Ok(entries)
    }
}

fn field(text: &str, name: &str, range: RangeInclusive<u32>, names: &[&str]) -> Result<Field, String> {
    let wrong = || {
        format!("{text:?} is not a {name}: use *, numbers from {} to {}, a-b, a,b and */n", range.start(), range.end())
    };
    let value = |text: &str| -> Option<u32> {
        let named = names.iter().position(|name| name.eq_ignore_ascii_case(text)).and_then(|at| u32::try_from(at).ok());
        // Months count from 1, weekdays from 0.
        let offset = u32::from(*range.start() == 1);
        let is_number = !text.is_empty() && text.len() <= 2 && text.bytes().all(|byte| byte.is_ascii_digit());
        let number = || is_number.then(|| text.parse().ok()).flatten();
        named.map(|at| at + offset).or_else(number).filter(|value| range.contains(value))
    };
    let mut values = BTreeSet::new();
    for part in text.split(',') {
        let (span, step) = match part.split_once('/') {
            Some((span, step)) => {
                let step = step.parse::<u32>().ok().filter(|step| *step > 0 && step <= range.end());
                (span, Some(step.ok_or_else(wrong)?))
            }
            None => (part, None),
        };
        let (from, to) = match span.split_once('-') {
            _ if span == "*" => (*range.start(), *range.end()),
            Some((from, to)) => (value(from).ok_or_else(wrong)?, value(to).ok_or_else(wrong)?),
            // cron reads a step after one number as none.
            None if step.is_some() => return Err(wrong()),
            None => {
                let one = value(span).ok_or_else(wrong)?;
                (one, one)
            }
        };
        if from > to {
            return Err(wrong());
        }
        // Weekday 7 is Sunday again, so steps over `*` end with Saturday.
        let to = if span == "*" && name == "weekday" { 6 } else { to };
        values.extend((from..=to).step_by(usize::try_from(step.unwrap_or(1)).map_err(|_| wrong())?));
    }
    let is_all = range.clone().all(|value| values.contains(&value));
    Ok(Field { values, is_star: text.starts_with('*'), is_all })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn systemd(text: &str) -> String {
        Cron::read(text).map_or_else(|why| why, |cron| cron.to_systemd(false).join(" | "))
    }

    #[test]
    fn a_schedule_is_the_same_minutes_in_systemd() {
        for (cron, expected) in [
            ("0 9 * * *", "*-*-* 09:00:00"),
            ("*/20 * * * *", "*-*-* *:00,20,40:00"),
            ("30 8-18/5 * * mon-fri", "Mon,Tue,Wed,Thu,Fri *-*-* 08,13,18:30:00"),
            ("0 0 1,15 JAN,jul *", "*-01,07-01,15 00:00:00"),
            ("0 12 * * 7", "Sun *-*-* 12:00:00"),
            ("0 12 * * 0-7", "*-*-* 12:00:00"),
            ("0 12 * * */2", "Sun,Tue,Thu,Sat *-*-* 12:00:00"),
            // Both are restricted: either day.
            ("0 9 13 * fri", "*-*-13 09:00:00 | Fri *-*-* 09:00:00"),
            // A field that begins with * is no restriction: both must fit.
            ("0 9 */2 * fri", "Fri *-*-01,03,05,07,09,11,13,15,17,19,21,23,25,27,29,31 09:00:00"),
            ("@weekly", "Sun *-*-* 00:00:00"),
        ] {
            assert_eq!(systemd(cron), expected, "{cron}");
        }
        assert_eq!(Cron::read("5 4 * * *").unwrap().to_systemd(true), ["*-*-* 04:05:00 UTC"]);
        assert!(Cron::read("5 2 * * *").unwrap().may_skip() && !Cron::read("5 * * * *").unwrap().may_skip());
    }

    #[test]
    fn what_cron_has_not_is_an_error() {
        for wrong in [
            "",
            "* * * *",
            "0 0 9 * * *",
            "60 * * * *",
            "* 24 * * *",
            "* * 0 * *",
            "* * 32 * *",
            "* * * 13 *",
            "* * * * 8",
            "5/10 * * * *",
            "*/0 * * * *",
            "9-5 * * * *",
            "a * * * *",
            "* * L * *",
            "* * * * 5#2",
            "? * * * *",
            "@reboot",
            "-1 * * * *",
            "+1 * * * *",
            "1- * * * *",
            "0 9 31 2 *",
            "0 9 31 feb,apr *",
            "* * * * %h",
            "0\u{a0}9 * * *",
        ] {
            assert!(Cron::read(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_schedule_is_the_same_minutes_in_launchd_or_refused() {
        let entries = |text: &str| Cron::read(text).unwrap().to_launchd();
        let at = |hour, minute| Entry { hour: Some(hour), minute: Some(minute), ..Entry::default() };
        assert_eq!(entries("0,30 9 * * *").unwrap(), [at(9, 0), at(9, 30)]);
        let either = entries("0 9 13 * fri").unwrap();
        assert_eq!(either, [Entry { day: Some(13), ..at(9, 0) }, Entry { weekday: Some(5), ..at(9, 0) }]);
        assert!(entries("0 9 */2 * fri").unwrap_err().contains("at once"));
        assert!(entries("1-59 1-23 * * *").unwrap_err().contains("entries"));
        assert_eq!(entries("* * * * *").unwrap(), [Entry::default()]);
    }
}
