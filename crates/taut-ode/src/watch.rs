//! Finds the events of a step on its dense output.

use crate::root::{Bracket, Dip};
use crate::{Depend, Direction, NearZero, Problem, Refusal, Search, Stepper};

/// After a start, a jump or an event the first part of a step is searched at distances growing
/// by this factor: a body that rebounds may come back long before the first part ends.
const SPREAD: f64 = 4.0;

/// Number of those distances; 4^-24 of a part is below the resolution of time.
const SPREAD_POINTS: i32 = 24;

/// Dips of `|g|` just inside the ends of a step show between its end and this share of a part.
const MARGIN: f64 = 1.0 / 64.0;

/// On which side of zero a function was last.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Side {
    Negative,
    Positive,
    /// Resting until `|g|` exceeds the threshold.
    Zero {
        threshold: f64,
    },
}

impl Side {
    fn of(g: f64, otherwise: Self) -> Self {
        if g > 0.0 {
            Self::Positive
        } else if g < 0.0 {
            Self::Negative
        } else {
            otherwise
        }
    }

    /// The side after `g` was seen without anything firing.
    fn after(self, g: f64) -> Self {
        match self {
            Self::Zero { threshold } if g.abs() > threshold => Self::of(g, self),
            Self::Zero { .. } => self,
            Self::Negative | Self::Positive => Self::of(g, self),
        }
    }

    /// Whether going on to `g` is a crossing that counts.
    fn crosses(self, g: f64, direction: Direction, near_zero: NearZero) -> bool {
        match (self, direction) {
            // What leaves zero downwards has not been above it for long enough to be seen there.
            (Self::Zero { threshold }, Direction::Falling) if near_zero == NearZero::Watched => g < -threshold,
            (Self::Negative, Direction::Rising | Direction::Either) => g >= 0.0,
            (Self::Positive, Direction::Falling | Direction::Either) => g <= 0.0,
            _ => false,
        }
    }
}

/// Density of the samples at the beginning of the next search.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Opening {
    Even,
    Spread,
}

/// The events that fire together.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Hit {
    index: usize,
    far: f64,
    threshold: f64,
}

/// Below which values a function still counts as zero: what it changes by within the resolution of time, and what it was
/// found with, unless it has jumped across.
fn at_zero(resolution: f64, found: f64) -> f64 {
    let near = 4.0 * found.abs();
    if near <= 64.0 * resolution { near.max(resolution) } else { resolution }
}

/// Sides of all events, and the workspace of the search.
pub struct Watch {
    count: usize,
    search: Search,
    /// Up to here all is found.
    t: f64,
    opening: Opening,
    sides: Vec<Side>,
    /// Samples of the present step: times, and values row by row.
    times: Vec<f64>,
    values: Vec<f64>,
    hits: Vec<Hit>,
    y: Vec<f64>,
    g: Vec<f64>,
}

impl Watch {
    /// A watch of all events of the problem from `(t, y)` on.
    pub fn new(problem: &mut dyn Problem, t: f64, y: &[f64], search: Search) -> Self {
        let count = problem.count();
        // One more sample for each event, should a dip be found.
        let samples = search.parts + SPREAD_POINTS as usize + 3 + count;
        let mut watch = Self {
            count,
            search,
            t,
            opening: Opening::Spread,
            sides: vec![Side::Zero { threshold: 0.0 }; count],
            times: Vec::with_capacity(samples),
            values: Vec::with_capacity(samples * count),
            hits: Vec::with_capacity(count),
            y: y.to_vec(),
            g: vec![0.0; count],
        };
        watch.jumped(problem, t, y);
        watch
    }

    /// Whether there is anything to watch.
    pub fn is_idle(&self) -> bool {
        self.count == 0
    }

