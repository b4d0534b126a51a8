//! Harmonics of the columns of a periodic motion: x(t) = mean + Σ (c_n cos nΩt + s_n sin nΩt), t from the start of the motion.

use super::samples::{PeriodEnds, Samples};
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

    /// Chosen columns.
    pub(in crate::analyses) fn recorded(
        &self,
        samples: usize,
        settings: &Transient,
        columns: &Columns,
    ) -> Result<Table, PeriodicError> {
        self.recorded_at(&Samples::equal(self, samples), settings, columns)
    }

    /// The columns at chosen times.
    fn recorded_at(&self, at: &Samples, settings: &Transient, columns: &Columns) -> Result<Table, PeriodicError> {
        let count = self.starts.len();
        let mut whole: Option<Vec<Column>> = None;
        let mut joints = Vec::new();
        for (i, (start, times)) in self.starts.iter().zip(&at.times).enumerate() {
            let t_end = times.last().copied().unwrap_or(start.t);
            let [rtol, atol] = [settings.rtol, settings.atol].map(|x| x.min(1e-10));
            let output = Output::Times(times.clone());
            let run = Transient { t_end, output, rtol, atol, columns: columns.clone(), ..settings.clone() };
            let found = simulate(self.model, start, &run)?;
            if found.outcome != Outcome::Finished {
                let t = found.final_state().t;
                return Err(PeriodicError::RunEnds { t, outcome: Box::new(found.outcome) });
            }
            let mut table = found.table;
            if i + 1 < count {
                table.truncate(times.len() - 1);
            }
            let columns = table.into_columns();
            match &mut whole {
                Some(before) => {
                    joints.push(before.first().map_or(0, |c| c.data.len()));
                    before.iter_mut().zip(columns).for_each(|(a, b)| a.data.extend(b.data));
                }
                None => whole = Some(columns),
            }
        }
        let mut columns = whole.unwrap_or_default();
        // Each segment counts the turns of angles from its own start.
        for column in columns.iter_mut().filter(|c| c.unit == "rad") {
            for k in joints.iter().copied() {
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
        let at = Samples::for_integrals(self, MIN_SAMPLES.max(8 * highest))?;
        // Columns that cost more than the motion itself are recorded only if they are named.
        let motion = Columns::Only(ColumnFamily::of_the_motion().collect());
        let mut table = self.recorded_at(&at, settings, &motion)?;
        if names.iter().any(|name| table.get(name).is_err()) {
            table = self.recorded_at(&at, settings, &Columns::All)?;
        }
        names.iter().map(|name| column_harmonics(&table, name, highest, &at)).collect()
    }
}

/// Mean and harmonics of a column of one period; the last row is one period after the first.
fn column_harmonics(table: &Table, name: &str, highest: usize, at: &Samples) -> Result<ColumnHarmonics, PeriodicError> {
    let Ok(column) = table.get(name) else {
        let hint = did_you_mean(name, table.columns().iter().map(|c| c.name.as_str()));
        return Err(LinearError::UnknownName { what: "column", name: name.to_string(), hint }.into());
    };
    let last = column.data.len() - 1;
    let change = column.data[last] - column.data[0];
    let turns = if column.unit == "rad" { (change / TAU).round() } else { 0.0 };
    let rest: Vec<f64> =
        column.data.iter().zip(&at.fractions).map(|(x, fraction)| x - TAU * turns * fraction).collect();
    let [low, high] = rest[..last].iter().fold([f64::INFINITY, f64::NEG_INFINITY], |[a, b], x| [a.min(*x), b.max(*x)]);
    let apart = (change - TAU * turns).abs();
    let counts = apart > REPEAT_TOLERANCE * (high - low).max(1e-3 * high.abs().max(low.abs())) && apart > 1e-9;
    // A column may jump at the instant at which the period begins and ends.
    if counts && at.ends == PeriodEnds::Smooth {
        return Err(PeriodicError::ColumnDoesNotRepeat {
            column: name.to_string(),
            difference: apart,
            unit: column.unit.clone(),
        });
    }
    let mean_of = |of: &dyn Fn(f64) -> f64| {
        let terms = rest.iter().zip(&at.fractions).zip(&at.weights);
        terms.map(|((x, fraction), weight)| weight * x * of(TAU * fraction)).sum::<f64>()
    };
    let harmonic = |n: usize| {
        let n = n as f64;
        [2.0 * mean_of(&|angle| (n * angle).cos()), 2.0 * mean_of(&|angle| (n * angle).sin())]
    };
    Ok(ColumnHarmonics {
        name: name.to_string(),
        unit: column.unit.clone(),
        turns: turns as i64,
        mean: mean_of(&|_| 1.0),
        harmonics: (1..=highest).map(harmonic).collect(),
    })
}
