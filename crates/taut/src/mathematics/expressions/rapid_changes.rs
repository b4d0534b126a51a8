//! Rapid changes: short intervals in which a smooth function of time changes, such as the pulse `exp(-((t - 3)/0.01)^2)` or the
//! step `tanh(100*(t - 3))`.
//!
//! Such a function has no break, and an integrator with a large step size can step over it. The time span is divided into
//! [`PIECES`] intervals, and interval bounds show where the function can change. If it changes in only a few of them, these are
//! subdivided again; the last interval, over which the change is spread, is a rapid change. Changes below [`NEGLIGIBLE_CHANGE`] of the total,
//! and rapid changes of the slope only, are left to the error control.

use super::code::{Code, Instruction};
use super::functions::Function;
use super::range::{self, MeanValueForm};
use super::switches::DependsOn;
use crate::breaks::{BreakList, RapidChange};
use std::ops;

/// Number of pieces into which an interval is divided.
const PIECES: usize = 8;
/// A change is concentrated if at most this many pieces change by at least `SIGNIFICANT_CHANGE_RATIO` of the largest change of a piece.
const MAX_CONCENTRATED_PIECES: usize = 2;
const SIGNIFICANT_CHANGE_RATIO: f64 = 0.25;
/// Changes below this fraction of the change over the whole span are ignored.
const NEGLIGIBLE_CHANGE: f64 = 1e-4;
/// A function is steep somewhere if its slope bound allows a change this many times larger than its actual range.
const STEEP_SLOPE_RATIO: f64 = 4.0;
/// The shortest interval, as a fraction of the whole span.
const SHORTEST_INTERVAL: f64 = 1e-8;
/// Maximum number of interval evaluations of a search.
const MAX_EVALUATIONS: usize = 200_000;

/// The largest subexpressions that depend on time only and can change rapidly, as ranges of instructions.
pub(super) fn rapid_parts(code: &Code, time: usize) -> Vec<ops::Range<usize>> {
    let mut stack: Vec<Operand> = Vec::new();
    let mut found = Vec::new();
    let mut collect = |x: &Operand| {
        if x.depends_on == DependsOn::Time && x.degree.is_none() {
            found.push(x.first_instruction..x.last_instruction + 1);
        }
    };
    for (at, instruction) in code.instructions().iter().enumerate() {
        let x = stack.split_off(stack.len() - instruction.operands());
        let on = match instruction {
            Instruction::Variable(index) if *index == time => DependsOn::Time,
            Instruction::Variable(_) => DependsOn::States,
            _ => x.iter().map(|x| x.depends_on).max().unwrap_or(DependsOn::Nothing),
        };
        if on == DependsOn::States {
            x.iter().for_each(&mut collect);
        }
        let first = x.first().map_or(at, |x| x.first_instruction);
        stack.push(Operand {
            first_instruction: first,
            last_instruction: at,
            depends_on: on,
            degree: degree(*instruction, &x),
        });
    }
    stack.iter().for_each(&mut collect);
    found
}

/// An operand on the stack.
struct Operand {
    /// Its first and last instruction.
    first_instruction: usize,
    last_instruction: usize,
    depends_on: DependsOn,
    /// Its degree as a polynomial in time and harmonic functions of time; `None` if it can change rapidly.
    degree: Option<u32>,
}

/// Highest degree of a polynomial that counts as having no rapid changes.
const MAX_GENTLE_DEGREE: u32 = 4;

