//! Locates the events of a step on its dense output.
//!
//! This file holds the state of the search and its main loop. The submodules hold the parts:
//!
//! - [`side`]: the sign of each event function, and what counts as a crossing;
//! - [`sampling`]: where the functions are sampled and where samples are added;
//! - [`dips`]: local minima of the magnitude between samples;
//! - [`hits`]: the crossings found, and the events that fire together.

mod dips;
mod hits;
mod sampling;
mod side;

use crate::samples::{Samples, Wanted};
use crate::{NearZero, Problem, Refusal, Resting, Search, Stepper};
use hits::{Hit, Way};
use sampling::{ODD, Opening, SPREAD_POINTS};
use side::Side;

/// Signs of all event functions, and the workspace of the search.
pub struct Watch {
    count: usize,
    search: Search,
    /// All events up to this time have been found.
    t: f64,
    opening: Opening,
    sides: Vec<Side>,
    /// Samples of the present step, and whether they are up to date.
    samples: Samples,
    current: bool,
    wanted: Vec<Wanted>,
    /// Functions that touch zero in the present step, and when.
    touches: Vec<(usize, f64)>,
    hits: Vec<Hit>,
    y: Vec<f64>,
    g: Vec<f64>,
}

impl Watch {
    /// Locates all events of the problem from `(t, y)` on.
    pub fn new(problem: &mut dyn Problem, t: f64, y: &[f64], search: Search) -> Self {
        let count = problem.count();
        // One more sample for each event, for a minimum.
        let samples = search.parts + SPREAD_POINTS as usize + ODD.len() + 3 + count;
        let mut watch = Self {
            count,
            search,
            t,
            opening: Opening::Spread,
            sides: vec![Side::Zero { threshold: 0.0 }; count],
            samples: Samples::new(count, samples),
            current: false,
            wanted: Vec::with_capacity(samples),
            touches: Vec::with_capacity(count),
            hits: Vec::with_capacity(count),
            y: y.to_vec(),
            g: vec![0.0; count],
        };
        for (i, side) in watch.sides.iter_mut().enumerate() {
            if let Some(resting) = problem.resting(i, t) {
                *side = match resting {
                    Resting::AtZero { threshold } => Side::Zero { threshold },
                    Resting::BeforeJump { above } => Side::Passed { above },
                };
            }
        }
        watch.jumped(problem, t, y);
        watch
    }

    /// Whether there are no events.
    pub fn is_idle(&self) -> bool {
        self.count == 0
    }

