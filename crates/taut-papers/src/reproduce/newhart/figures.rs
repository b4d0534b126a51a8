//! Figures 2 to 13: the pendulum. [Newhart2019]

use super::mechanism_figures;
use super::ode23;
use super::pendulum::{BAUMGARTE, choice};
use crate::reproduce::PaperFigure;
use crate::reproduce::case::PaperModel;
use crate::reproduce::curve::exact_pendulum;
use crate::reproduce::error::ReproductionError;
use crate::reproduce::figures::{WHOLE, over_time};
use taut::Solution;
use taut::drift::DriftControl;
use taut::formulations::Method;
use taut_io::plot::{Scale, Series, Sheet};

/// All figures of the thesis that show data.
pub const ALL: &[PaperFigure] = &[
    PaperFigure {
        name: "newhart_fig02",
        caption: "Fig. 2, pendulum, static penalty without stabilisation: error of x for penalty factors of 10 to 1e8",
        draw: || sweep(Method::StaticPenalty, &DriftControl::None),
    },
    PaperFigure {
        name: "newhart_fig03",
        caption: "Fig. 3, pendulum, static penalty with stabilisation: error of x for penalty factors of 10 to 1e8",
        draw: || sweep(Method::StaticPenalty, &BAUMGARTE),
    },
    PaperFigure {
        name: "newhart_fig04",
        caption: "Fig. 4, pendulum, alternate penalty: error of x for penalty factors of 10 to 1e8",
        draw: || sweep(Method::GoicoleaOrden, &DriftControl::None),
    },
    PaperFigure { name: "newhart_fig06", caption: "Fig. 6, pendulum: motion by the static penalty", draw: motion },
    PaperFigure {
        name: "newhart_fig07",
        caption: "Fig. 7, pendulum: error of the static penalty against the direct solution",
        draw: || errors(&[STATIC]),
    },
    PaperFigure {
        name: "newhart_fig08",
        caption: "Fig. 8, pendulum: errors of static penalty and projection against the direct solution",
        draw: || errors(&[STATIC, PROJECTION]),
    },
    PaperFigure {
        name: "newhart_fig09",
        caption: "Fig. 9, pendulum: difference that the stabilisation makes to the static penalty",
        draw: || difference(STATIC, STATIC_BAUMGARTE),
    },
    PaperFigure {
        name: "newhart_fig10",
        caption: "Fig. 10, pendulum: difference that the stabilisation makes to the projection",
        draw: || difference(PROJECTION, PROJECTION_BAUMGARTE),
    },
    PaperFigure {
        name: "newhart_fig11",
        caption: "Fig. 11, pendulum: errors of the static penalty without and with stabilisation",
        draw: || errors(&[STATIC, STATIC_BAUMGARTE]),
    },
    PaperFigure {
        name: "newhart_fig12",
        caption: "Fig. 12, pendulum: errors of static and alternate penalty",
        draw: || errors(&[STATIC, ALTERNATE]),
    },
    PaperFigure {
        name: "newhart_fig13",
        caption: "Fig. 13, pendulum: errors of static and index-2 penalty",
        draw: || errors(&[STATIC, INDEX_2]),
    },
    PaperFigure {
        name: "newhart_fig17",
        caption: "Fig. 17, Scotch mechanism: motion by the static penalty",
        draw: mechanism_figures::scotch_penalty,
    },
    PaperFigure {
        name: "newhart_fig18",
        caption: "Fig. 18, Scotch mechanism: motion by projection",
        draw: mechanism_figures::scotch_projection,
    },
    PaperFigure {
        name: "newhart_fig19",
        caption: "Fig. 19, Scotch mechanism: difference of penalty and projection",
        draw: mechanism_figures::scotch_difference,
    },
    PaperFigure {
        name: "newhart_fig24",
        caption: "Fig. 24, slider-crank: motion by the static penalty, and that of the mechanism with its full mass matrix",
        draw: mechanism_figures::slider_penalty,
    },
    PaperFigure {
        name: "newhart_fig25",
        caption: "Fig. 25, slider-crank: motion by projection, and that of the mechanism with its full mass matrix",
        draw: mechanism_figures::slider_projection,
    },
    PaperFigure {
        name: "newhart_fig26",
        caption: "Fig. 26, slider-crank: difference of penalty and projection",
        draw: mechanism_figures::slider_difference,
    },
];

