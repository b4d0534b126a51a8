//! Number of steps with the pitch link as a constraint, and as a stiff control.
//! [Masarati2010] section 4.3, the cases called baseline, present and penalty

#![allow(non_snake_case)] // the theory's letter is the identifier

use crate::reproduce::ExampleResults;
use crate::reproduce::case::{PaperModel, at, largest_absolute, nan_max};
use crate::reproduce::decade::next_power_of_ten;
use crate::reproduce::error::ReproductionError;
use crate::reproduce::reference_values::ReferenceValues;
use crate::reproduce::row::{ComparisonRow, Reference};
use std::f64::consts::FRAC_PI_2;
use taut::analyses::{Integrator, Output, Transient, simulate};
use taut::bodies::{BodyKind, Quantity, Subsystem, SubsystemBody};
use taut::drift::{DriftControl, ProjectionWeight};
use taut::{Solution, Spec};

/// Rotor speed, rad/s, and the inertias of table 3, kg m².
const OMEGA: f64 = 40.0;
const I_B: f64 = 416.67;
const I_F: f64 = 9.375e-2;
const I_X: f64 = 1.875e-2;

/// The settings of the paper: Dormand and Prince's pair with coarse tolerances and steps of 0.01 s at most.
fn paper_settings(settings: &Transient) -> Transient {
    settings
        .clone()
        .integrator(Integrator::DormandPrince)
        .tolerance(1e-2, 1e-4)
        .largest_step(0.01)
        .first_step(0.01)
        .output(Output::Steps)
}

/// With the constraint: as many steps as the largest step asks for.
pub fn constraint(found: &mut ExampleResults) -> Result<(), ReproductionError> {
    let known = ReferenceValues::of("masarati-2010/pitch_runs")?;
    let case = PaperModel::open("masarati_pitch_link", &[])?;
    let runs = [
        ("none", "baseline", DriftControl::None),
        ("rates_only", "present", DriftControl::RatesOnly(ProjectionWeight::Mass)),
        ("rates_only", "present, state reset too", DriftControl::Projection(ProjectionWeight::Mass)),
    ];
    for (name, words, drift) in runs {
        let mut settings = paper_settings(&case.settings);
        let stays = drift != DriftControl::None;
        settings.choice.drift = drift;
        let motion = case.run_with(&settings)?;
        let row = ComparisonRow::new("4.3", format!("steps, {words}"), "").printed("200");
        found.push(row.compared_with(motion.statistics.steps as f64, known.absolute(&format!("{name}/steps"), 0.0)?));
        for (level, column, unit, bound) in
            [("phi", "residual.position", "m", 1e-12), ("phidot", "residual.velocity", "m/s", 1e-14)]
        {
            let reference = match stays {
                true => Reference::at_most(bound, "the inner tolerance of the paper, and round-off"),
                // The steps are the same: so must be the drift.
                false => known.relative(&format!("{name}/{level}"), 0.02)?,
            };
            let row = ComparisonRow::new("Fig. 11", format!("largest |{level}|, {words}"), unit);
            let size = largest_absolute(&motion, column)?;
            found.push(row.compared_with(if stays { next_power_of_ten(size) } else { size }, reference));
        }
    }
    Ok(())
}