fn degree(instruction: Instruction, x: &[Operand]) -> Option<u32> {
    let most = x.iter().map(|x| x.degree).try_fold(0, |most, degree| degree.map(|d| most.max(d)));
    let constant = |x: &Operand| x.depends_on == DependsOn::Nothing;
    let degree = match instruction {
        Instruction::Constant(_) => Some(0),
        Instruction::Variable(_) => Some(1),
        _ if x.iter().all(constant) => Some(0),
        Instruction::Negate | Instruction::Add | Instruction::Subtract => most,
        Instruction::Multiply => Some(x[0].degree?.saturating_add(x[1].degree?)),
        Instruction::Divide if constant(&x[1]) => x[0].degree,
        Instruction::IntegerPower(n) if n >= 0 => Some(x[0].degree?.saturating_mul(n.unsigned_abs())),
        Instruction::Call(function) => match function {
            Function::Sin | Function::Cos => most.filter(|degree| *degree <= 1),
            // Their branch changes are breaks.
            Function::Abs | Function::Sign | Function::Floor | Function::Mod => most,
            Function::Min | Function::Max | Function::Step | Function::IfPos => most,
            _ => None,
        },
        Instruction::Divide | Instruction::Power | Instruction::IntegerPower(_) => None,
    };
    degree.filter(|degree| *degree <= MAX_GENTLE_DEGREE)
}

/// Adds the rapid changes of a subexpression in `from..to` to a list that searches for rapid changes.
pub(super) fn find(code: &Code, part: &ops::Range<usize>, time: usize, from: f64, to: f64, list: &mut BreakList) {
    let Some(run) = list.rapid_change_span() else { return };
    list.mark_rapid_changes_possible();
    let mut search =
        BoundsEvaluator { code: &code.instructions()[part.clone()], time, evaluations: 0, stack: Vec::new() };
    let scale = search.bounds(run.from, run.to).all.width();
    let small = if scale.is_finite() { NEGLIGIBLE_CHANGE * scale } else { 0.0 };
    let shortest = SHORTEST_INTERVAL * (run.to - run.from);
    let mut left = vec![TimeInterval { from, to, in_concentrated_part: false }];
    while let Some(interval) = left.pop() {
        if search.evaluations > MAX_EVALUATIONS {
            return;
        }
        let TimeInterval { from, to, in_concentrated_part: alone } = interval;
        let edge = |k: usize| if k == PIECES { to } else { from + (to - from) * (k as f64 / PIECES as f64) };
        let pieces: [MeanValueForm; PIECES] = std::array::from_fn(|k| search.bounds(edge(k), edge(k + 1)));
        let change = classify_change(&pieces, edge(1) - from, small);
        if change == ChangePattern::None {
            continue;
        }
        if alone && change != ChangePattern::Concentrated {
            list.push_rapid(RapidChange { from, to });
        }
        if change != ChangePattern::Spread && edge(1) - from > shortest {
            let alone = change == ChangePattern::Concentrated;
            left.extend((0..PIECES).rev().map(|k| TimeInterval {
                from: edge(k),
                to: edge(k + 1),
                in_concentrated_part: alone,
            }));
        }
    }
}

/// An interval to be examined.
struct TimeInterval {
    from: f64,
    to: f64,
    /// Whether it is a piece of an interval with a concentrated change.
    in_concentrated_part: bool,
}

/// Where a function changes within an interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ChangePattern {
    /// Nowhere.
    None,
    /// Everywhere.
    Spread,
    /// Nearly everywhere, but the slope bound is so large that the change may be concentrated in many small parts.
    Steep,
    /// In a small part of it.
    Concentrated,
}

/// Classifies the change from the bounds over the pieces of an interval; `length` is the length of a piece.
fn classify_change(pieces: &[MeanValueForm; PIECES], length: f64, small: f64) -> ChangePattern {
    let most = pieces.iter().fold(0.0_f64, |most, p| most.max(p.all.width()));
    let many = pieces.iter().filter(|p| p.all.width() >= SIGNIFICANT_CHANGE_RATIO * most).count();
    let steep =
        |p: &MeanValueForm| p.all.width() > small && p.slope.magnitude() * length > STEEP_SLOPE_RATIO * p.all.width();
    match () {
        () if most <= small => ChangePattern::None,
        () if many <= MAX_CONCENTRATED_PIECES => ChangePattern::Concentrated,
        () if pieces.iter().any(steep) => ChangePattern::Steep,
        () => ChangePattern::Spread,
    }
}

