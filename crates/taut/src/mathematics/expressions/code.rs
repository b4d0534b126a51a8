//! Postfix code and its stack machine.

use super::ParseError;
use super::functions::Function;
use crate::scalar::Scalar;

/// The deepest nesting of parentheses, signs and operands that the parser follows.
pub(super) const NESTING_LIMIT: usize = 64;
/// The greatest number of operands pending at once.
const STACK_LIMIT: usize = 32;
/// Stack size sufficient for nearly all expressions; a small stack is cheaper to clear.
const SMALL_STACK: usize = 6;
/// Integer exponents up to this size are evaluated by multiplication.
const INTEGER_POWER_LIMIT: f64 = 16.0;

/// One operation on the stack of operands.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Instruction {
    Constant(f64),
    Variable(usize),
    Negate,
    Add,
    Subtract,
    Multiply,
    Divide,
    Power,
    IntegerPower(i32),
    Call(Function),
}

impl Instruction {
    /// Number of operands that the instruction replaces by one result.
    pub(super) fn operands(self) -> usize {
        match self {
            Instruction::Constant(_) | Instruction::Variable(_) => 0,
            Instruction::Negate | Instruction::IntegerPower(_) => 1,
            Instruction::Add
            | Instruction::Subtract
            | Instruction::Multiply
            | Instruction::Divide
            | Instruction::Power => 2,
            Instruction::Call(function) => function.arguments(),
        }
    }

    pub(super) fn apply<S: Scalar>(self, x: &[S], variables: &[S]) -> S {
        match self {
            Instruction::Constant(value) => S::from(value),
            Instruction::Variable(index) => match variables.get(index) {
                Some(value) => *value,
                None => S::from(f64::NAN),
            },
            Instruction::Negate => -x[0],
            Instruction::Add => x[0] + x[1],
            Instruction::Subtract => x[0] - x[1],
            Instruction::Multiply => x[0] * x[1],
            Instruction::Divide => x[0] / x[1],
            Instruction::Power => x[0].pow(x[1]),
            Instruction::IntegerPower(exponent) => x[0].powi(exponent),
            Instruction::Call(function) => function.apply(x),
        }
    }
}

/// Instructions in postfix order.  `emit` checks the stack limit, so that evaluation needs no
/// check.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Code {
    instructions: Vec<Instruction>,
    /// Number of operands on the stack after the last instruction, and its maximum.
    stack_height: usize,
    stack_depth: usize,
}

impl Code {
    /// Appends an instruction whose operands have been emitted. If all operands are constants, the
    /// result is folded into a constant.
    pub(super) fn emit(&mut self, instruction: Instruction, position: usize) -> Result<(), ParseError> {
        let operands = instruction.operands();
        let instruction = if operands > 0 { self.fold_constants(instruction, position)? } else { instruction };
        self.stack_height = self.stack_height + 1 - instruction.operands();
        self.stack_depth = self.stack_depth.max(self.stack_height);
        if self.stack_depth > STACK_LIMIT {
            return Err(ParseError::TooDeep { position, limit: STACK_LIMIT });
        }
        self.instructions.push(instruction);
        Ok(())
    }

    /// The simplest equivalent instruction; operands that become part of it are removed from the
    /// code.
    fn fold_constants(&mut self, instruction: Instruction, position: usize) -> Result<Instruction, ParseError> {
        let operands = instruction.operands();
        // In postfix order trailing constants are the operands themselves.
        let mut values = [0.0; STACK_LIMIT];
        let mut known = 0;
        for trailing in self.instructions.iter().rev().take(operands) {
            let Instruction::Constant(value) = *trailing else {
                break;
            };
            known += 1;
            values[operands - known] = value;
        }
        if known == operands {
            let value = instruction.apply(&values[..operands], &[]);
            if !value.is_finite() {
                return Err(ParseError::NotFinite { position, value });
            }
            self.drop_trailing(operands);
            return Ok(Instruction::Constant(value));
        }
        if instruction == Instruction::Power && known == 1 {
            let exponent = values[1];
            if exponent.fract() == 0.0 && exponent.abs() <= INTEGER_POWER_LIMIT {
                self.drop_trailing(1);
                return Ok(Instruction::IntegerPower(exponent as i32));
            }
        }
        Ok(instruction)
    }

