//! Zeros of the guards along a step: where the right-hand side itself changes its form.
//!
//! A step that has crossed such a zero mixes two right-hand sides, so that its dense output tells only roughly where. The
//! driver takes it back and repeats it up to just before the time found, until a step ends there; even a last stage
//! behind the zero would spoil it. From there the state hops over the zero by its derivative, and the integration restarts.

use crate::root::{Bracket, Dip, Followed};
use crate::{GuardKind, Pace, Problem, Refusal, Stepper};

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

/// The share of the way to the first look at which the slopes of guards at the start of a step are taken.
const AT_ONCE: f64 = 0.01;

/// What is left of a guard that headed for zero, behind the zero of its tangent, from which on it has not turned of itself.
const TURNED: f64 = 0.6;

/// A guard is followed where a parabola says that it comes nearer to zero than this share of what was seen.
const NEARER: f64 = 0.5;

/// A function that varies by less than this share among three points has no dip there but round-off.
const FLAT: f64 = 1e-6;

/// The flank of a peak is where its function has grown by less than this beside one and its least value; it is looked for by getting
/// closer by a factor, so often.
const FLANK: f64 = 1.0;
const FLANK_CLOSER: f64 = 0.6;
const FLANK_LOOKS: usize = 40;

/// Places along a step at which narrow peaks are looked for, at most.
const MOST_PEAKS: usize = 24;

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
    kinds: Vec<GuardKind>,
    /// Times along the last step at which a narrow peak may stand.
    peaks: Vec<f64>,
    most_peaks: usize,
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

/// The one of two zeros that is nearer to the start of the search.
fn earlier(start: f64, a: Option<Zero>, b: Option<Zero>) -> Option<Zero> {
    match (a, b) {
        (Some(a), Some(b)) => Some(if (b.t - start).abs() < (a.t - start).abs() { b } else { a }),
        (a, b) => a.or(b),
    }
}

/// Three points around the nearest approach to zero that a parabola foretells between three points of equal sign; the middle
/// one may have the other sign.
fn approach<E>(points: Dip, value: &mut impl FnMut(f64) -> Result<f64, E>) -> Result<Option<Dip>, E> {
    let Some((vertex, bottom)) = points.vertex() else { return Ok(None) };
    let least = points.g.iter().fold(f64::INFINITY, |least, g| least.min(g.abs()));
    if bottom > NEARER * least {
        return Ok(None);
    }
    let [l, m, r] = points.t;
    let g = value(vertex)?;
    // None of the three points need be the nearest to zero.
    let between = if (vertex - m) * (r - l) > 0.0 {
        Dip { t: [m, vertex, r], g: [points.g[1], g, points.g[2]] }
    } else {
        Dip { t: [l, vertex, m], g: [points.g[0], g, points.g[1]] }
    };
    let through = g * points.g[1] <= 0.0;
    Ok([between, points].into_iter().find(|dip| through || dip.is_one()))
}

/// The first change of sign of a function that may have turned back between three points of equal sign.
fn turn<E>(points: Dip, value: &mut impl FnMut(f64) -> Result<f64, E>) -> Result<Option<Bracket>, E> {
    let Some(dip) = approach(points, value)? else { return Ok(None) };
    let (far, g_far) = if dip.g[1] * points.g[1] <= 0.0 {
        (dip.t[1], dip.g[1])
    } else {
        match dip.follow(0.0, value)? {
            Followed::Through(t, g) => (t, g),
            Followed::Away | Followed::Touches(_) => return Ok(None),
        }
    };
    let [l, m, r] = points.t;
    let past_middle = (far - m) * (r - l) > 0.0;
    let (near, g_near) = if past_middle { (m, points.g[1]) } else { (l, points.g[0]) };
    Ok(Some(Bracket { near, far, g_near, g_far }))
}

