//! Operations of an expression that switch between branches: which operations do, and the branch at a point.

use super::code::{Code, Instruction};
use super::functions::Function;
use crate::breaks::GuardKind;
use crate::scalar::Scalar;

/// An operation that is not smooth everywhere.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct SwitchingOperation {
    /// Index of its instruction.
    pub instruction: usize,
    /// What the choice of its branch depends on.
    pub depends_on: DependsOn,
}

/// What an operation depends on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum DependsOn {
    Nothing,
    Time,
    States,
}

/// A guard: a function whose zeros are branch changes, or whose minima may be narrow peaks.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Guard {
    pub instruction: usize,
    pub switch_point: SwitchPoint,
    pub kind: GuardKind,
}

/// Selects one of the switch points of an operation (a `step` has two).
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum SwitchPoint {
    First,
    Second,
}

/// The functions of the operands of a smooth operation that indicate narrow peaks: the operation may have one where they cross zero or
/// are nearest to zero.
fn peak_functions(instruction: Instruction) -> &'static [SwitchPoint] {
    match instruction {
        Instruction::Divide => &[SwitchPoint::First],
        Instruction::Power => &[SwitchPoint::First, SwitchPoint::Second],
        Instruction::IntegerPower(n) if n < 0 => &[SwitchPoint::First],
        Instruction::IntegerPower(n) if n >= STEEP_POWER => &[SwitchPoint::Second],
        Instruction::Call(function) => match function {
            Function::Exp => &[SwitchPoint::First, SwitchPoint::Second],
            Function::Tanh | Function::Sinh | Function::Cosh | Function::Atan => &[SwitchPoint::First],
            Function::Sqrt | Function::Ln | Function::Log10 => &[SwitchPoint::First],
            _ => &[],
        },
        _ => &[],
    }
}

/// Exponent from which on the maxima of the base give narrow peaks, as in `cos(x)^20`.
const STEEP_POWER: i32 = 5;

/// One of these functions: an operand that is small at the peak, or a function with its minimum where the result is largest.
pub(super) fn peak_value(instruction: Instruction, x: &[f64], corner: SwitchPoint) -> f64 {
    match (instruction, corner) {
        (Instruction::Divide, _) => x[1],
        (Instruction::Power, SwitchPoint::Second) => positive_decreasing(x[1] * x[0].abs().ln()),
        (Instruction::IntegerPower(n), SwitchPoint::Second) => positive_decreasing(f64::from(n) * x[0].abs().ln()),
        (Instruction::Call(Function::Exp), SwitchPoint::Second) => positive_decreasing(x[0]),
        _ => x[0],
    }
}

/// A positive, decreasing function of x.
fn positive_decreasing(x: f64) -> f64 {
    if x < 0.0 { (1.0 - x).min(f64::MAX.sqrt()) } else { 1.0 / (1.0 + x) }
}

/// All operations that are not smooth everywhere and whose branch is not constant.
pub(super) fn switches(code: &Code, time: Option<usize>) -> Vec<SwitchingOperation> {
    let mut stack: Vec<DependsOn> = Vec::new();
    let mut found = Vec::new();
    for (at, instruction) in code.instructions().iter().enumerate() {
        let operands = stack.split_off(stack.len() - instruction.operands());
        let on = depends_on(*instruction, &operands, time);
        let deciding = deciding_operands(*instruction).min(operands.len());
        let form = operands[..deciding].iter().copied().max().unwrap_or(DependsOn::Nothing);
        // The corners of a step are operands 1 and 3.
        let corner = if *instruction == Instruction::Call(Function::Step) { operands[3] } else { DependsOn::Nothing };
        let form = form.max(corner);
        if form != DependsOn::Nothing {
            found.push(SwitchingOperation { instruction: at, depends_on: form });
        }
        stack.push(on);
    }
    found
}

/// What the result of an operation depends on.
fn depends_on(instruction: Instruction, operands: &[DependsOn], time: Option<usize>) -> DependsOn {
    match instruction {
        Instruction::Variable(index) if Some(index) == time => DependsOn::Time,
        Instruction::Variable(_) => DependsOn::States,
        _ => operands.iter().copied().max().unwrap_or(DependsOn::Nothing),
    }
}