    /// The events found last that go through zero, all at the same time.
    pub fn fired(&self) -> impl Iterator<Item = usize> + '_ {
        self.hits.iter().filter(|hit| hit.way == Way::Through).map(|hit| hit.index)
    }

    /// The events found last that only touch zero.
    pub fn touched(&self) -> impl Iterator<Item = usize> + '_ {
        self.hits.iter().filter(|hit| hit.way == Way::Back).map(|hit| hit.index)
    }

    /// Sets the signs after a jump to `(t, y)`, which does not count as a crossing.
    pub fn jumped(&mut self, problem: &mut dyn Problem, t: f64, y: &[f64]) {
        self.t = t;
        self.opening = Opening::Spread;
        self.current = false;
        if self.count == 0 {
            return;
        }
        problem.values(t, y, &mut self.g);
        for (i, (side, &g)) in self.sides.iter_mut().zip(&self.g).enumerate() {
            *side = match *side {
                resting @ (Side::Zero { .. } | Side::Passed { .. }) if problem.near_zero(i) == NearZero::Rests => {
                    resting.after(g)
                }
                _ => Side::of(g, Side::Zero { threshold: 0.0 }),
            };
        }
    }

    /// Updates the signs after the state at the last events was projected. The projection may have moved the state back before
    /// the crossing, which must not count twice.
    pub fn refined(&mut self, problem: &mut dyn Problem, t: f64, y: &[f64]) {
        problem.values(t, y, &mut self.g);
        for hit in &self.hits {
            let g = self.g[hit.index];
            if problem.near_zero(hit.index) != NearZero::Rests {
                continue;
            }
            match (&mut self.sides[hit.index], hit.jump) {
                (Side::Zero { threshold }, None) => {
                    *threshold = threshold.max(4.0 * g.abs());
                }
                (side, Some(found)) if found * g <= 0.0 => *side = Side::Passed { above: found > 0.0 },
                _ => {}
            }
        }
    }

    /// Reports the events that cannot fire again yet at `t`, so that an integration which ends here can be continued.
    pub fn report_resting(&self, problem: &mut dyn Problem, t: f64) {
        for (i, side) in self.sides.iter().enumerate() {
            let resting = match *side {
                Side::Zero { threshold } if threshold > 0.0 => Resting::AtZero { threshold },
                Side::Passed { above } => Resting::BeforeJump { above },
                _ => continue,
            };
            if problem.near_zero(i) == NearZero::Rests {
                problem.rests(i, t, resting);
            }
        }
    }

    /// Whether some function has the other sign at a state within the step and its old sign at the end.
    pub fn changes_within(&mut self, problem: &mut dyn Problem, at: (f64, &[f64]), end: (f64, &[f64])) -> bool {
        problem.values(end.0, end.1, &mut self.g);
        let ends: Vec<Side> = self.g.iter().map(|g| Side::of(*g, Side::Zero { threshold: 0.0 })).collect();
        problem.values(at.0, at.1, &mut self.g);
        let mut all = self.sides.iter().zip(&ends).zip(&self.g);
        all.any(|((start, end), g)| {
            start == end && matches!((start, *g), (Side::Negative, 0.0..) | (Side::Positive, ..=0.0))
        })
    }

    /// Continues behind a restart at `(t, y)`. Functions that changed sign across it fire, except those that are evaluated
    /// after every jump anyway ([`NearZero::Watched`]).
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
                self.hits.push(Hit { index: i, far: t, threshold: 0.0, jump: None, way: Way::Through });
            }
        }
        self.jumped(problem, t, y);
        for hit in &self.hits {
            self.sides[hit.index] = Side::of(self.g[hit.index], Side::Zero { threshold: 0.0 });
        }
    }

    /// Time of the next event of the stepper's last step, if there is one.
    pub fn next(&mut self, stepper: &mut dyn Stepper, problem: &mut dyn Problem) -> Result<Option<f64>, Refusal> {
        // Such an event may have changed the functions themselves: all samples are taken again.
        let unchanged = self.fired().all(|i| problem.near_zero(i) == NearZero::Rests);
        self.current &= unchanged;
        self.hits.clear();
        if self.count == 0 || self.t == stepper.t() {
            self.current = false;
            return Ok(None);
        }
        let resolution = self.search.resolution * stepper.t().abs().max((stepper.t() - self.t).abs());
        if self.current {
            self.go_on(stepper, problem)?;
        } else {
            self.sample(stepper, problem)?;
            self.look_closer(stepper, problem, resolution)?;
            self.insert_dips(stepper, problem)?;
            self.current = true;
        }
        for j in 1..self.samples.len() {
            self.find_hits(stepper, problem, j, resolution)?;
            let Some(first) = self.earliest() else {
                for (i, side) in self.sides.iter_mut().enumerate() {
                    *side = side.after(self.samples.value(j, i));
                }
                continue;
            };
            // The end of a part does not separate events of the same time.
            if (self.samples.times[j] - first).abs() <= resolution && j + 1 < self.samples.len() {
                self.find_hits(stepper, problem, j + 1, resolution)?;
            }
            return self.settle(stepper, problem, first, resolution).map(Some);
        }
        self.t = stepper.t();
        self.opening = Opening::Even;
        self.current = false;
        // A function that was moved back before its jump and has not reached it again by now has turned back.
        for (i, side) in self.sides.iter_mut().enumerate() {
            if matches!(side, Side::Passed { .. }) {
                *side = Side::of(self.samples.value(self.samples.len() - 1, i), Side::Zero { threshold: 0.0 });
            }
        }
        Ok(None)
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