/// A method: label, formulation, drift control.
type PendulumMethod = (&'static str, Method, DriftControl);

const STATIC: PendulumMethod = ("static penalty", Method::StaticPenalty, DriftControl::None);
const STATIC_BAUMGARTE: PendulumMethod = ("static penalty, Baumgarte", Method::StaticPenalty, BAUMGARTE);
const PROJECTION: PendulumMethod = ("projection", Method::HeaneyHou, DriftControl::None);
const PROJECTION_BAUMGARTE: PendulumMethod = ("projection, Baumgarte", Method::HeaneyHou, BAUMGARTE);
const ALTERNATE: PendulumMethod = ("alternate penalty", Method::GoicoleaOrden, DriftControl::None);
const INDEX_2: PendulumMethod = ("index-2 penalty", Method::Index2Static, DriftControl::None);

/// What the panels of the thesis show: column, label, unit.
const PANELS: [(&str, &str, &str); 4] =
    [("mass.x", "x", "m"), ("mass.y", "y", "m"), ("mass.vx", "x velocity", "m/s"), ("mass.vy", "y velocity", "m/s")];

fn run(method: Method, drift: &DriftControl, mu: f64) -> Result<Solution, ReproductionError> {
    let case = PaperModel::open("newhart_pendulum", &[])?;
    case.run_with(&ode23(&case.settings).every(0.01).choice(choice(method, drift, mu)))
}

/// The error of x over time for eight penalties.
fn sweep(method: Method, drift: &DriftControl) -> Result<Sheet, ReproductionError> {
    let mut lines = Vec::new();
    for power in 1..=8 {
        let motion = run(method, drift, 10_f64.powi(power))?;
        let x = motion.column("mass.x")?;
        let error = |(t, x): (&f64, &f64)| (x - exact_pendulum(9.81, *t).0).abs().max(1e-8);
        let y = motion.t().iter().zip(x).map(error).collect();
        lines.push(Series { label: format!("1e{power}"), x: motion.t().to_vec(), y });
    }
    Ok(over_time("|error of x|", "m", lines).sized(WHOLE, 320.0).scaled(Scale::Linear, Scale::Logarithmic).into())
}

fn motion() -> Result<Sheet, ReproductionError> {
    let motion = run(STATIC.1, &STATIC.2, 1e5)?;
    let panel = |(column, label, unit): (&str, &str, &str)| {
        Ok(over_time(label, unit, vec![crate::reproduce::figures::line(label, &motion, column, 1.0)?]))
    };
    Ok(Sheet::new(2, PANELS.into_iter().map(panel).collect::<Result<_, ReproductionError>>()?))
}

/// x, y and their rates of the direct solution, eq. (73), by ode23.
fn direct() -> Result<[Vec<f64>; 4], ReproductionError> {
    let case = PaperModel::open("newhart_pendulum_direct", &[])?;
    let motion = case.run_with(&ode23(&case.settings).every(0.01))?;
    let (theta, omega) = (motion.column("pendulum.theta")?, motion.column("pendulum.theta'")?);
    let each = |f: fn(f64, f64) -> f64| theta.iter().zip(omega).map(|(a, w)| f(*a, *w)).collect();
    Ok([each(|a, _| a.sin()), each(|a, _| a.cos()), each(|a, w| w * a.cos()), each(|a, w| -w * a.sin())])
}

/// Errors against the direct solution.
fn errors(methods: &[PendulumMethod]) -> Result<Sheet, ReproductionError> {
    let direct = direct()?;
    let runs: Vec<Solution> = methods.iter().map(|(_, m, d)| run(*m, d, 1e5)).collect::<Result<_, _>>()?;
    let mut figures = Vec::new();
    for ((column, label, unit), truth) in PANELS.into_iter().zip(&direct) {
        let mut lines = Vec::new();
        for ((name, ..), motion) in methods.iter().zip(&runs) {
            let y = motion.column(column)?.iter().zip(truth).map(|(a, b)| a - b).collect();
            lines.push(Series { label: (*name).to_string(), x: motion.t().to_vec(), y });
        }
        figures.push(over_time(&format!("error of {label}"), unit, lines));
    }
    Ok(Sheet::new(2, figures))
}

/// |a − b| of two methods.
fn difference(a: PendulumMethod, b: PendulumMethod) -> Result<Sheet, ReproductionError> {
    let (a, b) = (run(a.1, &a.2, 1e5)?, run(b.1, &b.2, 1e5)?);
    mechanism_figures::differences(&a, &b, &PANELS, 2)
}
