//! Bounds of an expression and its slope over an interval of time (interval arithmetic).

use super::code::Instruction;
use super::functions::Function;
use crate::scalar::Interval;

/// Bounds of a quantity over an interval of time.
///
/// `all` is never wider than the mean-value form, mid + slope · (t − t_mid), so that intervals near a simple zero of a
/// sum can be distinguished from intervals that contain it.
#[derive(Debug, Clone, Copy)]
pub(super) struct MeanValueForm {
    /// Value at the midpoint of the interval.
    pub mid: Interval,
    /// Value everywhere in the interval.
    pub all: Interval,
    /// Derivative, including all one-sided derivatives at kinks; unbounded if there may be a jump.
    pub slope: Interval,
}

/// Whether a piecewise operation stays on one smooth branch over the whole closed interval. Adjacent smooth intervals are on the same
/// branch, because their common end point belongs to one branch only.
#[derive(Debug, Clone, Copy)]
pub(super) enum Smoothness {
    /// One smooth branch; the operand `unused` does not affect it.
    Smooth { unused: Option<usize> },
    /// The branch may change where this function crosses zero (`floor`: an integer).
    Undecided(MeanValueForm),
}

const SMOOTH: Smoothness = Smoothness::Smooth { unused: None };

impl MeanValueForm {
    pub const UNKNOWN: MeanValueForm =
        MeanValueForm { mid: Interval::ENTIRE, all: Interval::ENTIRE, slope: Interval::ENTIRE };

    pub fn constant(value: f64) -> MeanValueForm {
        let value = if value.is_nan() { Interval::ENTIRE } else { Interval::point(value) };
        MeanValueForm { mid: value, all: value, slope: Interval::ZERO }
    }

    pub fn time(from: f64, mid: f64, to: f64) -> MeanValueForm {
        MeanValueForm { mid: Interval::point(mid), all: Interval { lo: from, hi: to }, slope: Interval::point(1.0) }
    }

    fn is_constant(self) -> bool {
        self.slope == Interval::ZERO
    }

    fn hull(self, other: MeanValueForm) -> MeanValueForm {
        MeanValueForm {
            mid: self.mid.hull(other.mid),
            all: self.all.hull(other.all),
            slope: self.slope.hull(other.slope),
        }
    }

    fn negated(self) -> MeanValueForm {
        MeanValueForm { mid: -self.mid, all: -self.all, slope: -self.slope }
    }

    fn plus(self, b: MeanValueForm) -> MeanValueForm {
        MeanValueForm { mid: self.mid + b.mid, all: self.all + b.all, slope: self.slope + b.slope }
    }

    fn minus(self, b: MeanValueForm) -> MeanValueForm {
        self.plus(b.negated())
    }

    fn product(self, b: MeanValueForm) -> MeanValueForm {
        MeanValueForm { mid: self.mid * b.mid, all: self.all * b.all, slope: self.slope * b.all + self.all * b.slope }
    }

    fn quotient(self, b: MeanValueForm) -> MeanValueForm {
        let all = self.all / b.all;
        MeanValueForm { mid: self.mid / b.mid, all, slope: (self.slope - all * b.slope) / b.all }
    }

    /// f(x) with the bounds of f′.
    fn chain(self, f: impl Fn(Interval) -> Interval, slope: Interval) -> MeanValueForm {
        MeanValueForm { mid: f(self.mid), all: f(self.all), slope: slope * self.slope }
    }

    /// The same bounds, intersected with the mean-value form.
    pub fn tightened(self, radius: f64) -> MeanValueForm {
        let reach = self.slope * Interval { lo: -radius, hi: radius };
        MeanValueForm { all: self.all.intersection(self.mid + reach), ..self }
    }
}

