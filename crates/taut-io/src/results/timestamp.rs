//! Wall-clock time as text, in UTC: `2031-05-04T13:07:09Z`.

use std::time::{SystemTime, UNIX_EPOCH};

/// The present moment.
pub(crate) fn now() -> String {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    stamp(since.as_secs())
}

/// A moment given in seconds since 1970.
fn stamp(seconds: u64) -> String {
    let (days, rest) = (seconds / 86_400, seconds % 86_400);
    let (year, month, day) = date(days);
    format!("{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}Z", rest / 3600, rest / 60 % 60, rest % 60)
}

/// The Gregorian date of a day counted from 1970-01-01. Internally years begin in March, so that the leap day is the last.
fn date(days: u64) -> (u64, u64, u64) {
    const ERA: u64 = 146_097; // days in 400 years
    const TO_1970: u64 = 719_468; // days from 0000-03-01
    let shifted = days + TO_1970;
    let (era, day) = (shifted / ERA, shifted % ERA);
    // Leap days before this one: one in 4 years, none in 100, one in 400.
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let of_year = day - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let of_month = of_year - (153 * month + 2) / 5 + 1;
    let january = month >= 10;
    (400 * era + year + u64::from(january), if january { month - 9 } else { month + 3 }, of_month)
}

#[cfg(test)]
mod tests {
    use super::stamp;

    #[test]
    fn dates_are_those_of_the_calendar() {
        for (seconds, text) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (951_868_799, "2000-02-29T23:59:59Z"),
            (1_709_164_800, "2024-02-29T00:00:00Z"),
            (1_735_689_599, "2024-12-31T23:59:59Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"),
        ] {
            assert_eq!(stamp(seconds), text);
        }
    }
}