/// With a stiff control: steps, how far the link would be stretched, and that the stiffest converges too.
pub fn penalty(found: &mut ExampleResults) -> Result<(), ReproductionError> {
    let (runs, exact) =
        (ReferenceValues::of("masarati-2010/pitch_runs")?, ReferenceValues::of("masarati-2010/pitch_penalty")?);
    let mut attempts = Vec::new();
    for (ratio, number, printed) in
        [("5.5", 5.5, None), ("10.5", 10.5, Some("nearly 700")), ("21", 21.0, Some("does not converge"))]
    {
        // The two equations as they stand: among masses that stay at rest their error would be diluted.
        let mut spec = Spec::new();
        spec.body("blade", BodyKind::Subsystem(SubsystemBody::new(FlapPitchBlade { ratio: number })));
        let model = spec.build()?;
        let start = model.initial_state();
        let motion = simulate(&model, &start, &paper_settings(&Transient::to(2.0)))?;
        let work = motion.statistics;
        let count = |what: &str| runs.number(&format!("penalty_{ratio}/{what}"));
        let tried = (work.steps + work.rejected) as f64;
        let row = ComparisonRow::new("4.3", format!("steps tried, control of {ratio} Omega"), "");
        let row = if let Some(text) = printed { row.printed(text) } else { row };
        let reference = Reference::relative(count("steps")? + count("rejected")?, 0.1, runs.from());
        found.push(
            row.compared_with(tried, reference)
                .remark(format!("Ours: {} accepted, {} rejected.", work.steps, work.rejected)),
        );
        attempts.push(tried);
        let row = ComparisonRow::new("Fig. 11", format!("largest |phi|, control of {ratio} Omega"), "m");
        let remark = "The oscillation is an error of the integration at this tolerance, and differs with the norm of the \
                      step control; the constraint has none.";
        found.push(row.information(stretch(&motion)?).remark(remark));

        let tight = PaperModel::open("masarati_pitch_penalty", &[("ratio", ratio)])?.run()?;
        let row = ComparisonRow::new("4.3", format!("pitch at 2 s, control of {ratio} Omega, converged"), "rad");
        let row =
            row.compared_with(at(&tight, "pitch.x", 2.0)?, exact.absolute(&format!("pitch_at_2s/{ratio}"), 1e-9)?);
        found.push(if ratio == "21" { row.remark("It does converge, at the price of more steps.") } else { row });
    }
    // Explicit steps go with the highest frequency.
    let row = ComparisonRow::new("4.3", "steps tried at 21 Omega over those at 10.5 Omega", "");
    let linear = Reference::relative(2.0, 0.1, "steps in proportion to the highest frequency");
    found.push(row.compared_with(attempts[2] / attempts[1], linear));
    Ok(())
}

/// The largest change of the distance that the link would keep. [Masarati2010] eqs. (28), (29)
fn stretch(motion: &Solution) -> Result<f64, ReproductionError> {
    let (flap, pitch) = (motion.column("blade.beta")?, motion.column("blade.theta")?);
    let phi = |(beta, theta): (&f64, &f64)| {
        let x = 0.05 * beta.cos() - 0.2 * beta.sin() * theta.sin() - 0.05;
        let y = 0.2 * theta.cos() - 0.2;
        let z = 0.05 * beta.sin() + 0.2 * beta.cos() * theta.sin() + 0.15;
        (x * x + y * y + z * z).sqrt() - 0.15
    };
    Ok(flap.iter().zip(pitch).map(phi).fold(0.0, |most, x| nan_max(most, x.abs())))
}

/// Flap and pitch with a control of so many rotor speeds. [Masarati2010] eq. (30), table 3
#[derive(Debug)]
struct FlapPitchBlade {
    ratio: f64,
}

impl Subsystem for FlapPitchBlade {
    fn coordinates(&self) -> Vec<Quantity> {
        vec![Quantity::new("beta", "rad"), Quantity::new("theta", "rad")]
    }
    fn initial_state(&self, _q: &mut [f64], _v: &mut [f64], _z: &mut [f64]) {}
    fn mass_matrix(&self, _q: &[f64], M: &mut [f64]) {
        M.copy_from_slice(&[I_B, -I_X, -I_X, I_F]);
    }
    fn forces(&self, t: f64, q: &[f64], v: &[f64], _z: &[f64], f: &mut [f64], _zdot: &mut [f64]) {
        let (square, K_c) = (OMEGA * OMEGA, I_F * (self.ratio * OMEGA).powi(2));
        let moment = 1e4 * (OMEGA * t + FRAC_PI_2).cos() - 8.0 / 16.0 * OMEGA * I_B * v[0];
        f[0] = moment - I_B * square * 1.0625 * q[0] + I_X * square * q[1];
        f[1] = -I_F * square * q[1] + I_X * square * q[0] - K_c * (q[1] + 0.25 * q[0]);
    }
}
