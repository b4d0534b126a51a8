//! Families of cases, and what is made of one.

mod chains;
mod drivers;
mod inputs;
mod random;
mod reference;
mod rest;
mod swings;
mod throws;

use random::Random;
use taut::analyses::{Integrator, Transient, simulate};
use taut::{Model, Outcome, Solution, State, Verdict};

/// How a case ended.
#[derive(Clone, Debug)]
pub enum Judgement {
    /// The numbers are right.
    Met,
    /// They are not, or there are none, and the run says so.
    Told(String),
    /// They are wrong, and nothing says so.
    Silent(String),
}

type Family = (&'static str, fn(&mut Random) -> Judgement);

/// All families.
pub const FAMILIES: [Family; 6] = [
    ("chains", chains::jumping),
    ("switching", chains::switching),
    ("swings", swings::case),
    ("drivers", drivers::case),
    ("throws", throws::case),
    ("rest", rest::case),
];

/// The case of a seed.
pub fn judge(family: usize, seed: u64) -> Judgement {
    FAMILIES[family].1(&mut Random::new(seed.wrapping_mul(0x9e37_79b9).wrapping_add(family as u64)))
}

/// A run with a random method, tolerance and output interval.
pub struct Trial {
    pub settings: Transient,
    /// Largest error, relative to the size of the motion, that is no miss.
    pub allowed: f64,
    pub told: String,
}

impl Trial {
    pub fn new(r: &mut Random, end: f64) -> Trial {
        let methods = [
            Integrator::Dop853,
            Integrator::DormandPrince,
            Integrator::BogackiShampine,
            Integrator::RadauIia5,
            Integrator::Trapezoidal,
            Integrator::TwoStep,
            Integrator::GeneralisedAlpha,
        ];
        let integrator = methods[r.below(methods.len())];
        let first_order = matches!(integrator, Integrator::BogackiShampine);
        let second_order =
            matches!(integrator, Integrator::Trapezoidal | Integrator::TwoStep | Integrator::GeneralisedAlpha);
        // What converges slowly is not asked for many digits.
        let tolerance = if second_order {
            1e-5
        } else if first_order {
            1e-6
        } else {
            [1e-6, 1e-8][r.below(2)]
        };
        let mut settings = Transient { integrator, rtol: tolerance, atol: tolerance, ..Transient::to(end) };
        let every = end / [1.0, 3.0, 17.0, 100.0][r.below(4)];
        settings = settings.every(every);
        let told = format!("{integrator:?}, tolerance {tolerance:e}, output every {every:.4} s");
        Trial { settings, allowed: 100.0 * tolerance, told }
    }

    /// Runs from the start of the model, and compares columns with what they should be at every output.
    pub fn judge(
        &self,
        model: &Model,
        columns: &[String],
        exact: &mut dyn FnMut(f64) -> Vec<f64>,
        what: &str,
    ) -> Judgement {
        self.judge_from(model, &model.initial_state(), columns, exact, what)
    }

    /// The same from a state.
    pub fn judge_from(
        &self,
        model: &Model,
        state: &State,
        columns: &[String],
        exact: &mut dyn FnMut(f64) -> Vec<f64>,
        what: &str,
    ) -> Judgement {
        let columns: Vec<(&str, f64)> = columns.iter().map(|c| (c.as_str(), 1.0)).collect();
        self.compared(model, state, &columns, exact, f64::NAN, what)
    }

    /// The same with columns measured by sizes of their own, but not at the very moment at which velocities jump.
    pub fn judge_scaled(
        &self,
        model: &Model,
        columns: &[(&str, f64)],
        exact: &mut dyn FnMut(f64) -> Vec<f64>,
        jump: f64,
        what: &str,
    ) -> Judgement {
        self.compared(model, &model.initial_state(), columns, exact, jump, what)
    }

    fn compared(
        &self,
        model: &Model,
        state: &State,
        columns: &[(&str, f64)],
        exact: &mut dyn FnMut(f64) -> Vec<f64>,
        jump: f64,
        what: &str,
    ) -> Judgement {
        let found = match simulate(model, state, &self.settings) {
            Err(e) => return Judgement::Told(e.to_string()),
            Ok(found) => found,
        };
        if let Some(why) = said(&found) {
            return Judgement::Told(why);
        }
        let mut worst = (0.0_f64, String::new());
        for (i, t) in found.t().iter().enumerate() {
            let exact = exact(*t);
            if (t - jump).abs() < 1e-6 * jump {
                continue;
            }
            for ((name, size), exact) in columns.iter().zip(exact) {
                let value = found.column(name).map_or(f64::NAN, |c| c[i]) / size;
                let off = (value - exact).abs() / (1.0 + exact.abs());
                if off.is_nan() || off > worst.0 {
                    worst =
                        (if off.is_nan() { f64::INFINITY } else { off }, format!("{name}({t}) = {value}, not {exact}"));
                }
            }
        }
        if worst.0 <= self.allowed {
            return Judgement::Met;
        }
        Judgement::Silent(format!(
            "{}: off by {:.1e}, allowed {:.0e} [{}; {what}]",
            worst.1, worst.0, self.allowed, self.told
        ))
    }
}

/// What a run says against itself.
fn said(found: &Solution) -> Option<String> {
    if found.outcome != Outcome::Finished {
        return Some(found.outcome.to_string());
    }
    let verdict = found.verdict?;
    (verdict != Verdict::Sound)
        .then(|| format!("{verdict}: {}", found.warnings.first().map_or_else(String::new, |w| format!("{w:?}"))))
}
