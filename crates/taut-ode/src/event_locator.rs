//! Locates the events of a step on its dense output.
//!
//! This file holds the state of the search and its main loop. The submodules hold the parts:
//!
//! - [`side`]: the sign of each event function, and what counts as a crossing;
//! - [`sampling`]: where the functions are sampled and where samples are added;
//! - [`local_minima`]: local minima of the magnitude between samples;
//! - [`crossings`]: the crossings found, and the events that fire together.

mod crossings;
mod local_minima;
mod sampling;
mod side;

use crate::samples::{SampleRequest, Samples};
use crate::{EventSearch, Problem, RearmPolicy, Refusal, Resting, Stepper};
use crossings::{Crossing, CrossingKind};
use sampling::{FirstSampling, GRADING_POINTS, IRREGULAR_POINTS};
use side::EventSide;

/// Signs of all event functions, and the workspace of the search.
pub struct EventLocator {
    count: usize,
    search: EventSearch,
    /// All events up to this time have been found.
    t: f64,
    first_sampling: FirstSampling,
    sides: Vec<EventSide>,
    /// Samples of the present step, and whether they are up to date.
    samples: Samples,
    samples_valid: bool,
    requests: Vec<SampleRequest>,
    /// Functions that touch zero in the present step, and when.
    touches: Vec<(usize, f64)>,
    crossings: Vec<Crossing>,
    y: Vec<f64>,
    g: Vec<f64>,
}

impl EventLocator {
    /// Locates all events of the problem from `(t, y)` on.
    pub fn new(problem: &mut dyn Problem, t: f64, y: &[f64], search: EventSearch) -> Self {
        let count = problem.event_count();
        // One more sample for each event, for a minimum.
        let samples = search.parts + GRADING_POINTS as usize + IRREGULAR_POINTS.len() + 3 + count;
        let mut watch = Self {
            count,
            search,
            t,
            first_sampling: FirstSampling::Graded,
            sides: vec![EventSide::Zero { threshold: 0.0 }; count],
            samples: Samples::new(count, samples),
            samples_valid: false,
            requests: Vec::with_capacity(samples),
            touches: Vec::with_capacity(count),
            crossings: Vec::with_capacity(count),
            y: y.to_vec(),
            g: vec![0.0; count],
        };
        for (i, side) in watch.sides.iter_mut().enumerate() {
            if let Some(resting) = problem.resting(i, t) {
                *side = match resting {
                    Resting::AtZero { threshold } => EventSide::Zero { threshold },
                    Resting::BeforeJump { above } => EventSide::FiredBeforeJump { above },
                };
            }
        }
        watch.reset_after_jump(problem, t, y);
        watch
    }

    /// Whether there are no events.
    pub fn is_idle(&self) -> bool {
        self.count == 0
    }

