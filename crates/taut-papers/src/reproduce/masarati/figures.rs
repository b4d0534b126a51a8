//! Figures 1, 2 and 10 to 12: pendulum and pitch link. [Masarati2010]

use super::pendulum::{self, LOOSE, Setting, TIGHT};
use super::swing_figures;
use super::{control, control::link_run};
use crate::reproduce::PaperFigure;
use crate::reproduce::error::ReproductionError;
use crate::reproduce::figures::{HALF, line, over_time};
use taut::Solution;
use taut::drift::{DriftControl, ProjectionWeight};
use taut_io::plot::{Figure, Panel, Series, Sheet};

/// All figures of the article that show data.
pub const ALL: &[PaperFigure] = &[
    PaperFigure {
        name: "masarati_fig01",
        caption: "Fig. 1, pendulum, rtol 1e-3, atol 1e-6: trajectory, length error, velocity error, total energy",
        draw: || pendulum_sheet(&LOOSE),
    },
    PaperFigure {
        name: "masarati_fig02",
        caption: "Fig. 2, pendulum, rtol = atol = 1e-9: trajectory, length error, velocity error, total energy",
        draw: || pendulum_sheet(&TIGHT),
    },
    PaperFigure {
        name: "masarati_fig04",
        caption: "Fig. 4, swing: trajectories of A to E with 2 and 4 three-node elements, to 1 s; they part after 0.65 s",
        draw: swing_figures::three_node,
    },
    PaperFigure {
        name: "masarati_fig05",
        caption: "Fig. 5, swing: modes of table 1, transverse displacement; axial displacement of the axial mode",
        draw: swing_figures::shapes,
    },
    PaperFigure {
        name: "masarati_fig06",
        caption: "Fig. 6, swing, beam elements: error of the constraints and of their rates. At the corners of the pulse velocities are put on the constraints",
        draw: swing_figures::element_drift,
    },
    PaperFigure {
        name: "masarati_fig07",
        caption: "Fig. 7, swing, four modes: error of the constraints and of their rates",
        draw: swing_figures::modal_drift,
    },
    PaperFigure {
        name: "masarati_fig08",
        caption: "Fig. 8, swing: trajectories of A to E; beam elements to 0.69 s, four modes and three modes to 1 s",
        draw: swing_figures::markers,
    },
    PaperFigure {
        name: "masarati_fig10",
        caption: "Fig. 10, blade: flap and pitch, angles and angular velocities",
        draw: blade_motion,
    },
    PaperFigure {
        name: "masarati_fig11",
        caption: "Fig. 11, blade: error of the link's length and of its rate; without the penalty on the right",
        draw: blade_errors,
    },
    PaperFigure {
        name: "masarati_fig12",
        caption: "Fig. 12, blade: axial force in the pitch link, with and without the penalty and at the end; velocity correction",
        draw: blade_multipliers,
    },
];

/// Trajectory, length, velocity error and energy of one pair of tolerances.
fn pendulum_sheet(setting: &Setting) -> Result<Sheet, ReproductionError> {
    let mut series: [Vec<Series>; 4] = Default::default();
    for (_, _, label, drift) in pendulum::controls().into_iter().filter(|(name, ..)| *name != "braun_goldfarb_10") {
        let motion = pendulum::run(setting, drift)?;
        let errors = pendulum::errors(&motion)?;
        let over_time = |y: Vec<f64>| Series { label: label.to_string(), x: motion.t().to_vec(), y };
        let place = Series { x: motion.column("mass.x")?.to_vec(), ..over_time(motion.column("mass.z")?.to_vec()) };
        series[0].push(place);
        series[1].push(over_time(errors.iter().map(|e| e.0).collect()));
        series[2].push(over_time(errors.iter().map(|e| e.1).collect()));
        series[3].push(over_time(pendulum::energy(&motion)?));
    }
    let [place, length, velocity, energy] = series;
    let panel = Panel { label: "z".to_string(), unit: "m".to_string(), series: place };
    Ok(Sheet::new(
        2,
        vec![
            Figure::new("x", "m", vec![panel]).sized(HALF, 190.0),
            over_time("length less 1 m", "m", length),
            over_time("velocity error", "m/s", velocity),
            over_time("total energy", "J", energy),
        ],
    ))
}