/// The bounds of the result of an instruction, and its smoothness.
pub(super) fn apply(
    instruction: Instruction,
    x: &[MeanValueForm],
    variables: &[MeanValueForm],
    radius: f64,
) -> (MeanValueForm, Smoothness) {
    let (range, form) = match instruction {
        Instruction::Constant(value) => (MeanValueForm::constant(value), SMOOTH),
        Instruction::Variable(index) => (variables.get(index).copied().unwrap_or(MeanValueForm::UNKNOWN), SMOOTH),
        Instruction::Negate => (x[0].negated(), SMOOTH),
        Instruction::Add => (x[0].plus(x[1]), SMOOTH),
        Instruction::Subtract => (x[0].minus(x[1]), SMOOTH),
        Instruction::Multiply => {
            let zero = |r: &MeanValueForm| r.all == Interval::ZERO;
            let unused = if zero(&x[0]) { Some(1) } else { zero(&x[1]).then_some(0) };
            (x[0].product(x[1]), Smoothness::Smooth { unused })
        }
        Instruction::Divide => (x[0].quotient(x[1]), SMOOTH),
        Instruction::Power => power(x[0], x[1]),
        Instruction::IntegerPower(n) => {
            let slope = Interval::point(f64::from(n)) * x[0].all.powi(n.saturating_sub(1));
            (x[0].chain(|x| x.powi(n), slope), SMOOTH)
        }
        Instruction::Call(function) => call(function, x, radius),
    };
    // Operands that keep their value, as those of `mod(floor(7*t), 2)` between two jumps, give one value, which the bounds of
    // round-off must not blur: 4/2 would be a little more or less than 2.
    if !x.is_empty() && x.iter().all(|x| x.is_constant() && x.all.is_point()) {
        let values: Vec<f64> = x.iter().map(|x| x.all.lo).collect();
        let form = if matches!(form, Smoothness::Undecided(_)) { SMOOTH } else { form };
        return (MeanValueForm::constant(instruction.apply(&values, &[])), form);
    }
    (range.tightened(radius), form)
}

fn power(base: MeanValueForm, exponent: MeanValueForm) -> (MeanValueForm, Smoothness) {
    let n = exponent.all;
    let raised = |base: Interval| base.pow(n);
    if !exponent.is_constant() {
        let all = raised(base.all);
        let slope = all * (exponent.slope * base.all.ln() + n * base.slope / base.all);
        return (MeanValueForm { mid: base.mid.pow(exponent.mid), all, slope }, SMOOTH);
    }
    let slope = n * base.all.pow(n - Interval::point(1.0));
    let range = base.chain(raised, slope);
    let whole = n.is_point() && n.lo.fract() == 0.0;
    (range, if whole { SMOOTH } else { root_smoothness(base) })
}

/// Smoothness of a root: its slope is infinite where its argument is zero.
fn root_smoothness(x: MeanValueForm) -> Smoothness {
    if x.all.lo > 0.0 || x.all.hi < 0.0 || x.is_constant() { SMOOTH } else { Smoothness::Undecided(x) }
}