struct BoundsEvaluator<'a> {
    /// The subexpression.
    code: &'a [Instruction],
    time: usize,
    evaluations: usize,
    stack: Vec<MeanValueForm>,
}

impl BoundsEvaluator<'_> {
    /// Bounds over an interval.
    fn bounds(&mut self, from: f64, to: f64) -> MeanValueForm {
        self.evaluations += 1;
        let mid = 0.5 * from + 0.5 * to;
        let radius = (to - mid).max(mid - from).next_up();
        let now = MeanValueForm::time(from, mid, to);
        self.stack.clear();
        for instruction in self.code {
            let first = self.stack.len() - instruction.operands();
            let result = match instruction {
                Instruction::Variable(index) if *index == self.time => now,
                _ => range::apply(*instruction, &self.stack[first..], &[], radius).0,
            };
            self.stack.truncate(first);
            self.stack.push(result);
        }
        self.stack.pop().unwrap_or(MeanValueForm::UNKNOWN)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Expression;
    use super::*;

    fn rapid(text: &str, end: f64) -> Vec<RapidChange> {
        let mut list = BreakList::for_rapid_changes(0.0, end);
        Expression::parse(text, &["x", "t"]).unwrap().breaks(0.0, end, &mut list);
        let mut all = list.take_rapid();
        all.sort_by(|a, b| a.from.total_cmp(&b.from));
        all
    }

    /// Checks that the rapid changes cover an interval and are not much longer.
    fn covers(found: &[RapidChange], from: f64, to: f64) {
        let (first, last) = (found[0].from, found[found.len() - 1].to);
        assert!(first <= from && to <= last, "{found:?}");
        for change in found.iter().filter(|c| c.from < to && from < c.to) {
            assert!(change.to - change.from < 20.0 * (to - from), "{found:?}");
        }
    }

    #[test]
    fn pulses_and_steps_are_found() {
        covers(&rapid("1000*exp(-((t - 1.14)/0.0005)^2)", 10.0), 1.139, 1.141);
        covers(&rapid("0.5 + 0.5*tanh(50*(t - 3.05))", 10.0), 3.0, 3.1);
        covers(&rapid("atan(1e4*(t - 3.05))", 10.0), 3.0499, 3.0501);
        covers(&rapid("1/(1 + (1000*(t - 7))^2)", 10.0), 6.999, 7.001);
        covers(&rapid("sin(t) + 1/(1 + exp(-1e5*(t - 7)))", 10.0), 6.99999, 7.00001);
        covers(&rapid("x + x*exp(-((t - 1.14)/0.0005)^2)", 10.0), 1.139, 1.141);
    }

    #[test]
    fn every_side_of_a_smooth_square_wave_is_found() {
        let found = rapid("tanh(100*sin(t))", 30.0);
        for k in 1..9 {
            let at = f64::from(k) * std::f64::consts::PI;
            assert!(found.iter().any(|c| c.from < at && at < c.to && c.to - c.from < 0.3), "{at} {found:?}");
        }
    }

    #[test]
    fn gentle_functions_have_none() {
        let gentle =
            ["2*t + 1", "sin(50*t)*cos(3*t) + t^3", "if_pos(t - 3, sin(t), 0)", "x*exp(x)", "step(t, 3, 0, 3.1, 1)"];
        for text in gentle {
            let e = Expression::parse(text, &["x", "t"]).unwrap();
            assert!(e.rapid_parts.is_empty(), "{text}");
        }
        for text in ["tanh(3*sin(5*t))", "sqrt(t + 1)", "exp(-t)*sin(20*t)", "1/(1 + t)"] {
            for change in rapid(text, 10.0) {
                assert!(change.to - change.from > 0.1, "{text}: {change:?}");
            }
        }
    }
}