    /// The events found last that go through zero, all at the same time.
    pub fn fired(&self) -> impl Iterator<Item = usize> + '_ {
        self.crossings.iter().filter(|hit| hit.kind == CrossingKind::Through).map(|hit| hit.index)
    }

    /// The events found last that only touch zero.
    pub fn touched(&self) -> impl Iterator<Item = usize> + '_ {
        self.crossings.iter().filter(|hit| hit.kind == CrossingKind::Touch).map(|hit| hit.index)
    }

    /// Sets the signs after a jump to `(t, y)`, which does not count as a crossing.
    pub fn reset_after_jump(&mut self, problem: &mut dyn Problem, t: f64, y: &[f64]) {
        self.t = t;
        self.first_sampling = FirstSampling::Graded;
        self.samples_valid = false;
        if self.count == 0 {
            return;
        }
        problem.values(t, y, &mut self.g);
        for (i, (side, &g)) in self.sides.iter_mut().zip(&self.g).enumerate() {
            *side = match *side {
                resting @ (EventSide::Zero { .. } | EventSide::FiredBeforeJump { .. })
                    if problem.rearm_policy(i) == RearmPolicy::AfterLeavingZero =>
                {
                    resting.after(g)
                }
                _ => EventSide::of(g, EventSide::Zero { threshold: 0.0 }),
            };
        }
    }

    /// Updates the signs after the state at the last events was projected. The projection may have moved the state back before
    /// the crossing, which must not count twice.
    pub fn update_after_projection(&mut self, problem: &mut dyn Problem, t: f64, y: &[f64]) {
        problem.values(t, y, &mut self.g);
        for hit in &self.crossings {
            let g = self.g[hit.index];
            if problem.rearm_policy(hit.index) != RearmPolicy::AfterLeavingZero {
                continue;
            }
            match (&mut self.sides[hit.index], hit.jump) {
                (EventSide::Zero { threshold }, None) => {
                    *threshold = threshold.max(4.0 * g.abs());
                }
                (side, Some(found)) if found * g <= 0.0 => *side = EventSide::FiredBeforeJump { above: found > 0.0 },
                _ => {}
            }
        }
    }

    /// Reports the events that cannot fire again yet at `t`, so that an integration which ends here can be continued.
    pub fn report_resting(&self, problem: &mut dyn Problem, t: f64) {
        for (i, side) in self.sides.iter().enumerate() {
            let resting = match *side {
                EventSide::Zero { threshold } if threshold > 0.0 => Resting::AtZero { threshold },
                EventSide::FiredBeforeJump { above } => Resting::BeforeJump { above },
                _ => continue,
            };
            if problem.rearm_policy(i) == RearmPolicy::AfterLeavingZero {
                problem.set_resting(i, t, resting);
            }
        }
    }

    /// Whether some function has the other sign at a state within the step and its old sign at the end.
    pub fn changes_sign_within(&mut self, problem: &mut dyn Problem, at: (f64, &[f64]), end: (f64, &[f64])) -> bool {
        problem.values(end.0, end.1, &mut self.g);
        let ends: Vec<EventSide> =
            self.g.iter().map(|g| EventSide::of(*g, EventSide::Zero { threshold: 0.0 })).collect();
        problem.values(at.0, at.1, &mut self.g);
        let mut all = self.sides.iter().zip(&ends).zip(&self.g);
        all.any(|((start, end), g)| {
            start == end && matches!((start, *g), (EventSide::Negative, 0.0..) | (EventSide::Positive, ..=0.0))
        })
    }

    /// Continues behind a restart at `(t, y)`. Functions that changed sign across it fire, except those that are evaluated
    /// after every jump anyway ([`RearmPolicy::Immediately`]).
    pub fn cross_restart(&mut self, problem: &mut dyn Problem, t: f64, y: &[f64]) {
        self.crossings.clear();
        if self.count == 0 {
            self.t = t;
            return;
        }
        problem.values(t, y, &mut self.g);
        for i in 0..self.count {
            let watched = problem.rearm_policy(i) == RearmPolicy::Immediately;
            if !watched && self.sides[i].crosses(self.g[i], problem.direction(i), RearmPolicy::AfterLeavingZero) {
                self.crossings.push(Crossing {
                    index: i,
                    far: t,
                    threshold: 0.0,
                    jump: None,
                    kind: CrossingKind::Through,
                });
            }
        }
        self.reset_after_jump(problem, t, y);
        for hit in &self.crossings {
            self.sides[hit.index] = EventSide::of(self.g[hit.index], EventSide::Zero { threshold: 0.0 });
        }
    }

    /// Time of the next event of the stepper's last step, if there is one.
    pub fn next_event(&mut self, stepper: &mut dyn Stepper, problem: &mut dyn Problem) -> Result<Option<f64>, Refusal> {
        // Such an event may have changed the functions themselves: all samples are taken again.
        let unchanged = self.fired().all(|i| problem.rearm_policy(i) == RearmPolicy::AfterLeavingZero);
        self.samples_valid &= unchanged;
        self.crossings.clear();
        if self.count == 0 || self.t == stepper.t() {
            self.samples_valid = false;
            return Ok(None);
        }
        let resolution = self.search.resolution * stepper.t().abs().max((stepper.t() - self.t).abs());
        if self.samples_valid {
            self.reuse_samples(stepper, problem)?;
        } else {
            self.sample(stepper, problem)?;
            self.refine_samples(stepper, problem, resolution)?;
            self.insert_minima(stepper, problem)?;
            self.samples_valid = true;
        }
        for j in 1..self.samples.len() {
            self.find_crossings(stepper, problem, j, resolution)?;
            let Some(first) = self.earliest() else {
                for (i, side) in self.sides.iter_mut().enumerate() {
                    *side = side.after(self.samples.value(j, i));
                }
                continue;
            };
            // The end of a part does not separate events of the same time.
            if (self.samples.times[j] - first).abs() <= resolution && j + 1 < self.samples.len() {
                self.find_crossings(stepper, problem, j + 1, resolution)?;
            }
            return self.accept_crossings(stepper, problem, first, resolution).map(Some);
        }
        self.t = stepper.t();
        self.first_sampling = FirstSampling::Even;
        self.samples_valid = false;
        // A function that was moved back before its jump and has not reached it again by now has turned back.
        for (i, side) in self.sides.iter_mut().enumerate() {
            if matches!(side, EventSide::FiredBeforeJump { .. }) {
                *side =
                    EventSide::of(self.samples.value(self.samples.len() - 1, i), EventSide::Zero { threshold: 0.0 });
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