fn call(function: Function, x: &[MeanValueForm], radius: f64) -> (MeanValueForm, Smoothness) {
    let one = Interval::point(1.0);
    let smooth = |range: MeanValueForm| (range, SMOOTH);
    match function {
        Function::Sin => smooth(x[0].chain(Interval::sin, x[0].all.cos())),
        Function::Cos => smooth(x[0].chain(Interval::cos, -x[0].all.sin())),
        Function::Tan => smooth(x[0].chain(Interval::tan, one + x[0].all.tan().powi(2))),
        Function::Atan => smooth(x[0].chain(Interval::atan, one / (one + x[0].all.powi(2)))),
        Function::Sinh => smooth(x[0].chain(Interval::sinh, x[0].all.cosh())),
        Function::Cosh => smooth(x[0].chain(Interval::cosh, x[0].all.sinh())),
        Function::Tanh => smooth(x[0].chain(Interval::tanh, one / x[0].all.cosh().powi(2))),
        Function::Exp => smooth(x[0].chain(Interval::exp, x[0].all.exp())),
        Function::Ln => smooth(x[0].chain(Interval::ln, one / x[0].all)),
        Function::Log10 => {
            let slope = one / (x[0].all * Interval::point(std::f64::consts::LN_10));
            smooth(x[0].chain(Interval::log10, slope))
        }
        Function::Sqrt => {
            let slope = Interval::point(0.5) / x[0].all.sqrt();
            (x[0].chain(Interval::sqrt, slope), root_smoothness(x[0]))
        }
        Function::Asin | Function::Acos => arc_function(function, x[0]),
        Function::Atan2 => atan2(x[0], x[1]),
        Function::Abs => absolute(x[0]),
        Function::Sign => sign(x[0]),
        Function::Floor => floor(x[0]),
        Function::Mod => {
            let (turns, form) = floor(x[0].quotient(x[1]).tightened(radius));
            let rest = x[0].minus(x[1].product(turns));
            match form {
                Smoothness::Smooth { .. } => (rest, SMOOTH),
                Smoothness::Undecided(_) => {
                    let bound = x[1].all.hull(Interval::ZERO);
                    (
                        MeanValueForm {
                            mid: rest.mid.intersection(bound),
                            all: rest.all.intersection(bound),
                            slope: Interval::ENTIRE,
                        },
                        form,
                    )
                }
            }
        }
        Function::Min => {
            let first = x[0].minus(x[1]).tightened(radius);
            let (range, form) = extremum(x, first.negated());
            let both = |a: Interval, b: Interval| a.min(b);
            (MeanValueForm { mid: both(x[0].mid, x[1].mid), all: both(x[0].all, x[1].all), ..range }, form)
        }
        Function::Max => {
            let first = x[0].minus(x[1]).tightened(radius);
            let (range, form) = extremum(x, first);
            let both = |a: Interval, b: Interval| a.max(b);
            (MeanValueForm { mid: both(x[0].mid, x[1].mid), all: both(x[0].all, x[1].all), ..range }, form)
        }
        Function::Step => step(x, radius),
        Function::IfPos => match (x[0].all.lo > 0.0, x[0].all.hi <= 0.0) {
            (true, _) => (x[1], Smoothness::Smooth { unused: Some(2) }),
            (_, true) => (x[2], Smoothness::Smooth { unused: Some(1) }),
            _ => (with_unbounded_slope(x[1].hull(x[2])), Smoothness::Undecided(x[0])),
        },
    }
}

/// The same with an unbounded slope.
fn with_unbounded_slope(range: MeanValueForm) -> MeanValueForm {
    MeanValueForm { slope: Interval::ENTIRE, ..range }
}

fn arc_function(function: Function, x: MeanValueForm) -> (MeanValueForm, Smoothness) {
    let one = Interval::point(1.0);
    let slope = one / ((one - x.all) * (one + x.all)).sqrt();
    let range = match function {
        Function::Asin => x.chain(Interval::asin, slope),
        _ => x.chain(Interval::acos, -slope),
    };
    let inside = x.all.lo > -1.0 && x.all.hi < 1.0;
    let smooth = inside || x.is_constant() || x.all.lo > 1.0 || x.all.hi < -1.0;
    let left = MeanValueForm { mid: one - x.mid.abs(), all: one - x.all.abs(), slope: Interval::ENTIRE };
    (range, if smooth { SMOOTH } else { Smoothness::Undecided(left) })
}

fn atan2(y: MeanValueForm, x: MeanValueForm) -> (MeanValueForm, Smoothness) {
    let (mid, all) = (y.mid.atan2(x.mid), y.all.atan2(x.all));
    let square = x.all.powi(2) + y.all.powi(2);
    let slope = (x.all * y.slope - y.all * x.slope) / square;
    let cut = x.all.lo <= 0.0 && y.all.contains(0.0);
    let constant = x.is_constant() && y.is_constant();
    if cut && !constant {
        (MeanValueForm { mid, all, slope: Interval::ENTIRE }, Smoothness::Undecided(y))
    } else {
        (MeanValueForm { mid, all, slope }, SMOOTH)
    }
}

