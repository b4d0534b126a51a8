//! Finds the events of a step on its dense output.

use crate::root::{Bracket, Dip, Followed};
use crate::samples::{Samples, Wanted};
use crate::{Between, Depend, Direction, Follow, NearZero, Noted, Problem, Refusal, Search, Stepper};

/// After a start, a jump or an event the first part of a step is searched at distances growing
/// by this factor: a body that rebounds may come back long before the first part ends.
const SPREAD: f64 = 4.0;

/// Number of those distances; 4^-24 of a part is below the resolution of time.
const SPREAD_POINTS: i32 = 24;

/// Dips of `|g|` just inside the ends of a step show between its end and this share of a part.
const MARGIN: f64 = 1.0 / 64.0;

/// Shares of a step at which functions are looked at that are followed by their values: in no ratio to each other, nor to
/// the parts of the step, so that no oscillation hides between them.
const ODD: [f64; 4] = [0.131_782_4, 0.340_926_3, 0.618_034, 0.871_503_7];

/// Share of a step, and how many times the resolution of time, below which nothing is looked at again.
const SHORT: f64 = 1e-10;
const SHORTEST: f64 = 16.0;

/// Rounds of looking again: each divides what is doubtful by two at least.
const ROUNDS: usize = 120;

/// Bottom of a dip, relative to the size of its function within the step, that touches zero.
const TOUCHES: f64 = 1e-10;

/// A function jumps where its rate is this much larger than within the step as a whole, by at least that share of its size.
const JUMP_RATE: f64 = 1e6;
const JUMP: f64 = 1e-6;

/// Within this share of a step two touches are one.
const SAME: f64 = 1e-4;

/// On which side of zero a function was last.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Side {
    Negative,
    Positive,
    /// Resting until `|g|` exceeds the threshold.
    Zero {
        threshold: f64,
    },
    /// Its jump has counted, though the state was moved back to before it: waiting to be above zero, or else below.
    Passed {
        above: bool,
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
            Self::Passed { above } if above != (g > 0.0) => self,
            Self::Zero { .. } => self,
            Self::Passed { .. } => Self::of(g, self),
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

/// Whether a function goes through zero or only touches it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    Through,
    Back,
}

/// The events that fire together.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Hit {
    index: usize,
    far: f64,
    threshold: f64,
    /// Its value there, if it has jumped across zero.
    jump: Option<f64>,
    way: Way,
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
    /// Looks at the present step, and whether they are up to date.
    samples: Samples,
    current: bool,
    wanted: Vec<Wanted>,
    /// Where functions touch zero in the present step.
    touches: Vec<(usize, f64)>,
    hits: Vec<Hit>,
    y: Vec<f64>,
    g: Vec<f64>,
}

