//! Figures 4 to 7: the double four-bar and the blade. [Kamaraj2021]

use super::blade::{BLADES, open};
use crate::reproduce::PaperFigure;
use crate::reproduce::case::PaperModel;
use crate::reproduce::error::ReproductionError;
use crate::reproduce::figures::{WHOLE, line, over_time};
use std::f64::consts::PI;
use taut::Solution;
use taut::analyses::{Integrator, Transient};
use taut::drift::{DriftControl, Gain};
use taut::dynamics::SolverSettings;
use taut::formulations::Method;
use taut_io::plot::{Series, Sheet};

/// All figures of the paper that show data.
pub const ALL: &[PaperFigure] = &[
    PaperFigure {
        name: "kamaraj_fig04",
        caption: "Fig. 4, double four-bar: node A along x, displacement and velocity, by Udwadia–Kalaba and in one coordinate",
        draw: node_a,
    },
    PaperFigure {
        name: "kamaraj_fig05",
        caption: "Fig. 5, blade: flap angle in the first second, by Udwadia–Kalaba, by the linear eq. (25), and as printed",
        draw: flap,
    },
    PaperFigure { name: "kamaraj_fig06", caption: "Fig. 6, blade: error of the first constraint", draw: holonomic },
    PaperFigure { name: "kamaraj_fig07", caption: "Fig. 7, blade: error of the rotor speed", draw: speed },
];

/// Udwadia–Kalaba with the law of Braun and Goldfarb, RK4 with the step of the paper.
pub fn by_the_paper(settings: &Transient) -> Transient {
    let drift = DriftControl::BraunGoldfarb(Gain::PerStep);
    let choice = SolverSettings { method: Method::UdwadiaKalabaSpectral, drift, ..SolverSettings::default() };
    settings.clone().integrator(Integrator::Rk4).first_step(1e-3).choice(choice)
}

fn node_a() -> Result<Sheet, ReproductionError> {
    let full = PaperModel::open("kamaraj_four_bar_coordinates", &[])?;
    let full = full.run_with(&by_the_paper(&full.settings).every(0.01))?;
    let one = PaperModel::open("kamaraj_four_bar_minimal", &[("outputs.every", "10 ms")])?.run()?;
    let (theta, omega) = (one.column("cranks.angle")?, one.column("cranks.angle'")?);
    let each = |f: fn(f64, f64) -> f64| Series {
        label: "one coordinate".to_string(),
        x: one.t().to_vec(),
        y: theta.iter().zip(omega).map(|(a, w)| f(*a, *w)).collect(),
    };
    // The tip of a crank is twice as far as its mass centre.
    let panels = vec![
        over_time("x of A", "m", vec![line("Udwadia–Kalaba", &full, "b1.x", 2.0)?, each(|a, _| a.cos())]),
        over_time(
            "x velocity of A",
            "m/s",
            vec![line("Udwadia–Kalaba", &full, "b1.vx", 2.0)?, each(|a, w| -w * a.sin())],
        ),
    ];
    Ok(Sheet::new(1, panels.into_iter().map(|p| p.sized(WHOLE, 190.0)).collect()))
}

fn blade() -> Result<Solution, ReproductionError> {
    let case = PaperModel::open("kamaraj_blade_coordinates", &[])?;
    case.run_with(&by_the_paper(&case.settings).every(5e-3))
}

/// The part of a line up to 1 s.
fn first_second(line: Series) -> Series {
    let n = line.x.partition_point(|t| *t <= 1.0 + 1e-9);
    Series { label: line.label, x: line.x[..n].to_vec(), y: line.y[..n].to_vec() }
}

fn flap() -> Result<Sheet, ReproductionError> {
    let ours = line("Udwadia–Kalaba, eqs. put right", &blade()?, "angles.flap", 1.0)?;
    let y = ours.x.iter().map(|t| PI / 18.0 * (22.753_627_395_462_885 * t).cos()).collect();
    let linear = Series { label: "linear, eq. (25)".to_string(), x: ours.x.clone(), y };
    let mut lines = vec![ours, linear];
    for (blade, label) in [(&BLADES[2], "hinge put right only"), (&BLADES[3], "as printed")] {
        lines.push(line(label, &open(blade, &[("outputs.every", "5 ms")])?.run()?, "angles.flap", 1.0)?);
    }
    let lines = lines.into_iter().map(first_second).collect();
    Ok(over_time("flap angle", "rad", lines).sized(WHOLE, 300.0).into())
}

fn holonomic() -> Result<Sheet, ReproductionError> {
    let motion = blade()?;
    let [blade, link, flap, azimuth] =
        ["blade.x", "link.x", "angles.flap", "angles.azimuth"].map(|name| motion.column(name).map(<[f64]>::to_vec));
    let (blade, link, flap, azimuth) = (blade?, link?, flap?, azimuth?);
    let error = |i: usize| blade[i] - 2.0 * link[i] - 0.5 * 8.9 * flap[i].cos() * azimuth[i].cos();
    let y = (0..motion.len()).map(error).collect();
    let series = Series { label: "Phi_q1".to_string(), x: motion.t().to_vec(), y };
    Ok(over_time("error of the first constraint", "m", vec![series]).sized(WHOLE, 240.0).into())
}

fn speed() -> Result<Sheet, ReproductionError> {
    let motion = blade()?;
    let y = motion.column("angles.azimuth'")?.iter().map(|w| w - 22.0).collect();
    let series = Series { label: "Phi_v".to_string(), x: motion.t().to_vec(), y };
    Ok(over_time("Omega − 22 rad/s", "rad/s", vec![series]).sized(WHOLE, 240.0).into())
}