fn absolute(x: MeanValueForm) -> (MeanValueForm, Smoothness) {
    if x.all.lo >= 0.0 {
        (x, SMOOTH)
    } else if x.all.hi < 0.0 {
        (x.negated(), SMOOTH)
    } else {
        let range = MeanValueForm { mid: x.mid.abs(), all: x.all.abs(), slope: x.slope.hull(-x.slope) };
        (range, Smoothness::Undecided(x))
    }
}

fn sign(x: MeanValueForm) -> (MeanValueForm, Smoothness) {
    if x.all.lo > 0.0 {
        (MeanValueForm::constant(1.0), SMOOTH)
    } else if x.all.hi < 0.0 {
        (MeanValueForm::constant(-1.0), SMOOTH)
    } else if x.all == Interval::ZERO {
        (MeanValueForm::constant(0.0), SMOOTH)
    } else {
        (
            with_unbounded_slope(MeanValueForm::constant(-1.0).hull(MeanValueForm::constant(1.0))),
            Smoothness::Undecided(x),
        )
    }
}

fn floor(x: MeanValueForm) -> (MeanValueForm, Smoothness) {
    let all = x.all.floor();
    if all.is_point() {
        (MeanValueForm::constant(all.lo), SMOOTH)
    } else {
        (MeanValueForm { mid: x.mid.floor(), all, slope: Interval::ENTIRE }, Smoothness::Undecided(x))
    }
}

/// The first operand is selected where `first` is positive, the second elsewhere.
fn extremum(x: &[MeanValueForm], first: MeanValueForm) -> (MeanValueForm, Smoothness) {
    if first.all.lo >= 0.0 {
        (x[0], Smoothness::Smooth { unused: Some(1) })
    } else if first.all.hi < 0.0 {
        (x[1], Smoothness::Smooth { unused: Some(0) })
    } else {
        (x[0].hull(x[1]), Smoothness::Undecided(first))
    }
}

fn step(x: &[MeanValueForm], radius: f64) -> (MeanValueForm, Smoothness) {
    let past = |corner: MeanValueForm| x[0].minus(corner).tightened(radius);
    let (past_first, past_second, width) = (past(x[1]), past(x[3]), x[3].minus(x[1]));
    if past_first.all.hi <= 0.0 {
        return (x[2], Smoothness::Smooth { unused: Some(4) });
    }
    if past_first.all.lo > 0.0 && past_second.all.lo >= 0.0 {
        return (x[4], Smoothness::Smooth { unused: Some(2) });
    }
    let rise = x[4].minus(x[2]);
    if past_first.all.lo > 0.0 && past_second.all.hi < 0.0 && width.all.lo > 0.0 {
        let u = past_first.quotient(width).tightened(radius);
        let cubic = u.product(u).product(MeanValueForm::constant(3.0).minus(u.plus(u)));
        return (x[2].plus(rise.product(cubic)), SMOOTH);
    }
    // Between constant corners the slope of the cubic is at most 3/2 of the secant slope.
    let slope = match x[1].is_constant() && x[3].is_constant() && width.all.lo > 0.0 {
        true => {
            let steepest = rise.all * Interval { lo: 0.0, hi: 1.5 } / width.all * x[0].slope;
            x[2].slope.hull(x[4].slope) + steepest.hull(Interval::ZERO)
        }
        false => Interval::ENTIRE,
    };
    let open = match (past_first.all.contains(0.0), past_second.all.contains(0.0)) {
        (true, false) => past_first,
        (false, true) => past_second,
        _ => with_unbounded_slope(past_first),
    };
    (MeanValueForm { slope, ..x[2].hull(x[4]) }, Smoothness::Undecided(open))
}