impl Watch {
    /// A watch of all events of the problem from `(t, y)` on.
    pub fn new(problem: &mut dyn Problem, t: f64, y: &[f64], search: Search) -> Self {
        let count = problem.count();
        // One more sample for each event, should a dip be found.
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
            if let Some(threshold) = problem.resting(i, t) {
                *side = Side::Zero { threshold };
            }
        }
        watch.jumped(problem, t, y);
        watch
    }

    /// Whether there is anything to watch.
    pub fn is_idle(&self) -> bool {
        self.count == 0
    }

    /// The events found last that go through zero, all of the same time.
    pub fn fired(&self) -> impl Iterator<Item = usize> + '_ {
        self.hits.iter().filter(|hit| hit.way == Way::Through).map(|hit| hit.index)
    }

    /// Those that only touch it.
    pub fn touched(&self) -> impl Iterator<Item = usize> + '_ {
        self.hits.iter().filter(|hit| hit.way == Way::Back).map(|hit| hit.index)
    }

    /// Takes note of a jump to `(t, y)`, which is no crossing.
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

    /// Takes note of the state at the events found last, after it was refined: a return to a manifold may have moved it back
    /// to before the crossing, which must not count twice.
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
                    problem.rests(hit.index, t, *threshold);
                }
                (side, Some(found)) if found * g <= 0.0 => *side = Side::Passed { above: found > 0.0 },
                _ => {}
            }
        }
    }

    /// Whether some function has changed its sign at a state of the step, and back by its end.
    pub fn changes_within(&mut self, problem: &mut dyn Problem, at: (f64, &[f64]), end: (f64, &[f64])) -> bool {
        problem.values(end.0, end.1, &mut self.g);
        let ends: Vec<Side> = self.g.iter().map(|g| Side::of(*g, Side::Zero { threshold: 0.0 })).collect();
        problem.values(at.0, at.1, &mut self.g);
        let mut all = self.sides.iter().zip(&ends).zip(&self.g);
        all.any(|((start, end), g)| {
            start == end && matches!((start, *g), (Side::Negative, 0.0..) | (Side::Positive, ..=0.0))
        })
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
                self.hits.push(Hit { index: i, far: t, threshold: 0.0, jump: None, way: Way::Through });
            }
        }
        self.jumped(problem, t, y);
        for hit in &self.hits {
            self.sides[hit.index] = Side::of(self.g[hit.index], Side::Zero { threshold: 0.0 });
        }
    }

    /// The time of the next event of the stepper's last step, if there is one.
    pub fn next(&mut self, stepper: &mut dyn Stepper, problem: &mut dyn Problem) -> Result<Option<f64>, Refusal> {
        // What is lifted off zero, and other changes of what is watched, show in all values.
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
        // What was moved back before a jump and has not come to it again by now has turned round.
        for (i, side) in self.sides.iter_mut().enumerate() {
            if matches!(side, Side::Passed { .. }) {
                *side = Side::of(self.samples.value(self.samples.len() - 1, i), Side::Zero { threshold: 0.0 });
            }
        }
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
            match (hit.way, hit.jump) {
                (Way::Through, None) => {
                    self.sides[hit.index] = Side::Zero { threshold: at_zero(hit.threshold, self.g[hit.index]) };
                }
                (Way::Through, Some(found)) => self.sides[hit.index] = Side::of(found, Side::Zero { threshold: 0.0 }),
                (Way::Back, _) => self.touches.retain(|touch| *touch != (hit.index, hit.far)),
            }
        }
        self.t = t;
        self.opening = Opening::Spread;
        Ok(t)
    }

    fn earliest(&self) -> Option<f64> {
        let start = self.samples.times[0];
        let hits = self.hits.iter().map(|hit| hit.far);
        hits.min_by(|a, b| (a - start).abs().total_cmp(&(b - start).abs()))
    }

    /// Looks at all functions at a time and adds that behind all others.
    fn look(&mut self, stepper: &mut dyn Stepper, problem: &mut dyn Problem, t: f64) -> Result<(), Refusal> {
        if problem.depend() == Depend::OnState {
            stepper.interpolate(problem, t, &mut self.y)?;
        }
        problem.values(t, &self.y, &mut self.g);
        problem.note(Noted { slot: self.samples.slot(), t });
        self.samples.push(t, &self.g);
        Ok(())
    }

    /// Goes on with the looks at the same step behind an event that has changed nothing.
    fn go_on(&mut self, stepper: &mut dyn Stepper, problem: &mut dyn Problem) -> Result<(), Refusal> {
        let direction = (stepper.t() - self.t).signum();
        self.samples.begin_at(self.t, direction, &self.g);
        // An event that was to happen once has no value any more.
        let t = self.samples.times[1];
        if problem.depend() == Depend::OnState {
            stepper.interpolate(problem, t, &mut self.y)?;
        }
        problem.values(t, &self.y, &mut self.g);
        for i in 0..self.count {
            if self.g[i].is_nan() && !self.samples.value(1, i).is_nan() {
                self.samples.values.iter_mut().skip(i).step_by(self.count).for_each(|g| *g = f64::NAN);
            }
        }
        Ok(())
    }

    /// Values of all events at the first times of the samples.
    fn sample(&mut self, stepper: &mut dyn Stepper, problem: &mut dyn Problem) -> Result<(), Refusal> {
        let (start, end) = (self.t, stepper.t());
        let parts = problem.parts().unwrap_or(self.search.parts);
        let part = (end - start) / parts as f64;
        self.samples.clear();
        self.look(stepper, problem, start)?;
        if problem.depend() != Depend::Straight {
            let by_values = (0..self.count).any(|i| problem.follow(i) == Follow::Values);
            let odd = if by_values { &ODD[..] } else { &[] };
            let mut odd = odd.iter().map(|share| start + share * (end - start)).peekable();
            if self.opening == Opening::Spread {
                for k in (1..=SPREAD_POINTS).rev() {
                    self.look_before(stepper, problem, start + part * SPREAD.powi(-k), end)?;
                }
            } else {
                self.look_before(stepper, problem, start + part * MARGIN, end)?;
            }
            for k in 1..=parts {
                let even = if k < parts { start + part * k as f64 } else { end - part * MARGIN };
                while let Some(t) = odd.next_if(|t| (even - t) * part > 0.0) {
                    self.look_before(stepper, problem, t, end)?;
                }
                self.look_before(stepper, problem, even, end)?;
            }
        }
        self.look(stepper, problem, end)
    }

    /// Looks at a time if it lies, as rounded, between the last one and the end.
    fn look_before(
        &mut self,
        stepper: &mut dyn Stepper,
        problem: &mut dyn Problem,
        t: f64,
        end: f64,
    ) -> Result<(), Refusal> {
        let last = self.samples.times[self.samples.len() - 1];
        let between = (t - last) * (end - last) > 0.0 && (end - t) * (end - last) > 0.0;
        if between { self.look(stepper, problem, t) } else { Ok(()) }
    }

    /// Looks again wherever something may have been missed.
    fn look_closer(
        &mut self,
        stepper: &mut dyn Stepper,
        problem: &mut dyn Problem,
        resolution: f64,
    ) -> Result<(), Refusal> {
        if problem.depend() == Depend::Straight {
            return Ok(());
        }
        let step = (stepper.t() - self.t).abs();
        let shortest = (SHORT * step).max(SHORTEST * resolution);
        let mut wanted = std::mem::take(&mut self.wanted);
        for _ in 0..ROUNDS {
            wanted.clear();
            let mut lost = None;
            for j in 0..self.horizon(problem) {
                let (from, to) = (self.noted(j), self.noted(j + 1));
                if self.samples.is_judged(j) || (to.t - from.t).abs() <= shortest {
                    continue;
                }
                for i in 0..self.count {
                    if let Between::Doubtful(share) = self.judge(problem, i, j) {
                        let t = from.t + share * (to.t - from.t);
                        let inside = (t - from.t) * (to.t - t) > 0.0;
                        wanted.push((j, if inside { t } else { from.t + 0.5 * (to.t - from.t) }));
                        lost = lost.or(Some((i, from.t, to.t)));
                        break;
                    }
                }
            }
            self.samples.judge();
            if let Some((i, from, to)) = lost.filter(|_| self.samples.len() + wanted.len() > self.search.most) {
                problem.lost_sight(i, from, to);
                break;
            }
            if wanted.is_empty() {
                break;
            }
            let before = self.samples.len();
            for (_, t) in &wanted {
                self.look(stepper, problem, *t)?;
            }
            self.samples.merge(before, &wanted);
        }
        self.wanted = wanted;
        Ok(())
    }

    fn noted(&self, j: usize) -> Noted {
        Noted { slot: self.samples.slots[j], t: self.samples.times[j] }
    }

    /// Whether function `i` is to be looked at between the samples `j` and `j + 1`.
    fn judge(&mut self, problem: &mut dyn Problem, i: usize, j: usize) -> Between {
        match problem.follow(i) {
            Follow::Parts => Between::Clear,
            Follow::Bounds => problem.between(i, self.noted(j), self.noted(j + 1)),
            Follow::Values if self.samples.is_doubtful(i, j) => Between::Doubtful(0.5),
            Follow::Values => Between::Clear,
        }
    }

    /// How many stretches between samples matter: behind the first crossing of what changes the motion for sure none does.
    fn horizon(&self, problem: &mut dyn Problem) -> usize {
        let ends = |j: &usize| {
            (0..self.count).any(|i| {
                let (near, far) = (self.samples.value(*j, i), self.samples.value(j + 1, i));
                problem.near_zero(i) == NearZero::Watched && near > 0.0 && far <= 0.0
            })
        };
        let all = self.samples.len() - 1;
        (0..all).find(ends).map_or(all, |j| j + 1)
    }

    /// Makes a sample of the bottom of each dip that reaches zero, such that both its crossings
    /// are seen, and takes note of those that only touch it.
    fn insert_dips(&mut self, stepper: &mut dyn Stepper, problem: &mut dyn Problem) -> Result<(), Refusal> {
        let step = (stepper.t() - self.samples.times[0]).abs();
        let last = self.touches.clone();
        self.touches.clear();
        for i in 0..self.count {
            let touches = if problem.near_zero(i) == NearZero::Rests { TOUCHES * self.samples.size(i) } else { 0.0 };
            if touches > 0.0 {
                self.samples.keep_from_zero(i, touches);
            }
            let mut j = 1;
            while j + 1 < self.samples.len() {
                let dip = Dip {
                    t: [j - 1, j, j + 1].map(|j| self.samples.times[j]),
                    g: [j - 1, j, j + 1].map(|j| self.samples.value(j, i)),
                };
                j += 1;
                if !dip.is_one() {
                    continue;
                }
                match dip.follow(touches, |t| self.value(stepper, problem, i, t))? {
                    Followed::Away => {}
                    Followed::Through(t, _) => {
                        let here = if (t - dip.t[1]) * (dip.t[2] - dip.t[1]) > 0.0 { j } else { j - 1 };
                        // All values at t are in g from the last evaluation.
                        problem.note(Noted { slot: self.samples.slot(), t });
                        self.samples.insert(here, t, &self.g);
                        j += 1;
                    }
                    Followed::Touches(t) => {
                        let counts = match problem.direction(i) {
                            Direction::Either => true,
                            Direction::Falling => dip.g[1] > 0.0,
                            Direction::Rising => dip.g[1] < 0.0,
                        };
                        let near = |touch: &&(usize, f64)| touch.0 == i && (touch.1 - t).abs() <= SAME * step;
                        let told = self.touches.iter().chain(&last).find(near).is_some();
                        if counts && !told {
                            self.touches.push((i, t));
                        }
                    }
                }
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
        let (near, far) = (self.samples.times[j - 1], self.samples.times[j]);
        for (index, t) in &self.touches {
            if (t - near) * (far - t) >= 0.0 && *t != near {
                self.hits.push(Hit { index: *index, far: *t, threshold: 0.0, jump: None, way: Way::Back });
            }
        }
        for i in 0..self.count {
            let (g_near, g_far) = (self.samples.value(j - 1, i), self.samples.value(j, i));
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
            let threshold = at_zero(resolution * slope, found.g_far);
            let jumps = problem.near_zero(i) == NearZero::Rests && self.jumps(i, &found);
            let jump = jumps.then_some(found.g_far);
            self.hits.push(Hit { index: i, far: found.far, threshold, jump, way: Way::Through });
        }
        Ok(())
    }

    /// Whether function `i` jumps where it was found to cross zero.
    fn jumps(&self, i: usize, found: &Bracket) -> bool {
        let times = &self.samples.times;
        let step = (times[times.len() - 1] - times[0]).abs();
        let size = self.samples.size(i);
        let change = (found.g_far - found.g_near).abs();
        change > JUMP * size && change * step > JUMP_RATE * size * (found.far - found.near).abs()
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