/// Where a function that turns back between three points of equal sign comes nearest to zero.
fn bottom<E>(points: Dip, value: &mut impl FnMut(f64) -> Result<f64, E>) -> Result<Option<f64>, E> {
    // Where a parabola says little, as about the tenth power of a distance, the three points may still tell.
    let least = points.g.iter().fold(f64::INFINITY, |least, g| least.min(g.abs()));
    let most = points.g.iter().fold(0.0_f64, |most, g| most.max(g.abs()));
    if most - least <= FLAT * most {
        return Ok(None);
    }
    let found = approach(points, value)?.or(Some(points).filter(Dip::is_one));
    let Some(dip) = found else { return Ok(None) };
    if dip.g[1] * points.g[1] <= 0.0 {
        return Ok(Some(dip.t[1]));
    }
    Ok(match dip.follow(f64::INFINITY, value)? {
        Followed::Through(t, _) | Followed::Touches(t) => Some(t),
        Followed::Away => None,
    })
}

/// Where a function that is least in size at `peak` has grown by about one, on either side: an odd peak is zero in its middle.
fn flanks<E>(peak: f64, from: f64, to: f64, value: &mut impl FnMut(f64) -> Result<f64, E>) -> Result<[f64; 2], E> {
    let least = value(peak)?.abs();
    let mut flanks = [from, to];
    for end in &mut flanks {
        // The distance at which it has grown so far shrinks from the whole to a part of it in each look.
        let mut distance = *end - peak;
        for _ in 0..FLANK_LOOKS {
            let grown = (value(peak + distance)?.abs() - least) / (1.0 + least);
            if !(grown > FLANK) {
                break;
            }
            distance *= FLANK_CLOSER;
        }
        *end = peak + distance;
    }
    Ok(flanks)
}

impl Guards {
    pub fn new(problem: &mut dyn Problem, t: f64, y: &[f64]) -> Self {
        let count = problem.guards();
        let places = 2 * (PARTS + DEPTH as usize) + 6;
        let mut guards = Self {
            count,
            kinds: (0..count).map(|i| problem.guard_kind(i)).collect(),
            peaks: Vec::new(),
            most_peaks: 0,
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
            let changed = |i: &usize| {
                let (from, to) = (self.sides[*i], side(self.g[*i]));
                self.switches(*i) && from != to && !from.is_nan() && !to.is_nan()
            };
            if let Some(index) = (0..self.count).find(changed) {
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
        self.peaks.clear();
        // Steps of fixed length are what they are.
        self.most_peaks = if stepper.pace() == Pace::Fixed { 0 } else { MOST_PEAKS };
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
        if let Some(zero) = self.near_start(stepper, problem, &whole[0])? {
            return Ok(Some(zero));
        }
        self.parts.extend(whole.iter().rev());
        // The point before the part.
        let mut before: Option<(f64, usize)> = None;
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
                let dip = match before {
                    Some(first) if looks < MOST => self.dip(stepper, problem, first, &part, half)?,
                    _ => None,
                };
                let crossing = self.crossing(stepper, problem, &part, half)?;
                if dip.is_some() || crossing.is_some() {
                    return Ok(earlier(stepper.t_old(), dip, crossing));
                }
                if let Some((_, place)) = before {
                    self.free.push(place);
                }
                before = Some((part.t[half], part.at[half]));
            }
        }
        Ok(None)
    }

