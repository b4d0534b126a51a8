//! Thinning of long runs: films evenly, columns to their extremes.

/// How the columns were thinned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Thinning {
    /// Not at all.
    None,
    /// Two values per bucket: minimum and maximum, in order of time.
    Extremes,
}

/// At most `most` evenly spaced rows out of `rows`, including the first and the last, and in addition all of `kept`.
pub fn evenly_spaced_rows(rows: usize, most: usize, kept: &[usize]) -> Vec<usize> {
    if rows <= most {
        return (0..rows).collect();
    }
    let steps = most.max(2) - 1;
    let even = (0..=steps).map(|k| (k * (rows - 1) + steps / 2) / steps);
    let mut chosen: Vec<usize> = even.chain(kept.iter().copied().filter(|k| *k < rows)).collect();
    chosen.sort_unstable();
    chosen.dedup();
    chosen
}

/// Buckets of rows, each represented by two values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Buckets {
    rows: usize,
    /// First row of each bucket; empty if all rows are kept.
    starts: Vec<usize>,
}

impl Buckets {
    /// Divides `rows` rows so that at most `most` values of each column are kept.
    pub fn new(rows: usize, most: usize) -> Buckets {
        let count = (most / 2).max(1);
        let begins = if rows <= most.max(2) { Vec::new() } else { (0..count).map(|k| k * rows / count).collect() };
        Buckets { rows, starts: begins }
    }

    /// The kind of thinning.
    pub fn thinning(&self) -> Thinning {
        if self.starts.is_empty() { Thinning::None } else { Thinning::Extremes }
    }

    /// Number of values kept of each column.
    pub fn values(&self) -> usize {
        if self.starts.is_empty() { self.rows } else { 2 * self.starts.len() }
    }

    fn ranges(&self) -> impl Iterator<Item = std::ops::Range<usize>> + '_ {
        let ends = self.starts.iter().skip(1).copied().chain([self.rows]);
        self.starts.iter().copied().zip(ends).map(|(begin, end)| begin..end)
    }

    /// The times of the values: the first and last of each bucket.
    pub fn instants(&self, t: &[f64]) -> Vec<f64> {
        if self.starts.is_empty() {
            return t.to_vec();
        }
        self.ranges().flat_map(|r| [t[r.start], t[r.end - 1]]).collect()
    }

    /// The thinned values of a column; NaN only if the whole bucket is NaN.
    pub fn column_values(&self, column: &[f64]) -> Vec<f64> {
        if self.starts.is_empty() {
            return column.to_vec();
        }
        let pair = |r: std::ops::Range<usize>| {
            let mut found: Option<[(usize, f64); 2]> = None;
            for (k, x) in column[r].iter().enumerate().filter(|(_, x)| !x.is_nan()) {
                found = Some(match found {
                    None => [(k, *x); 2],
                    Some([low, high]) => {
                        [if *x < low.1 { (k, *x) } else { low }, if *x > high.1 { (k, *x) } else { high }]
                    }
                });
            }
            match found {
                None => [f64::NAN; 2],
                Some([low, high]) if low.0 <= high.0 => [low.1, high.1],
                Some([low, high]) => [high.1, low.1],
            }
        };
        self.ranges().flat_map(pair).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn even_rows_with_ends_and_events() {
        assert_eq!(evenly_spaced_rows(5, 10, &[]), [0, 1, 2, 3, 4]);
        assert_eq!(evenly_spaced_rows(101, 5, &[33, 50, 200]), [0, 25, 33, 50, 75, 100]);
    }

    #[test]
    fn every_spike_survives() {
        let n = 10_007;
        for spike in [0, 1, 4_999, 10_006] {
            let mut column: Vec<f64> = (0..n).map(|k| (0.001 * k as f64).sin()).collect();
            column[spike] = 7.0;
            column[(spike + 1) % n] = -9.0;
            let buckets = Buckets::new(n, 500);
            let thin = buckets.column_values(&column);
            assert_eq!(thin.len(), buckets.values());
            assert!(thin.len() <= 500 && thin.contains(&7.0) && thin.contains(&-9.0));
            let t: Vec<f64> = (0..n).map(|k| k as f64).collect();
            let instants = buckets.instants(&t);
            assert!(instants.len() == thin.len() && instants.is_sorted());
            assert_eq!((instants[0], instants[instants.len() - 1]), (0.0, (n - 1) as f64));
        }
    }

    #[test]
    fn extremes_come_in_their_order() {
        let buckets = Buckets::new(8, 4);
        let column = [1.0, 5.0, 2.0, 3.0, 9.0, f64::NAN, 4.0, 6.0];
        assert_eq!(buckets.column_values(&column), [1.0, 5.0, 9.0, 4.0]);
        assert_eq!(Buckets::new(3, 4).column_values(&[1.0, 2.0, 3.0]), [1.0, 2.0, 3.0]);
    }
}