/// Number of leading operands that select the branch; zero if there is only one branch.
fn deciding_operands(instruction: Instruction) -> usize {
    match instruction {
        Instruction::Power => 1,
        Instruction::Call(function) => match function {
            Function::Abs | Function::Sign | Function::Floor | Function::IfPos => 1,
            Function::Sqrt | Function::Asin | Function::Acos => 1,
            Function::Mod | Function::Min | Function::Max | Function::Atan2 | Function::Step => 2,
            _ => 0,
        },
        _ => 0,
    }
}

/// The guards of the switching operations that depend on states.
pub(super) fn switch_guards(code: &Code, time: Option<usize>) -> Vec<Guard> {
    let mut guards = Vec::new();
    for switch in switches(code, time).iter().filter(|s| s.depends_on == DependsOn::States) {
        let at = switch.instruction;
        match code.instructions()[at] {
            // Their argument does not cross zero; their domain ends there.
            Instruction::Power | Instruction::Call(Function::Sqrt | Function::Asin | Function::Acos) => {}
            Instruction::Call(Function::Step) => {
                guards.extend([SwitchPoint::First, SwitchPoint::Second].map(|corner| Guard {
                    instruction: at,
                    switch_point: corner,
                    kind: GuardKind::Switch,
                }));
            }
            _ => guards.push(Guard { instruction: at, switch_point: SwitchPoint::First, kind: GuardKind::Switch }),
        }
    }
    guards
}

/// The guards for narrow peaks of operations that depend on states: see [`peak_functions`].
pub(super) fn peak_guards(code: &Code, time: Option<usize>) -> Vec<Guard> {
    let mut stack: Vec<DependsOn> = Vec::new();
    let mut found = Vec::new();
    for (at, instruction) in code.instructions().iter().enumerate() {
        let operands = stack.split_off(stack.len() - instruction.operands());
        if operands.contains(&DependsOn::States) {
            let each = |corner: &SwitchPoint| Guard { instruction: at, switch_point: *corner, kind: GuardKind::Peak };
            found.extend(peak_functions(*instruction).iter().map(each));
        }
        stack.push(depends_on(*instruction, &operands, time));
    }
    found
}

/// The function of the operands that is zero where the branch changes.
pub(super) fn guard_value<S: Scalar>(instruction: Instruction, x: &[S], corner: SwitchPoint) -> S {
    match instruction {
        Instruction::Call(Function::Min | Function::Max) => x[0] - x[1],
        Instruction::Call(Function::Step) => x[0] - if corner == SwitchPoint::First { x[1] } else { x[3] },
        Instruction::Call(Function::Floor) => integer_crossing(x[0]),
        Instruction::Call(Function::Mod) => integer_crossing(x[0] / x[1]),
        Instruction::Call(Function::Asin | Function::Acos) => (S::one() - x[0]) * (S::one() + x[0]),
        _ => x[0],
    }
}

/// A function that crosses zero at every integer.
fn integer_crossing<S: Scalar>(x: S) -> S {
    let nearest = x.value().round();
    let sine = ((x - nearest) * std::f64::consts::PI).sin();
    if nearest.rem_euclid(2.0) == 0.0 { sine } else { -sine }
}

/// A number that identifies the branch of an operation.
pub(super) fn branch(instruction: Instruction, x: &[f64]) -> f64 {
    let side = |x: f64| if x == 0.0 { 0.0 } else { x.signum() };
    let yes = |b: bool| if b { 1.0 } else { 0.0 };
    match instruction {
        Instruction::Power => yes(x[0] > 0.0),
        Instruction::Call(function) => match function {
            Function::Abs | Function::Sign => side(x[0]),
            Function::Sqrt => yes(x[0] > 0.0),
            Function::Asin | Function::Acos => yes(x[0].abs() < 1.0),
            Function::Floor => x[0].floor(),
            Function::Mod => (x[0] / x[1]).floor(),
            Function::Min => yes(x[0] <= x[1]),
            Function::Max => yes(x[0] >= x[1]),
            Function::Atan2 => x[0].signum(),
            Function::IfPos => yes(x[0] > 0.0),
            Function::Step if x[0] <= x[1] => 0.0,
            Function::Step if x[0] >= x[3] => 2.0,
            Function::Step => 1.0,
            _ => 0.0,
        },
        _ => 0.0,
    }
}
