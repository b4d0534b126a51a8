//! Harmonics of the columns of a periodic motion: x(t) = mean + Σ (c_n cos nΩt + s_n sin nΩt), t from the start of the motion.

use super::{Output, PeriodicError, PeriodicMotion, Transient, simulate};
use crate::analyses::linear::LinearError;
use crate::common::spelling::did_you_mean;
use crate::solution::{Column, ColumnFamily, Columns, Outcome, Table};
use std::f64::consts::TAU;

/// Fewest samples per period.
const MIN_SAMPLES: usize = 128;
/// A column that differs by more than this part of its range after one period does not repeat.
const REPEAT_TOLERANCE: f64 = 1e-5;

/// Mean and harmonics of one column.
#[derive(Clone, Debug, PartialEq)]
pub struct ColumnHarmonics {
    /// Its name.
    pub name: String,
    /// Its unit.
    pub unit: String,
    /// Whole turns per period of an angle; the harmonics are those of the rest.
    pub turns: i64,
    /// Its mean.
    pub mean: f64,
    /// c_n and s_n, n = 1, 2, …
    pub harmonics: Vec<[f64; 2]>,
}

impl ColumnHarmonics {
    /// Amplitude of the harmonic n; n = 0 is the mean.
    pub fn amplitude(&self, n: usize) -> f64 {
        match n {
            0 => self.mean,
            n => self.harmonics.get(n - 1).map_or(0.0, |[c, s]| c.hypot(*s)),
        }
    }
}

/// A number that describes a column over one period.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HarmonicStatistic {
    /// The mean.
    Mean,
    /// c_n.
    Cosine(usize),
    /// s_n.
    Sine(usize),
    /// √(c_n² + s_n²).
    Amplitude(usize),
}

/// The highest harmonic that can be named.
const HIGHEST_HARMONIC: usize = 200;

impl std::str::FromStr for HarmonicStatistic {
    type Err = &'static str;

    /// `mean`, `cos1`, `sin2`, `amplitude4`.
    fn from_str(word: &str) -> Result<HarmonicStatistic, &'static str> {
        let order = |name: &str| {
            let n = word.strip_prefix(name).and_then(|n| n.parse::<usize>().ok());
            n.filter(|n| (1..=HIGHEST_HARMONIC).contains(n))
        };
        let mean = (word == "mean").then_some(HarmonicStatistic::Mean);
        let found = mean.or_else(|| order("cos").map(HarmonicStatistic::Cosine));
        let found = found.or_else(|| order("sin").map(HarmonicStatistic::Sine));
        let found = found.or_else(|| order("amplitude").map(HarmonicStatistic::Amplitude));
        found.ok_or("statistics are mean, cos1 …, sin1 …, amplitude1 …")
    }
}

impl std::fmt::Display for HarmonicStatistic {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            HarmonicStatistic::Mean => write!(f, "mean"),
            HarmonicStatistic::Cosine(n) => write!(f, "cos{n}"),
            HarmonicStatistic::Sine(n) => write!(f, "sin{n}"),
            HarmonicStatistic::Amplitude(n) => write!(f, "amplitude{n}"),
        }
    }
}

impl HarmonicStatistic {
    /// The harmonic it needs.
    pub fn order(self) -> usize {
        match self {
            HarmonicStatistic::Mean => 0,
            HarmonicStatistic::Cosine(n) | HarmonicStatistic::Sine(n) | HarmonicStatistic::Amplitude(n) => n,
        }
    }

    /// Its value; zero beyond the harmonics that were computed.
    pub fn of(self, column: &ColumnHarmonics) -> f64 {
        let harmonic = |n: usize| column.harmonics.get(n - 1).copied().unwrap_or_default();
        match self {
            HarmonicStatistic::Mean => column.mean,
            HarmonicStatistic::Cosine(n) => harmonic(n)[0],
            HarmonicStatistic::Sine(n) => harmonic(n)[1],
            HarmonicStatistic::Amplitude(n) => column.amplitude(n),
        }
    }
}

