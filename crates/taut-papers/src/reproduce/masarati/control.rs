//! Number of steps with the pitch link as a constraint, and as a stiff control.
//! [Masarati2010] section 4.3, the cases called baseline, present and penalty

#![allow(non_snake_case)] // the theory's letter is the identifier

use crate::reproduce::ExampleResults;
use crate::reproduce::case::{PaperModel, at, largest_absolute, nan_max};
use crate::reproduce::decade::next_power_of_ten;
use crate::reproduce::error::ReproductionError;
use crate::reproduce::print::Print;
use crate::reproduce::reference_values::ReferenceValues;
use crate::reproduce::row::{ComparisonRow, Reference};
use std::f64::consts::FRAC_PI_2;
use taut::analyses::{Integrator, Output, Transient, simulate};
use taut::bodies::{BodyKind, Quantity, Subsystem, SubsystemBody};
use taut::drift::{DriftControl, ProjectionWeight};
use taut::{ColumnFamily, Columns, Solution, Spec};

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

/// The link with one drift control: every step recorded.
pub fn link_run(drift: DriftControl) -> Result<Solution, ReproductionError> {
    let case = PaperModel::open("masarati_pitch_coordinates", &[])?;
    let mut settings = paper_settings(&case.settings);
    settings.choice.drift = drift;
    settings.columns = Columns::Only(ColumnFamily::ALL.to_vec());
    case.run_with(&settings)
}

/// Without drift control, and the paper's projection in the rates with both weights.
pub fn link_controls() -> [(&'static str, &'static str, DriftControl); 4] {
    [
        ("none", "baseline", DriftControl::None),
        ("rates_only_identity", "present, W = I", DriftControl::RatesOnly(ProjectionWeight::Identity)),
        ("rates_only", "present, W = M", DriftControl::RatesOnly(ProjectionWeight::Mass)),
        ("rates_only", "present, W = M, state reset too", DriftControl::Projection(ProjectionWeight::Mass)),
    ]
}

/// With the constraint: as many steps as the largest step asks for.
pub fn constraint(found: &mut ExampleResults) -> Result<(), ReproductionError> {
    let known = ReferenceValues::of("masarati-2010/pitch_runs")?;
    for (name, words, drift) in link_controls() {
        let stays = drift != DriftControl::None;
        let motion = link_run(drift)?;
        let row = ComparisonRow::new("4.3", format!("steps, {words}"), "").printed("200");
        found.push(row.compared_with(motion.statistics.steps as f64, known.absolute(&format!("{name}/steps"), 0.0)?));
        for (level, column, unit, bound) in
            [("phi", "residual.position", "m", 1e-12), ("phidot", "residual.velocity", "m/s", 1e-14)]
        {
            let reference = match stays {
                true => Reference::at_most(bound, "the inner tolerance of the paper, and round-off"),
                // The steps are the same: so must be the drift.
                false => known.relative(&format!("{name}/{level}"), 1e-3)?,
            };
            let row = ComparisonRow::new("Fig. 11", format!("largest |{level}|, {words}"), unit);
            let size = largest_absolute(&motion, column)?;
            found.push(row.compared_with(if stays { next_power_of_ten(size) } else { size }, reference));
        }
    }
    Ok(())
}

/// The blade with a stiff control of so many rotor speeds, at the tolerances of the paper.
pub fn penalty_run(ratio: f64) -> Result<Solution, ReproductionError> {
    // The two equations as they stand: among masses that stay at rest their error would be diluted.
    let mut spec = Spec::new();
    spec.body("blade", BodyKind::Subsystem(SubsystemBody::new(FlapPitchBlade { ratio })));
    let model = spec.build()?;
    Ok(simulate(&model, &model.initial_state(), &paper_settings(&Transient::to(2.0)))?)
}

/// Stiffness of a control of so many rotor speeds, N m.
pub fn stiffness(ratio: f64) -> f64 {
    I_F * (ratio * OMEGA).powi(2)
}

/// Ratios of the control's frequency to that of the rotor.
pub const RATIOS: [(&str, f64); 3] = [("5.5", 5.5), ("10.5", 10.5), ("21", 21.0)];

