//! Components of reactions as linear functions of the multipliers.

use crate::equations::{MarkerKinematics, is_frame};
use crate::model::{ConstraintEntry, Model};
use crate::motion::Wrench;
use crate::solvers::rank::SparseRow;
use crate::state::ConstraintMode;

/// A coefficient below this is round-off, relative to the largest of the constraint.
pub(crate) const ROUND_OFF: f64 = 1e-10;

/// The axes of the components of a joint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ComponentAxes {
    /// World axes.
    World,
    /// Axes of the first marker.
    Joint,
}

/// One component of a reaction.
#[derive(Clone, Debug)]
pub(crate) struct ReactionComponent {
    /// `hinge.fx`; `rod.f` for the only row of a constraint that acts along no axis.
    pub name: String,
    /// The constraint, by index.
    pub constraint: usize,
    /// `N` or `N m`.
    pub unit: &'static str,
    /// The axis, 0 to 2, if it is a force along one.
    pub force_axis: Option<usize>,
    /// Rows of the model with their coefficients.
    pub rows: SparseRow,
}

impl ReactionComponent {
    /// Its value for these multipliers.
    pub fn value(&self, lambda: &[f64]) -> f64 {
        self.rows.iter().map(|(r, c)| c * lambda[*r]).sum()
    }
}

/// The active rows of a constraint in a mode, with their positions among its rows.
fn active_rows(c: &ConstraintEntry, mode: ConstraintMode) -> impl Iterator<Item = (usize, usize)> + '_ {
    let active = mode.active_rows(&c.law);
    c.rows.clone().enumerate().filter(move |(k, _)| active.contains(*k))
}

/// Force and moment of a joint between two frames on its second marker, in the axes of its first: six components.
pub(crate) fn joint_wrench(
    model: &Model,
    scene: &MarkerKinematics,
    modes: &[ConstraintMode],
    constraint: usize,
) -> Vec<ReactionComponent> {
    let c = &model.constraints[constraint];
    let R_WA = scene.motions[c.markers[0]].R;
    let wrenches: Vec<Wrench> = scene.wrenches(c, 1).copied().collect();
    let along = |k: usize, i: usize| match i {
        0..3 => R_WA.tr_mul(&wrenches[k].f)[i],
        _ => R_WA.tr_mul(&wrenches[k].m)[i - 3],
    };
    let one = |i: usize| ReactionComponent {
        name: String::new(),
        constraint,
        unit: if i < 3 { "N" } else { "N m" },
        force_axis: None,
        rows: active_rows(c, modes[constraint]).map(|(k, r)| (r, along(k, i))).collect(),
    };
    (0..6).map(one).collect()
}

/// The components of one constraint that its active rows can exert. A constraint between two frames has those of the wrench on its
/// second marker; a constraint with one active row has the component along that row; of any other constraint, each row is one.
pub(crate) fn reaction_components(
    model: &Model,
    scene: &MarkerKinematics,
    modes: &[ConstraintMode],
    constraint: usize,
    axes: ComponentAxes,
) -> Vec<ReactionComponent> {
    let c = &model.constraints[constraint];
    let rows: Vec<(usize, usize)> = active_rows(c, modes[constraint]).collect();
    let frames = c.markers.len() == 2 && is_frame(model, c.markers[1]);
    let wrenches: Vec<Wrench> =
        if frames { scene.wrenches(c, 1).copied().collect() } else { vec![Wrench::ZERO; c.rows.len()] };
    let R_WA = c.markers.first().map_or_else(nalgebra::Matrix3::identity, |m| scene.motions[*m].R);
    let six = |k: usize| -> [f64; 6] {
        let (f, m) = match axes {
            ComponentAxes::World => (wrenches[k].f, wrenches[k].m),
            ComponentAxes::Joint => (R_WA.tr_mul(&wrenches[k].f), R_WA.tr_mul(&wrenches[k].m)),
        };
        [f.x, f.y, f.z, m.x, m.y, m.z]
    };
    let tail = if axes == ComponentAxes::Joint { "_j" } else { "" };
    const NAMES: [&str; 6] = ["fx", "fy", "fz", "mx", "my", "mz"];
    const UNITS: [&str; 6] = ["N", "N", "N", "N m", "N m", "N m"];
    match rows[..] {
        [] => Vec::new(),
        _ if !frames => rows
            .iter()
            .map(|&(_, r)| {
                let unit = if model.rows[r].unit.starts_with("rad") { "N m" } else { "N" };
                ReactionComponent { name: model.row_name(r), constraint, unit, force_axis: None, rows: vec![(r, 1.0)] }
            })
            .collect(),
        [(k, r)] => {
            let w = six(k);
            // A force off the marker has a moment as well; the force is then the component.
            let force = w[..3].iter().any(|x| *x != 0.0);
            let part = if force { 0..3 } else { 3..6 };
            let length = w[part.clone()].iter().map(|x| x * x).sum::<f64>().sqrt();
            let along = part.clone().find(|&i| w[i].abs() > (1.0 - ROUND_OFF) * length);
            let (name, coefficient) = match along {
                Some(i) => (NAMES[i], w[i]),
                None => (if force { "f" } else { "m" }, length),
            };
            if length == 0.0 {
                return Vec::new();
            }
            let name = format!("{}.{name}{tail}", c.name);
            let force_axis = along.filter(|i| *i < 3);
            vec![ReactionComponent {
                name,
                constraint,
                unit: UNITS[part.start],
                force_axis,
                rows: vec![(r, coefficient)],
            }]
        }
        _ => {
            let all: Vec<[f64; 6]> = rows.iter().map(|&(k, _)| six(k)).collect();
            let largest = |part: std::ops::Range<usize>| {
                all.iter().flat_map(|w| &w[part.clone()]).fold(0.0_f64, |a, x| a.max(x.abs()))
            };
            let sizes = [largest(0..3), largest(3..6)];
            let one = |i: usize| {
                let least = ROUND_OFF * sizes[i / 3];
                let rows: SparseRow =
                    rows.iter().zip(&all).map(|(&(_, r), w)| (r, w[i])).filter(|(_, x)| x.abs() > least).collect();
                let name = format!("{}.{}{tail}", c.name, NAMES[i]);
                let force_axis = Some(i).filter(|i| *i < 3);
                (!rows.is_empty()).then(|| ReactionComponent { name, constraint, unit: UNITS[i], force_axis, rows })
            };
            (0..6).filter_map(one).collect()
        }
    }
}