/// The three cases of section 4.3: baseline, present, penalty.
struct Blades {
    baseline: Solution,
    present: Solution,
    penalty: Solution,
}

fn blades() -> Result<Blades, ReproductionError> {
    Ok(Blades {
        baseline: link_run(DriftControl::None)?,
        present: link_run(DriftControl::RatesOnly(ProjectionWeight::Identity))?,
        penalty: control::penalty_run(10.5)?,
    })
}

fn blade_motion() -> Result<Sheet, ReproductionError> {
    let Blades { baseline, present, penalty } = blades()?;
    let panel = |what: &str, unit: &str, linked: &str, free: &str| -> Result<Figure, ReproductionError> {
        let lines = vec![
            line("penalty", &penalty, free, 1.0)?,
            line("baseline", &baseline, linked, 1.0)?,
            line("present", &present, linked, 1.0)?,
        ];
        Ok(over_time(what, unit, lines))
    };
    Ok(Sheet::new(
        2,
        vec![
            panel("flap", "rad", "blade.flap", "blade.beta")?,
            panel("flap rate", "rad/s", "blade.flap'", "blade.beta'")?,
            panel("pitch", "rad", "blade.pitch", "blade.theta")?,
            panel("pitch rate", "rad/s", "blade.pitch'", "blade.theta'")?,
        ],
    ))
}

fn blade_errors() -> Result<Sheet, ReproductionError> {
    let Blades { baseline, present, penalty } = blades()?;
    let stretched = control::stretches(&penalty)?;
    let spring = |y: Vec<f64>| Series { label: "penalty".to_string(), x: penalty.t().to_vec(), y };
    let linked = |column: &str| -> Result<Vec<Series>, ReproductionError> {
        Ok(vec![line("baseline", &baseline, column, 1.0)?, line("present", &present, column, 1.0)?])
    };
    let with = |first: Series, rest: Vec<Series>| std::iter::once(first).chain(rest).collect();
    let (position, velocity) = (linked("residual.position")?, linked("residual.velocity")?);
    let lengths = spring(stretched.iter().map(|s| s.0).collect());
    let rates = spring(stretched.iter().map(|s| s.1).collect());
    Ok(Sheet::new(
        2,
        vec![
            over_time("position error", "m", with(lengths, position.clone())),
            over_time("position error", "m", position),
            over_time("velocity error", "m/s", with(rates, velocity.clone())),
            over_time("velocity error", "m/s", velocity),
        ],
    ))
}

/// Tension of the link, and the multiplier of the velocity correction, eq. (14a), with W = I.
fn blade_multipliers() -> Result<Sheet, ReproductionError> {
    let Blades { baseline, present, penalty } = blades()?;
    // The moment of the control, K_c (θ + K_p β), on the lever of 0.2 m.
    let (flap, pitch) = (penalty.column("blade.beta")?, penalty.column("blade.theta")?);
    let stiffness = control::stiffness(10.5);
    let force = flap.iter().zip(pitch).map(|(beta, theta)| stiffness * (theta + 0.25 * beta) / 0.2).collect();
    let spring = Series { label: "penalty".to_string(), x: penalty.t().to_vec(), y: force };
    let linked = vec![
        line("baseline", &baseline, "link.lambda_phi", -1.0)?,
        line("present", &present, "link.lambda_phi", -1.0)?,
    ];
    let late = |s: &Series| {
        let first = s.x.partition_point(|t| *t < 1.5);
        Series { label: s.label.clone(), x: s.x[first..].to_vec(), y: s.y[first..].to_vec() }
    };
    let all = std::iter::once(spring).chain(linked.clone()).collect();
    let end = linked.iter().map(late).collect();
    let mut figures = vec![over_time("axial force", "N", all), over_time("axial force", "N", linked)];
    let mu = line("present", &present, "link.mu_phi", 1.0)?;
    figures.push(over_time("velocity correction mu", "1", vec![mu]));
    figures.push(over_time("axial force", "N", end));
    Ok(Sheet::new(2, figures))
}
