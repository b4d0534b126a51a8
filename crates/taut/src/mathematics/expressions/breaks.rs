//! All times at which an expression changes its branch, found by interval bisection.
//!
//! Interval bounds of every operand show whether `abs`, `if_pos`, … stay on one branch over a time interval. If all do, the interval
//! provably has no break. Otherwise it is halved until a single function remains that crosses zero with a nonzero slope, whose zero
//! is then located by bisection of the branch, or until round-off hides the branch, as for a function that touches zero. Branches that
//! are not taken are ignored.

use super::code::{Code, Instruction};
use super::functions::Function;
use super::range::{self, MeanValueForm, Smoothness};
use super::switches::{DependsOn, SwitchPoint, SwitchingOperation, branch, guard_value, switches};
use crate::breaks::BreakList;
use crate::scalar::Dual;
use taut_ode::Break;

/// Maximum number of interval evaluations of a search.
const MAX_EVALUATIONS: usize = 50_000;
/// Number of points at which the branches are compared if the search was incomplete.
const SAMPLES: usize = 64;
/// Maximum number of remaining intervals that are sampled.
const MAX_SAMPLED_INTERVALS: usize = 64;
/// Units in the last place over which round-off may blur a zero crossing.
const ROUND_OFF_ULPS: usize = 32;
/// An interval is not halved further if its bounds are at most this many times as wide as those at its midpoint.
const ROUND_OFF_WIDTH_RATIO: f64 = 4.0;

/// Adds the breaks of a code in `from..to`; variable `time` is the time.
pub(super) fn find(code: &Code, time: usize, from: f64, to: f64, list: &mut BreakList) {
    let mut timed = switches(code, Some(time));
    timed.retain(|s| s.depends_on == DependsOn::Time);
    if timed.is_empty() || from.partial_cmp(&to) != Some(std::cmp::Ordering::Less) {
        return;
    }
    let mut search = ExpressionBreakSearch {
        code,
        time,
        time_switches: timed,
        values: vec![f64::NAN; time + 1],
        unresolved: None,
        list,
    };
    search.run(from, to);
}

struct ExpressionBreakSearch<'a> {
    code: &'a Code,
    time: usize,
    /// The switching operations that depend on time only.
    time_switches: Vec<SwitchingOperation>,
    values: Vec<f64>,
    /// A union of adjacent intervals in which round-off hides the branch of these instructions.
    unresolved: Option<(f64, f64, Vec<usize>)>,
    list: &'a mut BreakList,
}

