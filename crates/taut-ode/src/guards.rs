//! Zeros of the guards along a step: where the right-hand side itself changes its form.
//!
//! A step that has crossed such a zero mixes two right-hand sides, so that its dense output tells only roughly where. The
//! driver takes it back and repeats it up to just before the time found, until a step ends there; even a last stage
//! behind the zero would spoil it. From there the state hops over the zero by its derivative, and the integration restarts.

use crate::root::Bracket;
use crate::{Problem, Refusal, Stepper};

/// Parts of a step in which every guard is looked at first. They are not equal, lest a guard that oscillates be seen in
/// step with itself.
const ENDS: [f64; 5] = [0.0, 0.17, 0.46, 0.71, 1.0];
const PARTS: usize = ENDS.len() - 1;

/// A part is divided at most so often.
const DEPTH: u32 = 9;

/// Looks at one step, at most.
const MOST: usize = 600;

/// A parabola through three points may miss a fourth by this share of what is left to zero.
const TRUSTED: f64 = 0.25;

/// A step ends before a zero by this share of its length.
const BEFORE: f64 = 1e-13;

/// How far a hop over a zero may go, in units of that margin.
const HOPS: [f64; 3] = [2.0, 8.0, 64.0];

/// A zero within this many margins of the start of a step is hopped over from there.
const NEAR: f64 = 16.0;

/// A zero of a guard.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Zero {
    pub index: usize,
    /// On its near side.
    pub t: f64,
}

/// The sides of all guards, and the workspace of the search.
pub struct Guards {
    count: usize,
    /// Signs; zero where a guard stands at zero.
    sides: Vec<f64>,
    y: Vec<f64>,
    g: Vec<f64>,
    /// Parts still to be looked at, the next one last.
    parts: Vec<Part>,
    /// Values at the ends and the middles of parts.
    values: Vec<f64>,
    free: Vec<usize>,
}

/// A part of a step, with the places of the values at its start, middle and end.
#[derive(Debug, Clone, Copy)]
struct Part {
    t: [f64; 3],
    at: [usize; 3],
    depth: u32,
}

/// How far before a zero a step of this length around this time is to end.
pub fn margin(t: f64, h: f64) -> f64 {
    let size = t.abs();
    4.0 * (size.next_up() - size) + BEFORE * h.abs()
}

/// The side of zero a value is on; none if it is not a number.
fn side(g: f64) -> f64 {
    if g == 0.0 { 0.0 } else { g.signum() }
}

impl Guards {
    pub fn new(problem: &mut dyn Problem, t: f64, y: &[f64]) -> Self {
        let count = problem.guards();
        let places = 2 * (PARTS + DEPTH as usize) + 4;
        let mut guards = Self {
            count,
            sides: vec![0.0; count],
            y: y.to_vec(),
            g: vec![0.0; count],
            parts: Vec::with_capacity(places),
            values: vec![0.0; places * count],
            free: Vec::with_capacity(places),
        };
        guards.set(problem, t, y);
        guards
    }

    pub fn is_idle(&self) -> bool {
        self.count == 0
    }

    /// Takes the sides at a state.
    pub fn set(&mut self, problem: &mut dyn Problem, t: f64, y: &[f64]) {
        if self.count > 0 {
            problem.guard_values(t, y, &mut self.g);
            self.sides.iter_mut().zip(&self.g).for_each(|(s, g)| *s = side(*g));
        }
    }

    /// Whether a zero is too near to the start of the step for another step to end before it.
    pub fn is_at_start(zero: Zero, stepper: &dyn Stepper) -> bool {
        let (t, h) = (stepper.t_old(), stepper.h());
        (zero.t - t).abs() <= NEAR * margin(t, h)
    }

    /// Moves the present state in `y` along its derivative until a guard has changed its side, if one does within a hop
    /// made for steps of length `h`; the guard and the time.
    pub fn hop(
        &mut self,
        stepper: &mut dyn Stepper,
        problem: &mut dyn Problem,
        h: f64,
        y: &mut [f64],
    ) -> Result<Option<Zero>, Refusal> {
        let t = stepper.t();
        self.y.copy_from_slice(stepper.derivative(problem)?);
        for far in HOPS {
            let after = t + far * margin(t, h) * h.signum();
            for (y, (start, f)) in y.iter_mut().zip(stepper.y().iter().zip(&self.y)) {
                *y = start + (after - t) * f;
            }
            problem.guard_values(after, y, &mut self.g);
            if let Some(index) = (0..self.count).find(|i| self.sides[*i] != side(self.g[*i])) {
                return Ok(Some(Zero { index, t: after }));
            }
        }
        Ok(None)
    }

    /// Lets a guard have the side it is next seen on.
    pub fn rest(&mut self, index: usize) {
        self.sides[index] = f64::NAN;
    }