    /// The events found last, all of the same time.
    pub fn fired(&self) -> impl Iterator<Item = usize> + '_ {
        self.hits.iter().map(|hit| hit.index)
    }

    /// Takes note of a jump to `(t, y)`, which is no crossing.
    pub fn jumped(&mut self, problem: &mut dyn Problem, t: f64, y: &[f64]) {
        self.t = t;
        self.opening = Opening::Spread;
        if self.count == 0 {
            return;
        }
        problem.values(t, y, &mut self.g);
        for (i, (side, &g)) in self.sides.iter_mut().zip(&self.g).enumerate() {
            *side = match *side {
                resting @ Side::Zero { .. } if problem.near_zero(i) == NearZero::Rests => resting.after(g),
                _ => Side::of(g, Side::Zero { threshold: 0.0 }),
            };
        }
    }

    /// Goes on from the other side of a restart at `(t, y)`: what has changed its sign there fires, but for functions
    /// that are decided anew after every jump anyway.
    pub fn passed(&mut self, problem: &mut dyn Problem, t: f64, y: &[f64]) {
        self.hits.clear();
        if self.count == 0 {
            self.t = t;
            return;
        }
        problem.values(t, y, &mut self.g);
        for i in 0..self.count {
            let watched = problem.near_zero(i) == NearZero::Watched;
            if !watched && self.sides[i].crosses(self.g[i], problem.direction(i), NearZero::Rests) {
                self.hits.push(Hit { index: i, far: t, threshold: 0.0 });
            }
        }
        self.jumped(problem, t, y);
        for hit in &self.hits {
            self.sides[hit.index] = Side::of(self.g[hit.index], Side::Zero { threshold: 0.0 });
        }
    }

    /// The time of the next event of the stepper's last step, if there is one.
    pub fn next(&mut self, stepper: &mut dyn Stepper, problem: &mut dyn Problem) -> Result<Option<f64>, Refusal> {
        self.hits.clear();
        if self.count == 0 || self.t == stepper.t() {
            return Ok(None);
        }
        self.sample(stepper, problem)?;
        self.insert_dips(stepper, problem)?;
        let step = (stepper.t() - self.times[0]).abs();
        let resolution = self.search.resolution * stepper.t().abs().max(step);
        for j in 1..self.times.len() {
            self.find_hits(stepper, problem, j, resolution)?;
            let Some(first) = self.earliest() else {
                for (i, side) in self.sides.iter_mut().enumerate() {
                    *side = side.after(self.values[j * self.count + i]);
                }
                continue;
            };
            // The end of a part does not separate events of the same time.
            if (self.times[j] - first).abs() <= resolution && j + 1 < self.times.len() {
                self.find_hits(stepper, problem, j + 1, resolution)?;
            }
            return self.settle(stepper, problem, first, resolution).map(Some);
        }
        self.t = stepper.t();
        self.opening = Opening::Even;
        Ok(None)
    }

    /// Keeps the events of the first time and sets all sides to after it.
    fn settle(
        &mut self,
        stepper: &mut dyn Stepper,
        problem: &mut dyn Problem,
        first: f64,
        resolution: f64,
    ) -> Result<f64, Refusal> {
        self.hits.retain(|hit| (hit.far - first).abs() <= resolution);
        self.hits.sort_unstable_by_key(|hit| hit.index);
        let direction = (stepper.t() - self.t).signum();
        // The latest of them, where all have crossed.
        let latest = self.hits.iter().map(|hit| direction * hit.far);
        let t = direction * latest.fold(direction * first, f64::max);
        stepper.interpolate(problem, t, &mut self.y)?;
        problem.values(t, &self.y, &mut self.g);
        for (side, &g) in self.sides.iter_mut().zip(&self.g) {
            *side = side.after(g);
        }
        for hit in &self.hits {
            self.sides[hit.index] = Side::Zero { threshold: at_zero(hit.threshold, self.g[hit.index]) };
        }
        self.t = t;
        self.opening = Opening::Spread;
        Ok(t)
    }

    fn earliest(&self) -> Option<f64> {
        let start = self.times[0];
        let hits = self.hits.iter().map(|hit| hit.far);
        hits.min_by(|a, b| (a - start).abs().total_cmp(&(b - start).abs()))
    }

    /// Values of all events at the times of the samples.
    fn sample(&mut self, stepper: &mut dyn Stepper, problem: &mut dyn Problem) -> Result<(), Refusal> {
        let (start, end) = (self.t, stepper.t());
        let part = (end - start) / self.search.parts as f64;
        let depend = problem.depend();
        self.times.clear();
        self.times.push(start);
        if depend != Depend::Straight {
            if self.opening == Opening::Spread {
                for k in (1..=SPREAD_POINTS).rev() {
                    self.push_time(start + part * SPREAD.powi(-k), end);
                }
            } else {
                self.push_time(start + part * MARGIN, end);
            }
            for k in 1..self.search.parts {
                self.push_time(start + part * k as f64, end);
            }
            self.push_time(end - part * MARGIN, end);
        }
        self.times.push(end);
        self.values.clear();
        for &t in &self.times {
            if depend == Depend::OnState {
                stepper.interpolate(problem, t, &mut self.y)?;
            }
            problem.values(t, &self.y, &mut self.g);
            self.values.extend_from_slice(&self.g);
        }
        Ok(())
    }

    /// Adds a time if it lies, as rounded, between the last one and the end.
    fn push_time(&mut self, t: f64, end: f64) {
        let last = self.times[self.times.len() - 1];
        if (t - last) * (end - last) > 0.0 && (end - t) * (end - last) > 0.0 {
            self.times.push(t);
        }
    }

    /// Makes a sample of the bottom of each dip that reaches zero, such that both its crossings
    /// are seen.
    fn insert_dips(&mut self, stepper: &mut dyn Stepper, problem: &mut dyn Problem) -> Result<(), Refusal> {
        let count = self.count;
        for i in 0..count {
            for j in 1..self.times.len() - 1 {
                let at = |j: usize| self.values[j * count + i];
                let dip =
                    Dip { t: [self.times[j - 1], self.times[j], self.times[j + 1]], g: [at(j - 1), at(j), at(j + 1)] };
                if !dip.is_one() {
                    continue;
                }
                let Some((t, _)) = dip.follow(|t| self.value(stepper, problem, i, t))? else {
                    continue;
                };
                let here = if (t - dip.t[1]) * (dip.t[2] - dip.t[1]) > 0.0 { j + 1 } else { j };
                // All values at t are in g from the last evaluation.
                self.times.insert(here, t);
                for (k, &g) in self.g.iter().enumerate() {
                    self.values.insert(here * count + k, g);
                }
                break;
            }
        }
        Ok(())
    }

    /// Locates the crossings between samples `j - 1` and `j`.
    fn find_hits(
        &mut self,
        stepper: &mut dyn Stepper,
        problem: &mut dyn Problem,
        j: usize,
        resolution: f64,
    ) -> Result<(), Refusal> {
        let (near, far) = (self.times[j - 1], self.times[j]);
        for i in 0..self.count {
            let g_near = self.values[(j - 1) * self.count + i];
            let g_far = self.values[j * self.count + i];
            let crosses = self.sides[i].crosses(g_far, problem.direction(i), problem.near_zero(i));
            if !crosses || self.hits.iter().any(|hit| hit.index == i) {
                continue;
            }
            let start = Bracket { near, far, g_near, g_far };
            // A function that was at (or, not a number, off) zero on the near side has no sign
            // to search with: its crossing is at the far side.
            let found = if self.sides[i] == Side::of(g_near, Side::Zero { threshold: 0.0 }) {
                start.shrink(|t| self.value(stepper, problem, i, t))?
            } else {
                start
            };
            // What g changes by within the resolution of time.
            let slope = (g_far - g_near).abs() / (far - near).abs();
            self.hits.push(Hit { index: i, far: found.far, threshold: at_zero(resolution * slope, found.g_far) });
        }
        Ok(())
    }

    /// Value of event `i` on the dense output.
    fn value(
        &mut self,
        stepper: &mut dyn Stepper,
        problem: &mut dyn Problem,
        i: usize,
        t: f64,
    ) -> Result<f64, Refusal> {
        stepper.interpolate(problem, t, &mut self.y)?;
        problem.values(t, &self.y, &mut self.g);
        Ok(self.g[i])
    }
}
