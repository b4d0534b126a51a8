//! Formats numbers and tables as text.

/// A number with about six significant digits.
pub fn number(x: f64) -> String {
    if x == 0.0 {
        return "0".to_string();
    }
    if !x.is_finite() {
        return x.to_string();
    }
    let size = x.abs();
    if (1e-3..1e6).contains(&size) {
        let digits = (5 - size.log10().floor() as i32).clamp(0, 8) as usize;
        let text = format!("{x:.digits$}");
        match text.contains('.') {
            true => text.trim_end_matches('0').trim_end_matches('.').to_string(),
            false => text,
        }
    } else {
        format!("{x:.3e}")
    }
}

/// A number with at most `digits` significant digits, without trailing zeros.
pub fn significant(x: f64, digits: usize) -> String {
    if x == 0.0 || !x.is_finite() {
        return if x == 0.0 { "0".to_string() } else { x.to_string() };
    }
    let mantissa = digits.saturating_sub(1);
    // Rounded first: 9.9996 with four digits is 10.
    let scientific = format!("{x:.mantissa$e}");
    let (head, power) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let power: i32 = power.parse().unwrap_or(0);
    let trim = |text: &str| match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_string(),
        false => text.to_string(),
    };
    if (-4..7).contains(&power) {
        let decimals = (mantissa as i32 - power).max(0) as usize;
        trim(&format!("{x:.decimals$}"))
    } else {
        format!("{}e{power}", trim(head))
    }
}

/// A small error, of which only the order of magnitude matters.
pub fn size(x: f64) -> String {
    if x == 0.0 { "0".to_string() } else { format!("{x:.1e}") }
}

/// A duration.
pub fn clock(seconds: f64) -> String {
    if seconds < 1.0 {
        format!("{:.0} ms", 1e3 * seconds)
    } else if seconds < 100.0 {
        format!("{seconds:.1} s")
    } else if seconds < 6000.0 {
        format!("{:.0} min {:02.0} s", (seconds / 60.0).floor(), (seconds % 60.0).floor())
    } else {
        format!("{:.0} h {:02.0} min", (seconds / 3600.0).floor(), (seconds % 3600.0 / 60.0).floor())
    }
}

/// `1 row`, `2 rows`.
pub fn count(n: usize, one: &str, many: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { many })
}

/// Alignment of a table column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Align {
    /// For text.
    Left,
    /// For numbers.
    Right,
}

/// A table as lines of text: columns as wide as their widest entry, separated by two spaces.
pub fn table(align: &[Align], rows: &[Vec<String>], indent: &str) -> String {
    let width = |k: usize| rows.iter().filter_map(|r| r.get(k)).map(|c| c.chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..align.len()).map(width).collect();
    let mut text = String::new();
    for row in rows {
        let mut line = indent.to_string();
        for (k, cell) in row.iter().enumerate().take(align.len()) {
            let pad = " ".repeat(widths[k].saturating_sub(cell.chars().count()));
            let (before, after) = match align[k] {
                Align::Left => ("", pad.as_str()),
                Align::Right => (pad.as_str(), ""),
            };
            let gap = if k == 0 { "" } else { "  " };
            line.push_str(&format!("{gap}{before}{cell}{after}"));
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_as_people_write_them() {
        let reported = [0.0, 1.0, -2.5, 12345.678, 0.001234567, 1e-9, 3e7, 999_999.9, f64::NAN].map(number);
        assert_eq!(reported, ["0", "1", "-2.5", "12345.7", "0.00123457", "1.000e-9", "3.000e7", "1000000", "NaN"]);
        assert_eq!([0.0, 1.26e-13].map(size), ["0", "1.3e-13"]);
        assert_eq!([0.25, 12.34, 125.0, 7300.0].map(clock), ["250 ms", "12.3 s", "2 min 05 s", "2 h 01 min"]);
    }

    #[test]
    fn numbers_with_the_digits_they_have() {
        let reported =
            [(1.5, 10), (0.94230543504376, 8), (9.9996, 4), (3.1e-5, 10), (35835.0, 3), (1e7, 3), (-0.25, 1)];
        let reported = reported.map(|(x, n)| significant(x, n));
        assert_eq!(reported, ["1.5", "0.94230544", "10", "3.1e-5", "35835", "1e7", "-0.2"]);
    }

    #[test]
    fn tables_line_up() {
        let rows = [vec!["a".to_string(), "1".to_string()], vec!["longer".to_string(), "23".to_string()]];
        assert_eq!(table(&[Align::Left, Align::Right], &rows, " "), " a        1\n longer  23\n");
    }
}