impl PeriodicMotion<'_> {
    /// The columns over one period, at `samples` equal intervals; the last row is one period after the first.
    ///
    /// # Errors
    /// A run that ends within the period.
    pub fn table(&self, samples: usize, settings: &Transient) -> Result<Table, PeriodicError> {
        self.recorded(samples, settings, &Columns::All)
    }

    fn recorded(&self, samples: usize, settings: &Transient, columns: &Columns) -> Result<Table, PeriodicError> {
        let count = self.starts.len();
        let per = samples.div_ceil(count);
        let duration = self.period / count as f64;
        let mut whole: Option<Vec<Column>> = None;
        for (i, start) in self.starts.iter().enumerate() {
            let times: Vec<f64> = (0..=per).map(|k| start.t + duration * k as f64 / per as f64).collect();
            let t_end = times[per];
            let [rtol, atol] = [settings.rtol, settings.atol].map(|x| x.min(1e-10));
            let output = Output::Times(times);
            let run = Transient { t_end, output, rtol, atol, columns: columns.clone(), ..settings.clone() };
            let found = simulate(self.model, start, &run)?;
            if found.outcome != Outcome::Finished {
                let t = found.final_state().t;
                return Err(PeriodicError::RunEnds { t, outcome: Box::new(found.outcome) });
            }
            let mut table = found.table;
            if i + 1 < count {
                table.truncate(per);
            }
            let columns = table.into_columns();
            match &mut whole {
                Some(before) => before.iter_mut().zip(columns).for_each(|(a, b)| a.data.extend(b.data)),
                None => whole = Some(columns),
            }
        }
        let mut columns = whole.unwrap_or_default();
        // Each segment counts the turns of angles from its own start.
        for column in columns.iter_mut().filter(|c| c.unit == "rad") {
            for k in (1..count).map(|i| i * per) {
                let jump = TAU * ((column.data[k] - column.data[k - 1]) / TAU).round();
                column.data[k..].iter_mut().for_each(|x| *x -= jump);
            }
        }
        Ok(columns.into_iter().collect())
    }

    /// Mean and harmonics up to `highest` of columns.
    ///
    /// # Errors
    /// An unknown column, or one that does not repeat.
    pub fn harmonics(
        &self,
        names: &[&str],
        highest: usize,
        settings: &Transient,
    ) -> Result<Vec<ColumnHarmonics>, PeriodicError> {
        let samples = MIN_SAMPLES.max(8 * highest);
        // Columns that cost more than the motion itself are recorded only if they are named.
        let mut table = self.recorded(samples, settings, &Columns::Only(ColumnFamily::of_the_motion().collect()))?;
        if names.iter().any(|name| table.get(name).is_err()) {
            table = self.table(samples, settings)?;
        }
        names.iter().map(|name| column_harmonics(&table, name, highest)).collect()
    }
}

/// Mean and harmonics of a column of one period, with the first row repeated at the end.
fn column_harmonics(table: &Table, name: &str, highest: usize) -> Result<ColumnHarmonics, PeriodicError> {
    let Ok(column) = table.get(name) else {
        let hint = did_you_mean(name, table.columns().iter().map(|c| c.name.as_str()));
        return Err(LinearError::UnknownName { what: "column", name: name.to_string(), hint }.into());
    };
    let samples = column.data.len() - 1;
    let (first, last) = (column.data[0], column.data[samples]);
    let turns = if column.unit == "rad" { ((last - first) / TAU).round() } else { 0.0 };
    let part = |k: usize| k as f64 / samples as f64;
    let rest: Vec<f64> = (0..samples).map(|k| column.data[k] - TAU * turns * part(k)).collect();
    let [low, high] = rest.iter().fold([f64::INFINITY, f64::NEG_INFINITY], |[a, b], x| [a.min(*x), b.max(*x)]);
    let apart = (last - first - TAU * turns).abs();
    if apart > REPEAT_TOLERANCE * (high - low).max(1e-3 * high.abs().max(low.abs())) && apart > 1e-9 {
        return Err(PeriodicError::ColumnDoesNotRepeat {
            column: name.to_string(),
            difference: apart,
            unit: column.unit.clone(),
        });
    }
    let sum = |of: &dyn Fn(f64) -> f64| rest.iter().enumerate().map(|(k, x)| x * of(TAU * part(k))).sum::<f64>();
    let scale = 1.0 / samples as f64;
    let harmonic = |n: usize| {
        let n = n as f64;
        [2.0 * scale * sum(&|angle| (n * angle).cos()), 2.0 * scale * sum(&|angle| (n * angle).sin())]
    };
    Ok(ColumnHarmonics {
        name: name.to_string(),
        unit: column.unit.clone(),
        turns: turns as i64,
        mean: scale * sum(&|_| 1.0),
        harmonics: (1..=highest).map(harmonic).collect(),
    })
}
