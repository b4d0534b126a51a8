//! Figures 4 to 8: the swing. [Masarati2010] section 4.2

use super::swing::{POINTS, explicit, point};
use crate::reproduce::case::PaperModel;
use crate::reproduce::error::ReproductionError;
use crate::reproduce::figures::{WHOLE, over_time};
use taut::Solution;
use taut::analyses::linear::{ModeKind, ModeRequest, linearise, modes};
use taut::analyses::{Integrator, Output};
use taut::drift::{DriftControl, ProjectionWeight};
use taut_io::plot::{Figure, Panel, Scale, Series, Sheet};

/// The trajectories of A to E as one line with gaps.
fn trajectories(label: &str, motion: &Solution, key: &str) -> Result<Series, ReproductionError> {
    let (mut x, mut y) = (Vec::new(), Vec::new());
    for k in 0..POINTS.len() {
        let name = point(key, k);
        x.extend_from_slice(motion.column(&format!("{name}.x"))?);
        y.extend_from_slice(motion.column(&format!("{name}.y"))?);
        // A gap to the next point.
        x.push(f64::NAN);
        y.push(f64::NAN);
    }
    Ok(Series { label: label.to_string(), x, y })
}

/// A view of the plane.
fn plane(series: Vec<Series>, height: f64) -> Figure {
    let panel = Panel { label: "y".to_string(), unit: "m".to_string(), series };
    Figure::new("x", "m", vec![panel]).sized(WHOLE, height)
}

/// Fig. 4: 2 and 4 three-node elements, by an implicit method.
pub fn three_node() -> Result<Sheet, ReproductionError> {
    let run = |halves: &str| -> Result<Solution, ReproductionError> {
        let case = PaperModel::open("masarati_swing_three_node", &[("n", halves), ("settings.duration", "1 s")])?;
        let settings = case.settings.clone().integrator(Integrator::RadauIia5).tolerance(1e-5, 1e-7).every(2e-3);
        case.run_with(&settings)
    };
    let lines = vec![trajectories("2 elements", &run("4")?, "4")?, trajectories("4 elements", &run("8")?, "8")?];
    Ok(plane(lines, 420.0).into())
}

/// Fig. 5: shapes along the beam, largest displacement 1.
pub fn shapes() -> Result<Sheet, ReproductionError> {
    let case = PaperModel::open("masarati_swing_modes", &[])?;
    let lin = linearise(&case.model, &case.start, None).map_err(|e| ReproductionError::new(e.to_string()))?;
    let all = modes(&lin, ModeRequest::All).map_err(|e| ReproductionError::new(e.to_string()))?;
    let (_, names) = case.model.state_names();
    let vibrations: Vec<_> = all.modes.iter().filter(|m| m.kind == ModeKind::Vibration).collect();
    let mut lines = Vec::new();
    for (label, hertz, axis) in [
        ("first symmetric bending", 0.443, "vy"),
        ("first antisymmetric bending", 18.17, "vy"),
        ("second symmetric bending", 28.46, "vy"),
        ("first antisymmetric axial", 319.5, "vx"),
    ] {
        let near = |f: f64| (f - hertz).abs();
        let mode = vibrations.iter().min_by(|a, b| near(a.frequency()).total_cmp(&near(b.frequency())));
        let mode = mode.ok_or_else(|| ReproductionError::new("the beam does not vibrate"))?;
        let mut y = Vec::new();
        for i in 0..=40 {
            let at = names.iter().position(|q| q.name == format!("beam_{i}.{axis}"));
            y.push(mode.xi[at.ok_or_else(|| ReproductionError::new("a node has no velocity"))?].re);
        }
        let most = y.iter().copied().fold(0.0, |m: f64, v: f64| if v.abs() > m.abs() { v } else { m });
        let x = (0..=40).map(|i| 0.72 * f64::from(i) / 40.0).collect();
        lines.push(Series { label: label.to_string(), x, y: y.iter().map(|v| v / most).collect() });
    }
    let panel = Panel { label: "displacement".to_string(), unit: "1".to_string(), series: lines };
    Ok(Figure::new("along the beam", "m", vec![panel]).sized(WHOLE, 280.0).into())
}

/// Baseline and present: the paper's projection with W = I.
fn both(model: &str, t_end: f64) -> Result<[(&'static str, Solution); 2], ReproductionError> {
    let run = |drift| explicit(model, t_end, drift, Output::Every(1e-3));
    Ok([
        ("baseline", run(DriftControl::None)?),
        ("present", run(DriftControl::Projection(ProjectionWeight::Identity))?),
    ])
}

fn drift(model: &str, t_end: f64) -> Result<Sheet, ReproductionError> {
    let both = both(model, t_end)?;
    let panel = |label: &str, unit: &str, column: &str| -> Result<Figure, ReproductionError> {
        let mut lines = Vec::new();
        for (label, motion) in &both {
            // Round-off is shown as such, so that a logarithm exists.
            let y = motion.column(column)?.iter().map(|r| r.abs().max(1e-17)).collect();
            lines.push(Series { label: (*label).to_string(), x: motion.t().to_vec(), y });
        }
        Ok(over_time(label, unit, lines).sized(WHOLE, 190.0).scaled(Scale::Linear, Scale::Logarithmic))
    };
    Ok(Sheet::new(
        1,
        vec![
            panel("error of the constraint", "m", "residual.position")?,
            panel("error of its rate", "m/s", "residual.velocity")?,
        ],
    ))
}

/// Fig. 6.
pub fn element_drift() -> Result<Sheet, ReproductionError> {
    drift("masarati_swing_4", 0.69)
}

/// Fig. 7.
pub fn modal_drift() -> Result<Sheet, ReproductionError> {
    drift("masarati_swing_modal_axial", 1.0)
}

/// Fig. 8.
pub fn markers() -> Result<Sheet, ReproductionError> {
    let mut figures = Vec::new();
    for (model, key, t_end) in [
        ("masarati_swing_4", "4", 0.69),
        ("masarati_swing_modal_axial", "modal", 1.0),
        ("masarati_swing_modal", "modal", 1.0),
    ] {
        let lines = both(model, t_end)?
            .iter()
            .map(|(label, motion)| trajectories(label, motion, key))
            .collect::<Result<_, _>>()?;
        figures.push(plane(lines, 300.0));
    }
    Ok(Sheet::new(1, figures))
}
