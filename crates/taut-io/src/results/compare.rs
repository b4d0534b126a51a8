//! Compares two runs column by column, at their common times.

use super::error::ResultsError;
use super::run::StoredRun;

/// Numbers of one run that are read at a time: 128 MB.
const MAX_NUMBERS_IN_MEMORY: usize = 16 << 20;
/// Times whose relative difference is smaller are equal.
const TIME_TOLERANCE: f64 = 1e-12;

/// A largest difference and its time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LargestDifference {
    /// How large.
    pub size: f64,
    /// When, s.
    pub t: f64,
}

/// How far one column of two runs differs.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// The column.
    pub name: String,
    /// Its unit in the first run.
    pub unit: String,
    /// Its unit in the second, if that is another.
    pub other_unit: Option<String>,
    /// Largest |a − b|; infinite where only one of them is a number.
    pub absolute: LargestDifference,
    /// Largest |a − b| / max(|a|, |b|) of one row.
    pub relative: LargestDifference,
    /// Largest magnitude in either run: the reference for `absolute` if a quantity passes zero.
    pub scale: f64,
}

/// How the rows of two runs were matched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RowMatching {
    /// Rows at times that both have.
    pub common: usize,
    /// Rows of the first run alone.
    pub only_first: usize,
    /// Rows of the second run alone.
    pub only_second: usize,
}

/// Common rows and columns of two runs, and their differences.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// How their rows were matched.
    pub rows: RowMatching,
    /// Every common column, in the order of the first run.
    pub differences: Vec<Difference>,
    /// Columns of the first run alone.
    pub only_first: Vec<String>,
    /// Columns of the second run alone.
    pub only_second: Vec<String>,
}

impl Comparison {
    /// Whether both have the same columns and rows with equal values.
    pub fn is_equal(&self) -> bool {
        let RowMatching { only_first, only_second, .. } = self.rows;
        let alone = only_first + only_second + self.only_first.len() + self.only_second.len();
        alone == 0 && self.differences.iter().all(|d| d.absolute.size == 0.0)
    }
}

/// Compares two runs at their common times. Nothing is interpolated: rows at other times are counted, not compared.
///
/// # Errors
/// Results that cannot be read, or without times.
pub fn compare(first: &StoredRun, second: &StoredRun) -> Result<Comparison, ResultsError> {
    let (ta, tb) = (first.column("t")?, second.column("t")?);
    let pairs = matched(&ta, &tb);
    let has = |run: &StoredRun, name: &str| run.columns().iter().any(|c| c.name == name);
    let alone = |of: &StoredRun, other: &StoredRun| -> Vec<String> {
        of.columns().iter().filter(|c| !has(other, &c.name)).map(|c| c.name.clone()).collect()
    };
    let common: Vec<&str> =
        first.columns().iter().map(|c| c.name.as_str()).filter(|n| *n != "t" && has(second, n)).collect();
    let mut differences = Vec::with_capacity(common.len());
    let at_once = (MAX_NUMBERS_IN_MEMORY / ta.len().max(tb.len()).max(1)).max(1);
    for names in common.chunks(at_once) {
        let (a, b) = (first.table(names)?, second.table(names)?);
        for (a, b) in a.columns().iter().zip(b.columns()) {
            let mut difference = difference(&ta, &a.data, &b.data, &pairs);
            (difference.name, difference.unit) = (a.name.clone(), a.unit.clone());
            difference.other_unit = (a.unit != b.unit).then(|| b.unit.clone());
            differences.push(difference);
        }
    }
    let rows =
        RowMatching { common: pairs.len(), only_first: ta.len() - pairs.len(), only_second: tb.len() - pairs.len() };
    let (only_first, only_second) = (alone(first, second), alone(second, first));
    Ok(Comparison { rows, differences, only_first, only_second })
}

/// Pairs of rows at equal times. Several rows at one time (both sides of a jump) are paired in their order.
fn matched(ta: &[f64], tb: &[f64]) -> Vec<(usize, usize)> {
    let span = |t: &[f64]| t.last().map_or(0.0, |x| x.abs());
    let near = TIME_TOLERANCE * span(ta).max(span(tb));
    let (mut i, mut j, mut pairs) = (0, 0, Vec::new());
    while i < ta.len() && j < tb.len() {
        let apart = ta[i] - tb[j];
        if apart.abs() <= near {
            pairs.push((i, j));
            (i, j) = (i + 1, j + 1);
        } else if apart < 0.0 {
            i += 1;
        } else {
            j += 1;
        }
    }
    pairs
}

fn difference(t: &[f64], a: &[f64], b: &[f64], pairs: &[(usize, usize)]) -> Difference {
    let (mut absolute, mut relative, mut scale) = (LargestDifference::default(), LargestDifference::default(), 0.0_f64);
    for &(i, j) in pairs {
        // A run that is still being written may have grown since its times were read.
        let (Some(&x), Some(&y)) = (a.get(i), b.get(j)) else { continue };
        let size = x.abs().max(y.abs());
        if size.is_finite() {
            scale = scale.max(size);
        }
        if x == y || (x.is_nan() && y.is_nan()) {
            continue;
        }
        let apart = (x - y).abs();
        let apart = if apart.is_nan() { f64::INFINITY } else { apart };
        let of_size = if apart.is_finite() { apart / size } else { f64::INFINITY };
        for (worst, size) in [(&mut absolute, apart), (&mut relative, of_size)] {
            if size > worst.size {
                *worst = LargestDifference { size, t: t[i] };
            }
        }
    }
    Difference { name: String::new(), unit: String::new(), other_unit: None, absolute, relative, scale }
}

#[cfg(test)]
mod tests {
    use super::{difference, matched};

    #[test]
    fn rows_meet_at_equal_times() {
        let a = [0.0, 0.1, 0.2, 0.3];
        let b = [0.0, 0.05, 0.1 + 1e-16, 0.3, 0.3];
        assert_eq!(matched(&a, &b), [(0, 0), (1, 2), (3, 3)]);
        assert_eq!(matched(&[0.0, 1.0, 1.0, 2.0], &[0.0, 1.0, 1.0, 2.0]).len(), 4);
        assert!(matched(&[], &b).is_empty());
    }

    #[test]
    fn the_worst_is_found_with_its_time() {
        let t = [0.0, 1.0, 2.0];
        let d = difference(&t, &[1e-9, 10.0, f64::NAN], &[2e-9, 10.5, f64::NAN], &[(0, 0), (1, 1), (2, 2)]);
        assert_eq!((d.absolute.size, d.absolute.t), (0.5, 1.0));
        assert_eq!((d.relative.size, d.relative.t), (0.5, 0.0));
        assert_eq!(d.scale, 10.5);
        let d = difference(&t, &[0.0, f64::NAN, 0.0], &[0.0, 0.0, 0.0], &[(0, 0), (1, 1)]);
        assert_eq!((d.absolute.size, d.absolute.t), (f64::INFINITY, 1.0));
    }
}