    fn drop_trailing(&mut self, count: usize) {
        self.instructions.truncate(self.instructions.len() - count);
        self.stack_height -= count;
    }

    /// The value of the whole code if it is a single constant.
    pub(super) fn constant(&self) -> Option<f64> {
        match self.instructions.as_slice() {
            [Instruction::Constant(value)] => Some(*value),
            _ => None,
        }
    }

    /// Whether it is of at most first degree in its variables, judged by its operations.
    pub(super) fn is_affine(&self) -> bool {
        let mut degrees: Vec<u32> = Vec::with_capacity(self.stack_depth);
        for instruction in &self.instructions {
            let x = degrees.split_off(degrees.len() - instruction.operands());
            let most = x.iter().copied().max().unwrap_or(0);
            degrees.push(match instruction {
                Instruction::Constant(_) => 0,
                Instruction::Variable(_) => 1,
                Instruction::Negate | Instruction::Add | Instruction::Subtract => most,
                Instruction::Multiply => x[0].saturating_add(x[1]),
                Instruction::Divide if x[1] == 0 => x[0],
                _ if most == 0 => 0,
                _ => u32::MAX,
            });
        }
        degrees.iter().all(|degree| *degree <= 1)
    }

    pub(super) fn instructions(&self) -> &[Instruction] {
        &self.instructions
    }

    /// Applies `f` to the operands of the instruction `at`.
    pub(super) fn with_operands<S: Scalar, T>(&self, at: usize, variables: &[S], f: impl Fn(&[S]) -> T) -> T {
        let mut stack = [S::zero(); STACK_LIMIT];
        let mut height = 0;
        for instruction in &self.instructions[..at] {
            let first = height - instruction.operands();
            stack[first] = instruction.apply(&stack[first..height], variables);
            height = first + 1;
        }
        f(&stack[height - self.instructions[at].operands()..height])
    }

    pub(super) fn run<S: Scalar>(&self, variables: &[S]) -> S {
        if self.stack_depth <= SMALL_STACK {
            self.run_on::<S, SMALL_STACK>(variables)
        } else {
            self.run_on::<S, STACK_LIMIT>(variables)
        }
    }

    fn run_on<S: Scalar, const DEPTH: usize>(&self, variables: &[S]) -> S {
        let mut stack = [S::zero(); DEPTH];
        let mut height = 0;
        for instruction in &self.instructions {
            let first = height - instruction.operands();
            stack[first] = instruction.apply(&stack[first..height], variables);
            height = first + 1;
        }
        stack[0]
    }
}

#[cfg(test)]
mod tests {
    use super::super::parser::parse;
    use super::*;

    fn instructions(text: &str) -> Vec<Instruction> {
        parse(text, &["x"]).unwrap().instructions
    }

    #[test]
    fn constant_parts_fold() {
        assert_eq!(
            instructions("2*pi*x"),
            [Instruction::Constant(2.0 * std::f64::consts::PI), Instruction::Variable(0), Instruction::Multiply,]
        );
        assert_eq!(instructions("step(2, 1, -1, 3, 5) - 2^2"), [Instruction::Constant(-2.0)]);
    }

    #[test]
    fn integer_exponents_become_integer_powers() {
        assert_eq!(instructions("x^(1-3)"), [Instruction::Variable(0), Instruction::IntegerPower(-2)]);
        assert_eq!(instructions("x^0.5"), [Instruction::Variable(0), Instruction::Constant(0.5), Instruction::Power]);
    }

    #[test]
    fn straight_lines_are_recognised_by_their_form() {
        for text in ["x - 2.5", "3", "-(2*x + 1)/4 - x*sin(2)", "x*2^3"] {
            assert!(parse(text, &["x"]).unwrap().is_affine(), "{text}");
        }
        for text in ["x*x", "x^2", "1/x", "sin(x)", "x - abs(x)", "2^x", "x/(1 + 0*x)"] {
            assert!(!parse(text, &["x"]).unwrap().is_affine(), "{text}");
        }
    }

    #[test]
    fn the_recorded_depth_is_the_depth_reached() {
        assert_eq!(parse("x+x+x+x", &["x"]).unwrap().stack_depth, 2);
        assert_eq!(parse("x+(x+(x+x))", &["x"]).unwrap().stack_depth, 4);
        assert_eq!(parse("step(x, x, x, x, x+x)", &["x"]).unwrap().stack_depth, 6);
    }
}