/// With a stiff control: steps, how far the link would be stretched, and that the stiffest converges too.
pub fn penalty(found: &mut ExampleResults) -> Result<(), ReproductionError> {
    let (runs, exact) =
        (ReferenceValues::of("masarati-2010/pitch_runs")?, ReferenceValues::of("masarati-2010/pitch_penalty")?);
    let mut attempts = Vec::new();
    for (ratio, number) in RATIOS {
        let motion = penalty_run(number)?;
        let work = motion.statistics;
        let of = |what: &str| runs.number(&format!("penalty_{ratio}{what}"));
        let tried = (work.steps + work.rejected) as f64;
        let largest = of("_largest/steps")? + of("_largest/rejected")?;
        let note = format!(
            "Ours: {} accepted, {} rejected. A control of the largest component tries {largest}.",
            work.steps, work.rejected
        );
        let row = ComparisonRow::new("4.3", format!("steps tried, control of {ratio} Omega"), "").remark(note);
        let row = row.compared_with(tried, Reference::relative(of("/steps")? + of("/rejected")?, 0.01, runs.from()));
        found.push(match ratio {
            "10.5" => row.print(Print::within("nearly 700", 630.0, 735.0)),
            "21" => row
                .printed("does not converge")
                .erratum("It does converge; the steps grow in proportion to the frequency."),
            _ => row,
        });
        attempts.push(tried);
        let row = ComparisonRow::new("Fig. 11", format!("largest |phi|, control of {ratio} Omega"), "m");
        let note = format!(
            "The oscillation is an error of the integration at this tolerance; the constraint has none. A control of the \
             largest component, with other steps, gives {:.2e} m.",
            of("_largest/phi")?
        );
        found.push(
            row.compared_with(stretch(&motion)?, runs.relative(&format!("penalty_{ratio}/phi"), 0.01)?).remark(note),
        );

        let tight = PaperModel::open("masarati_pitch_penalty", &[("ratio", ratio)])?.run()?;
        let row = ComparisonRow::new("4.3", format!("pitch at 2 s, control of {ratio} Omega, converged"), "rad");
        found.push(
            row.compared_with(at(&tight, "blade.pitch", 2.0)?, exact.absolute(&format!("pitch_at_2s/{ratio}"), 1e-9)?),
        );
    }
    // Explicit steps go with the highest frequency.
    let row = ComparisonRow::new("4.3", "steps tried at 21 Omega over those at 10.5 Omega", "");
    let linear = Reference::relative(2.0, 0.1, "steps in proportion to the highest frequency");
    found.push(row.compared_with(attempts[2] / attempts[1], linear));
    Ok(())
}

/// The largest change of the distance that the link would keep.
fn stretch(motion: &Solution) -> Result<f64, ReproductionError> {
    Ok(stretches(motion)?.iter().fold(0.0, |most, (phi, _)| nan_max(most, phi.abs())))
}

/// Change of the distance that the link would keep, and its rate. [Masarati2010] eqs. (28), (29)
pub fn stretches(motion: &Solution) -> Result<Vec<(f64, f64)>, ReproductionError> {
    let [flap, pitch, flap_rate, pitch_rate] = ["blade.beta", "blade.theta", "blade.beta'", "blade.theta'"]
        .map(|name| motion.column(name).map(<[f64]>::to_vec));
    let (flap, pitch, flap_rate, pitch_rate) = (flap?, pitch?, flap_rate?, pitch_rate?);
    let phi = |i: usize| {
        let ((sb, cb), (sp, cp)) = (flap[i].sin_cos(), pitch[i].sin_cos());
        let (x, y, z) = (0.05 * cb - 0.2 * sb * sp - 0.05, 0.2 * cp - 0.2, 0.05 * sb + 0.2 * cb * sp + 0.15);
        let (u, v) = (flap_rate[i], pitch_rate[i]);
        let rate = x * ((-0.05 * sb - 0.2 * cb * sp) * u - 0.2 * sb * cp * v) - y * 0.2 * sp * v
            + z * ((0.05 * cb - 0.2 * sb * sp) * u + 0.2 * cb * cp * v);
        let length = (x * x + y * y + z * z).sqrt();
        (length - 0.15, rate / length)
    };
    Ok((0..flap.len()).map(phi).collect())
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
        let (square, K_c) = (OMEGA * OMEGA, stiffness(self.ratio));
        let moment = 1e4 * (OMEGA * t + FRAC_PI_2).cos() - 8.0 / 16.0 * OMEGA * I_B * v[0];
        f[0] = moment - I_B * square * 1.0625 * q[0] + I_X * square * q[1];
        f[1] = -I_F * square * q[1] + I_X * square * q[0] - K_c * (q[1] + 0.25 * q[0]);
    }
}