    /// The first zero that lies before the first look and is seen from the start of the step: a guard that heads for zero there
    /// may have turned back by the first look, as where both sides drive it to zero.
    fn near_start(
        &mut self,
        stepper: &mut dyn Stepper,
        problem: &mut dyn Problem,
        part: &Part,
    ) -> Result<Option<Zero>, Refusal> {
        let [start, look, _] = part.t;
        let heads = |g: f64, later: f64, side: f64| side * g > 0.0 && side * (later - g) < 0.0;
        let any = (0..self.count).any(|i| self.switches(i) && side(self.value(part.at[0], i)) == self.sides[i]);
        if !any {
            return Ok(None);
        }
        let soon = start + AT_ONCE * (look - start);
        let place = self.look(stepper, problem, soon)?;
        let mut first = None;
        for i in (0..self.count).filter(|i| self.kinds[*i] == GuardKind::Switch) {
            let (g, later, side) = (self.value(part.at[0], i), self.value(place, i), self.sides[i]);
            if !heads(g, later, side) {
                continue;
            }
            let tangent = start + (soon - start) * g / (g - later);
            if (look - tangent) * (look - start) <= 0.0 {
                continue;
            }
            let far = start + 1.5 * (tangent - start);
            let far = if (look - far) * (look - start) > 0.0 { far } else { look };
            let mut value = |t: f64| {
                stepper.interpolate(problem, t, &mut self.y)?;
                problem.guard_values(t, &self.y, &mut self.g);
                Ok::<f64, Refusal>(self.g[i])
            };
            let g_far = value(far)?;
            let found = if side * g_far < 0.0 {
                Bracket { near: start, far, g_near: g, g_far }.shrink(value)?.near
            } else if side * g_far > TURNED * side * g {
                // No smooth function turns so soon: later stages have met the other side.
                tangent
            } else {
                continue;
            };
            first = earlier(start, first, Some(Zero { index: i, t: found }));
        }
        self.free.push(place);
        Ok(first)
    }

    /// Times along the step that [`first`](Self::first) has looked at, as far as it went, where a narrow peak of the right-hand
    /// side may stand.
    pub fn peaks(&self) -> &[f64] {
        &self.peaks
    }

    fn switches(&self, i: usize) -> bool {
        self.kinds[i] == GuardKind::Switch
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

    /// The first zero of a guard that turns back between three points without having changed its side at any: the point
    /// before one half of a part, and the ends of that half.
    fn dip(
        &mut self,
        stepper: &mut dyn Stepper,
        problem: &mut dyn Problem,
        before: (f64, usize),
        part: &Part,
        half: usize,
    ) -> Result<Option<Zero>, Refusal> {
        let t = [before.0, part.t[half], part.t[half + 1]];
        let places = [before.1, part.at[half], part.at[half + 1]];
        let mut first = None;
        for i in 0..self.count {
            let g = places.map(|place| self.value(place, i));
            let switches = self.switches(i);
            let side = if switches { self.sides[i] } else { side(g[1]) };
            if side.is_nan() || side == 0.0 || g.iter().any(|g| !(side * g > 0.0)) {
                continue;
            }
            let mut value = |t: f64| {
                stepper.interpolate(problem, t, &mut self.y)?;
                problem.guard_values(t, &self.y, &mut self.g);
                Ok::<f64, Refusal>(self.g[i])
            };
            if !switches {
                if self.peaks.len() < self.most_peaks
                    && let Some(peak) = bottom(Dip { t, g }, &mut value)?
                {
                    let flanks = flanks(peak, t[0], t[2], &mut value)?;
                    self.peaks.extend([peak].into_iter().chain(flanks));
                }
                continue;
            }
            let Some(bracket) = turn(Dip { t, g }, &mut value)? else { continue };
            let found = bracket.shrink(value)?;
            first = earlier(t[0], first, Some(Zero { index: i, t: found.near }));
        }
        Ok(first)
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
            let mut value = |t: f64| {
                stepper.interpolate(problem, t, &mut self.y)?;
                problem.guard_values(t, &self.y, &mut self.g);
                Ok::<f64, Refusal>(self.g[i])
            };
            if self.kinds[i] == GuardKind::Peak {
                if self.peaks.len() >= self.most_peaks {
                    continue;
                }
                if g_near * g_far < 0.0 {
                    let found = Bracket { near, far, g_near, g_far }.shrink(&mut value)?;
                    let flanks = flanks(found.near, near, far, &mut value)?;
                    self.peaks.extend([found.near].into_iter().chain(flanks));
                } else if g_near == 0.0 && g_far != 0.0 {
                    self.peaks.push(near);
                }
                continue;
            }
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
                start.shrink(&mut value)?.near
            } else {
                near
            };
            first = earlier(part.t[0], first, Some(Zero { index: i, t }));
        }
        Ok(first)
    }
}
