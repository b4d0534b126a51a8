//! Figures 17 to 19 and 24 to 26: Scotch mechanism and slider-crank. [Newhart2019]

use super::difference::same_steps;
use super::ode23;
use super::pendulum::{BAUMGARTE, choice};
use crate::reproduce::case::PaperModel;
use crate::reproduce::error::ReproductionError;
use crate::reproduce::figures::{line, over_time};
use std::f64::consts::FRAC_PI_2;
use taut::Solution;
use taut::analyses::Transient;
use taut::formulations::Method;
use taut_io::plot::{Figure, Series, Sheet};

/// Columns with labels and units.
type Panels = [(&'static str, &'static str, &'static str)];

const SCOTCH: [(&str, &str, &str); 4] = [
    ("rods.theta", "theta1", "rad"),
    ("rods.yoke", "x2", "in"),
    ("rods.theta'", "theta1 rate", "rad/s"),
    ("rods.yoke'", "x2 rate", "in/s"),
];

const SLIDER: [(&str, &str, &str); 6] = [
    ("arms.one", "theta1", "rad"),
    ("arms.two", "theta2", "rad"),
    ("arms.slider", "x3", "m"),
    ("arms.one'", "theta1 rate", "rad/s"),
    ("arms.two'", "theta2 rate", "rad/s"),
    ("arms.slider'", "x3 rate", "m/s"),
];

/// A run with Baumgarte's terms and the numbers of the listings.
fn run(file: &str, method: Method, settings: fn(&Transient) -> Transient) -> Result<Solution, ReproductionError> {
    let case = PaperModel::open(file, &[])?;
    case.run_with(&settings(&case.settings).choice(choice(method, &BAUMGARTE, 1e5)))
}

/// The pair and tolerances of ode23, outputs every 10 ms.
fn smooth(settings: &Transient) -> Transient {
    ode23(settings).every(0.01)
}

fn scotch(method: Method, label: &str) -> Result<Sheet, ReproductionError> {
    let motion = run("newhart_scotch_coordinates", method, smooth)?;
    let panel = |(column, what, unit): &(&str, &str, &str)| -> Result<Figure, ReproductionError> {
        Ok(over_time(what, unit, vec![line(label, &motion, column, 1.0)?]))
    };
    Ok(Sheet::new(2, SCOTCH.iter().map(panel).collect::<Result<_, _>>()?))
}

pub fn scotch_penalty() -> Result<Sheet, ReproductionError> {
    scotch(Method::StaticPenalty, "static penalty")
}

pub fn scotch_projection() -> Result<Sheet, ReproductionError> {
    scotch(Method::HeaneyHou, "projection")
}

pub fn scotch_difference() -> Result<Sheet, ReproductionError> {
    let of = |method| run("newhart_scotch_coordinates", method, same_steps);
    differences(&of(Method::StaticPenalty)?, &of(Method::HeaneyHou)?, &SCOTCH, 2)
}

/// The equations as printed, beside the mechanism in its own coordinates.
fn slider(method: Method, label: &str) -> Result<Sheet, ReproductionError> {
    let printed = run("newhart_slider_crank_coordinates", method, smooth)?;
    let case = PaperModel::open("newhart_slider_crank", &[("outputs.every", "10 ms"), ("settings.duration", "1.7 s")])?;
    let mechanism = case.run()?;
    let read = |name: &str| mechanism.column(name).map(<[f64]>::to_vec);
    let (crank, rod, crank_rate, rod_rate) =
        (read("crank.theta")?, read("rod.theta")?, read("crank.omega")?, read("rod.omega")?);
    let less = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a - b).collect::<Vec<f64>>();
    // The thesis counts theta1 from −y, and theta2 from the crank.
    let true_motion = [
        crank.iter().map(|a| a + FRAC_PI_2).collect(),
        less(&rod, &crank),
        read("slider.x")?,
        crank_rate.clone(),
        less(&rod_rate, &crank_rate),
        read("slider.vx")?,
    ];
    let mut figures = Vec::new();
    for ((column, what, unit), y) in SLIDER.iter().zip(true_motion) {
        let truth = Series { label: "mechanism".to_string(), x: mechanism.t().to_vec(), y };
        figures.push(over_time(what, unit, vec![line(label, &printed, column, 1.0)?, truth]).sized(400.0, 190.0));
    }
    Ok(Sheet::new(3, figures))
}

pub fn slider_penalty() -> Result<Sheet, ReproductionError> {
    slider(Method::StaticPenalty, "static penalty")
}

pub fn slider_projection() -> Result<Sheet, ReproductionError> {
    slider(Method::HeaneyHou, "projection")
}

pub fn slider_difference() -> Result<Sheet, ReproductionError> {
    let of = |method| run("newhart_slider_crank_coordinates", method, same_steps);
    differences(&of(Method::StaticPenalty)?, &of(Method::HeaneyHou)?, &SLIDER, 3)
}

/// |a − b| of two runs with the same outputs.
pub fn differences(a: &Solution, b: &Solution, panels: &Panels, columns: usize) -> Result<Sheet, ReproductionError> {
    let mut figures = Vec::new();
    for (column, what, unit) in panels {
        let y = a.column(column)?.iter().zip(b.column(column)?).map(|(a, b)| (a - b).abs()).collect();
        let series = Series { label: (*what).to_string(), x: a.t().to_vec(), y };
        figures.push(over_time(&format!("difference of {what}"), unit, vec![series]));
    }
    Ok(Sheet::new(columns, figures))
}