impl ExpressionBreakSearch<'_> {
    fn run(&mut self, from: f64, to: f64) {
        let mut stack = vec![(from, to)];
        let mut evaluations = 0;
        while let Some((a, b)) = stack.pop() {
            evaluations += 1;
            if evaluations > MAX_EVALUATIONS {
                stack.push((a, b));
                self.resolve_unresolved();
                self.sample(stack);
                self.list.mark_incomplete();
                return;
            }
            let open = self.undecided_operations(a, b);
            if open.is_empty() {
                self.resolve_unresolved();
                continue;
            }
            if let [(at, function)] = open[..] {
                let passes = !function.slope.contains(0.0) && function.slope.magnitude().is_finite();
                let forms = self.branch(at, a) != self.branch(at, b);
                if passes && !(forms && self.skips_branches(at, a, b)) {
                    self.resolve_unresolved();
                    if forms {
                        self.bisect_break(at, a, b);
                    }
                    continue;
                }
            }
            let mid = 0.5 * a + 0.5 * b;
            let indivisible = mid <= a || mid >= b;
            if indivisible || open.iter().all(|(_, f)| f.all.width() <= ROUND_OFF_WIDTH_RATIO * f.mid.width()) {
                self.add_unresolved(a, b, open.iter().map(|(at, _)| *at));
                continue;
            }
            stack.extend([(mid, b), (a, mid)]);
        }
        self.resolve_unresolved();
    }

    /// The instructions whose branch may change within an interval, and the functions at whose zeros it changes.
    fn undecided_operations(&self, a: f64, b: f64) -> Vec<(usize, MeanValueForm)> {
        let mid = 0.5 * a + 0.5 * b;
        let radius = (b - mid).max(mid - a).next_up();
        let mut variables = vec![MeanValueForm::UNKNOWN; self.time + 1];
        variables[self.time] = MeanValueForm::time(a, mid, b);
        let mut stack: Vec<(MeanValueForm, usize)> = Vec::new();
        let mut open: Vec<(usize, MeanValueForm)> = Vec::new();
        for (at, instruction) in self.code.instructions().iter().enumerate() {
            let operands = stack.split_off(stack.len() - instruction.operands());
            let mut x = [MeanValueForm::constant(0.0); 5];
            x.iter_mut().zip(&operands).for_each(|(x, (range, _))| *x = *range);
            let (range, form) = range::apply(*instruction, &x[..operands.len()], &variables, radius);
            let start = operands.first().map_or(at, |(_, start)| *start);
            match form {
                Smoothness::Smooth { unused: Some(k) } => {
                    // Branch changes of an unused operand are irrelevant.
                    let end = operands.get(k + 1).map_or(at, |(_, start)| *start);
                    open.retain(|(at, _)| !(operands[k].1..end).contains(at));
                }
                Smoothness::Smooth { unused: None } => {}
                Smoothness::Undecided(function) => {
                    if self.time_switches.iter().any(|s| s.instruction == at) {
                        open.push((at, function));
                    }
                }
            }
            stack.push((range, start));
        }
        open
    }

    fn branch(&mut self, at: usize, t: f64) -> f64 {
        self.values[self.time] = t;
        let instruction = self.code.instructions()[at];
        self.code.with_operands(at, &self.values, |x| branch(instruction, x))
    }

    /// Whether there are further branches between those at the ends: `floor` has many, a `step` has three.
    fn skips_branches(&mut self, at: usize, a: f64, b: f64) -> bool {
        let counted = match self.code.instructions()[at] {
            Instruction::Call(function) => matches!(function, Function::Floor | Function::Mod | Function::Step),
            _ => false,
        };
        counted && (self.branch(at, a) - self.branch(at, b)).abs() > 1.0
    }

    /// Adds the break between two times on different branches.
    fn bisect_break(&mut self, at: usize, mut a: f64, mut b: f64) {
        let (first, last) = (self.branch(at, a), self.branch(at, b));
        loop {
            let mid = 0.5 * a + 0.5 * b;
            if mid <= a || mid >= b {
                break;
            }
            if self.branch(at, mid) == first { a = mid } else { b = mid }
        }
        // Round-off may switch back and forth, and `abs` and `sign` have a separate branch at zero.
        let kink = matches!(self.code.instructions()[at], Instruction::Call(Function::Abs | Function::Sign));
        for _ in 0..ROUND_OFF_ULPS {
            let form = self.branch(at, b);
            if form == last && !(kink && form == 0.0) {
                break;
            }
            b = b.next_up();
        }
        while kink
            && first == 0.0
            && self.branch(at, a) == 0.0
            && a > b - ROUND_OFF_ULPS as f64 * f64::EPSILON * b.abs()
        {
            a = a.next_down();
        }
        self.list.push(Break { before: a, after: b });
    }

    /// Records an interval in which round-off hides the branches.
    fn add_unresolved(&mut self, a: f64, b: f64, instructions: impl Iterator<Item = usize>) {
        match &mut self.unresolved {
            Some((_, end, known)) if *end == a => {
                *end = b;
                for at in instructions {
                    if !known.contains(&at) {
                        known.push(at);
                    }
                }
            }
            _ => {
                self.resolve_unresolved();
                self.unresolved = Some((a, b, instructions.collect()));
            }
        }
    }

    /// Locates the breaks in the unresolved interval. If the function crosses zero, the branches at the ends differ; if it only touches
    /// zero, the break is at its extremum.
    fn resolve_unresolved(&mut self) {
        let Some((a, b, instructions)) = self.unresolved.take() else { return };
        for at in instructions {
            if self.branch(at, a) != self.branch(at, b) {
                self.bisect_break(at, a, b);
            } else {
                self.locate_touching_zero(at, a, b);
            }
        }
    }

    fn locate_touching_zero(&mut self, at: usize, mut a: f64, mut b: f64) {
        let first = self.is_decreasing(at, a);
        let turns = first != self.is_decreasing(at, b);
        loop {
            let mid = 0.5 * a + 0.5 * b;
            if mid <= a || mid >= b {
                break;
            }
            // Without an extremum take the midpoint.
            if turns && self.is_decreasing(at, mid) == first {
                a = mid
            } else {
                b = mid
            }
            if !turns {
                (a, b) = (mid, mid.next_up());
            }
        }
        self.list.push(Break { before: a, after: b });
    }

    fn is_decreasing(&self, at: usize, t: f64) -> bool {
        let mut values = vec![Dual::<1>::constant(f64::NAN); self.time + 1];
        values[self.time] = Dual::variable(t, 0);
        let instruction = self.code.instructions()[at];
        self.code.with_operands(at, &values, |x| guard_value(instruction, x, SwitchPoint::First)).eps[0] < 0.0
    }

    /// Compares the branches at sample points of the remaining intervals of an incomplete search.
    fn sample(&mut self, intervals: Vec<(f64, f64)>) {
        let timed: Vec<usize> = self.time_switches.iter().map(|s| s.instruction).collect();
        for (a, b) in intervals.into_iter().rev().take(MAX_SAMPLED_INTERVALS) {
            let point = |k: usize| a + (b - a) * (k as f64 / SAMPLES as f64);
            for k in 0..SAMPLES {
                let (from, to) = (point(k), point(k + 1));
                for &at in &timed {
                    if self.branch(at, from) != self.branch(at, to) {
                        self.bisect_break(at, from, to);
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;