    /// The first zero along the last step. A guard that leaves the zero on which the step began crosses it there: the first
    /// derivative may be that of the other side.
    pub fn first(&mut self, stepper: &mut dyn Stepper, problem: &mut dyn Problem) -> Result<Option<Zero>, Refusal> {
        let (start, h) = (stepper.t_old(), stepper.h());
        if self.count == 0 || h == 0.0 {
            return Ok(None);
        }
        self.free.clear();
        let places = self.values.len() / self.count;
        self.free.extend((0..places).rev());
        self.parts.clear();
        let end = stepper.t();
        let time = |k: usize| if k == PARTS { end } else { start + h * ENDS[k] };
        let mut last = self.look(stepper, problem, start)?;
        let mut looks = 2 * PARTS + 1;
        // The first part is to be the last of the list.
        let mut whole = [Part { t: [0.0; 3], at: [0; 3], depth: 0 }; PARTS];
        for (k, part) in whole.iter_mut().enumerate() {
            let (from, to) = (time(k), time(k + 1));
            let t = [from, from + 0.5 * (to - from), to];
            let middle = self.look(stepper, problem, t[1])?;
            let end = self.look(stepper, problem, t[2])?;
            *part = Part { t, at: [last, middle, end], depth: 0 };
            last = end;
        }
        self.parts.extend(whole.iter().rev());
        while let Some(part) = self.parts.pop() {
            let narrow = part.depth >= DEPTH || looks >= MOST;
            if !narrow && self.hides(&part) {
                let quarter = |a: f64, b: f64| a + 0.5 * (b - a);
                let [a, m, b] = part.t;
                let (l, r) = (quarter(a, m), quarter(m, b));
                if (l - a) * (m - l) > 0.0 && (r - m) * (b - r) > 0.0 {
                    let (left, right) = (self.look(stepper, problem, l)?, self.look(stepper, problem, r)?);
                    looks += 2;
                    let depth = if self.foretold(&part, left, right) { DEPTH } else { part.depth + 1 };
                    self.parts.push(Part { t: [m, r, b], at: [part.at[1], right, part.at[2]], depth });
                    self.parts.push(Part { t: [a, l, m], at: [part.at[0], left, part.at[1]], depth });
                    continue;
                }
            }
            for half in 0..2 {
                if let Some(zero) = self.crossing(stepper, problem, &part, half)? {
                    return Ok(Some(zero));
                }
            }
            self.free.extend([part.at[0], part.at[1]]);
        }
        Ok(None)
    }

    /// Values of all guards at `t`, and where they are kept.
    fn look(&mut self, stepper: &mut dyn Stepper, problem: &mut dyn Problem, t: f64) -> Result<usize, Refusal> {
        stepper.interpolate(problem, t, &mut self.y)?;
        problem.guard_values(t, &self.y, &mut self.g);
        let place = self.free.pop().unwrap_or(0);
        self.values[place * self.count..(place + 1) * self.count].copy_from_slice(&self.g);
        Ok(place)
    }

    fn value(&self, place: usize, i: usize) -> f64 {
        self.values[place * self.count + i]
    }

    /// Whether some guard may cross zero twice within the part, or once before its middle is known: unless all three
    /// values lie far on one side of zero for how much they differ.
    fn hides(&self, part: &Part) -> bool {
        (0..self.count).any(|i| {
            let [a, m, b] = part.at.map(|place| self.value(place, i));
            let least = a.abs().min(m.abs()).min(b.abs());
            let range = a.max(m).max(b) - a.min(m).min(b);
            let one_side = (a > 0.0 && m > 0.0 && b > 0.0) || (a < 0.0 && m < 0.0 && b < 0.0);
            range.is_finite() && range > 0.0 && !(one_side && least > range)
        })
    }

    /// Whether the parabolas through the three points foretold the values at the quarters well enough to trust them.
    fn foretold(&self, part: &Part, left: usize, right: usize) -> bool {
        (0..self.count).all(|i| {
            let [a, m, b] = part.at.map(|place| self.value(place, i));
            let (l, r) = (self.value(left, i), self.value(right, i));
            let miss = (0.375 * a + 0.75 * m - 0.125 * b - l).abs().max((0.375 * b + 0.75 * m - 0.125 * a - r).abs());
            let signs = [a, l, m, r, b];
            let changes = signs.windows(2).filter(|pair| pair[0] * pair[1] <= 0.0).count();
            let least = signs.iter().fold(f64::INFINITY, |least, g| least.min(g.abs()));
            let slope = (b - a).abs();
            match changes {
                0 => miss <= TRUSTED * least,
                1 => miss <= TRUSTED * slope,
                _ => false,
            }
        })
    }

    /// The first zero in one half of a part.
    fn crossing(
        &mut self,
        stepper: &mut dyn Stepper,
        problem: &mut dyn Problem,
        part: &Part,
        half: usize,
    ) -> Result<Option<Zero>, Refusal> {
        let (near, far) = (part.t[half], part.t[half + 1]);
        let mut first: Option<Zero> = None;
        for i in 0..self.count {
            let (g_near, g_far) = (self.value(part.at[half], i), self.value(part.at[half + 1], i));
            let side = self.sides[i];
            if side.is_nan() {
                self.sides[i] = crate::guards::side(g_far);
                continue;
            }
            let t = if side == 0.0 && g_far != 0.0 && !g_far.is_nan() {
                stepper.t_old()
            } else if side * g_far >= 0.0 || g_far.is_nan() {
                continue;
            } else if side * g_near > 0.0 {
                let start = Bracket { near, far, g_near, g_far };
                let found = start.shrink(|t| {
                    stepper.interpolate(problem, t, &mut self.y)?;
                    problem.guard_values(t, &self.y, &mut self.g);
                    Ok::<f64, Refusal>(self.g[i])
                })?;
                found.near
            } else {
                near
            };
            let earlier = |zero: Zero| (t - part.t[0]).abs() < (zero.t - part.t[0]).abs();
            if first.is_none_or(earlier) {
                first = Some(Zero { index: i, t });
            }
        }
        Ok(first)
    }
}
