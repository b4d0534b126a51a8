//! Polars in the c81 format.
//!
//! ```text
//!  title (30 characters), then six counts of 2 characters: Mach numbers and angles of cl, of cd, of cm
//!  each table: Mach numbers, then one row per angle (deg) with its values; fields of 7 characters,
//!  9 values per line, the first field of further lines is blank
//! ```

use crate::regular_file;
use std::path::Path;
use taut::air::{PolarGrid, PolarTable};

const FIELD: usize = 7;
const VALUES_PER_LINE: usize = 9;

/// Reads a file; the error gives the line.
pub(super) fn read(path: &Path) -> Result<PolarTable, String> {
    let text = regular_file::read_text(path).map_err(|e| format!("cannot read {}: {e}", path.display()))?;
    parse(&text).map_err(|e| format!("{}: {e}", path.display()))
}

fn parse(text: &str) -> Result<PolarTable, String> {
    let mut lines = Lines { lines: text.lines().collect(), next: 0 };
    let header = lines.take()?;
    let counts = header.chars().skip(30).collect::<String>();
    let counts: Vec<usize> = (0..6)
        .map(|k| {
            let field: String = counts.chars().skip(2 * k).take(2).collect();
            let count = field.trim().parse().ok().filter(|n| *n > 0);
            count.ok_or_else(|| format!("line 1: `{field}` is no count of Mach numbers or angles"))
        })
        .collect::<Result<_, String>>()?;
    let cl = grid(&mut lines, counts[0], counts[1])?;
    let cd = grid(&mut lines, counts[2], counts[3])?;
    let cm = grid(&mut lines, counts[4], counts[5])?;
    Ok(PolarTable { cl, cd: Some(cd), cm: Some(cm) })
}

struct Lines<'t> {
    lines: Vec<&'t str>,
    next: usize,
}

impl<'t> Lines<'t> {
    fn take(&mut self) -> Result<&'t str, String> {
        let line = self.lines.get(self.next).ok_or_else(|| format!("it ends after line {}", self.next))?;
        self.next += 1;
        Ok(line)
    }

    /// The first field and `count` values, on as many lines as they need.
    fn record(&mut self, count: usize) -> Result<(String, Vec<f64>), String> {
        let (mut first, mut values) = (String::new(), Vec::with_capacity(count));
        while values.len() < count {
            let line = self.take()?;
            if !line.is_ascii() {
                return Err(format!("line {}: it is not plain ASCII text", self.next));
            }
            let field = |k: usize| line.get(k * FIELD..((k + 1) * FIELD).min(line.len())).unwrap_or("").trim();
            if values.is_empty() {
                first = field(0).to_string();
            }
            for k in 1..=(count - values.len()).min(VALUES_PER_LINE) {
                let text = field(k);
                if text.is_empty() {
                    return Err(format!("line {}: value {k} is missing; every entry needs a value", self.next));
                }
                values.push(number(text, self.next)?);
            }
        }
        Ok((first, values))
    }
}

fn number(text: &str, line: usize) -> Result<f64, String> {
    let value = text.parse::<f64>().ok().filter(|x| x.is_finite());
    value.ok_or_else(|| format!("line {line}: `{text}` is no number"))
}

fn grid(lines: &mut Lines, machs: usize, angles: usize) -> Result<PolarGrid, String> {
    let (_, mach) = lines.record(machs)?;
    increasing(&mach, "Mach numbers", lines.next)?;
    let (mut alpha, mut values) = (Vec::with_capacity(angles), Vec::with_capacity(angles));
    for _ in 0..angles {
        let line = lines.next + 1;
        let (angle, row) = lines.record(machs)?;
        alpha.push(number(&angle, line)?.to_radians());
        values.push(row);
        increasing(&alpha[alpha.len().saturating_sub(2)..], "angles", line)?;
    }
    Ok(PolarGrid { alpha, mach, values })
}

fn increasing(x: &[f64], what: &str, line: usize) -> Result<(), String> {
    match x.windows(2).all(|pair| pair[0] < pair[1]) {
        true => Ok(()),
        false => Err(format!("line {line}: the {what} must increase")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file() -> String {
        let row = |first: &str, values: &[f64]| {
            values.iter().fold(format!("{first:>7}"), |line, v| format!("{line}{v:7.3}")) + "\n"
        };
        let mut text = format!("{:30} 2 3 1 2 1 2\n", "MADE UP SECTION");
        text += &row("", &[0.0, 0.8]);
        text += &(row("-180.0", &[0.0, 0.0]) + &row("0.0", &[0.1, 0.2]) + &row("180.0", &[0.0, 0.0]));
        text += &(row("", &[0.0]) + &row("-180.0", &[0.02]) + &row("180.0", &[0.02]));
        text += &(row("", &[0.0]) + &row("-180.0", &[0.0]) + &row("180.0", &[-0.1]));
        text
    }

    #[test]
    fn the_three_tables_are_read() {
        let found = parse(&file()).unwrap();
        assert_eq!((found.cl.mach.clone(), found.cl.values[1].clone()), (vec![0.0, 0.8], vec![0.1, 0.2]));
        assert!((found.cl.alpha[2] - std::f64::consts::PI).abs() < 1e-15);
        assert_eq!(found.cm.unwrap().values, [[0.0], [-0.1]]);
    }

    #[test]
    fn gaps_and_disorder_name_the_line() {
        let message = |text: &str| parse(text).unwrap_err();
        assert_eq!(message(&file().replace("  0.200", "")), "line 4: value 2 is missing; every entry needs a value");
        assert_eq!(
            message(&file().replace("  180.0  0.000  0.000", " -190.0  0.000  0.000")),
            "line 5: the angles must increase"
        );
        assert!(message(&file().replace("0.020", "0.0x0")).contains("`0.0x0` is no number"));
        assert!(message(&file().replace(" 2 3 1 2 1 2", " 2 3 1 2 1 9")).contains("it ends after line 11"));
        assert!(message("short\n").contains("line 1"));
    }
}
