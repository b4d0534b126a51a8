//! The rows of a model that prescribe a motion; their multipliers are the forces of the drivers.

use crate::constraints::{ConstraintKind, Prescription, RotationMask};
use crate::model::Model;
use crate::signals::Signal;

/// A driven row.
#[derive(Clone, Debug)]
pub struct DriverRow {
    /// Its index.
    pub row: usize,
    /// The driver, or the row of a joint.
    pub name: String,
    /// Unit of its force.
    pub unit: &'static str,
}

/// The driven rows. A constant position is one of them unless the reaction of its constraint is shown: that includes rods.
pub fn driver_rows(model: &Model, has_reaction: impl Fn(&str) -> bool) -> Vec<DriverRow> {
    let rows = prescribed_rows(model, |c, hold| match hold {
        Prescription::Position(Signal::Constant { .. }) => !has_reaction(c),
        Prescription::Position(_) | Prescription::Velocity(_) | Prescription::Acceleration(_) => true,
        Prescription::Free | Prescription::Fixed => false,
    });
    let named = |row: usize| {
        let owner = model.constraint_of_row(row);
        let name = if owner.rows.len() == 1 { owner.name.clone() } else { model.row_name(row) };
        DriverRow { row, name, unit: if model.rows[row].unit == "rad" { "N m" } else { "N" } }
    };
    rows.into_iter().map(named).collect()
}

/// The rows that prescribe a velocity: nothing in the equations determines the position of such a driver.
pub(super) fn velocity_driver_rows(model: &Model) -> Vec<usize> {
    prescribed_rows(model, |_, hold| matches!(hold, Prescription::Velocity(_)))
}

/// The rows that prescribe a position that varies, or a velocity.
pub(super) fn moving_driver_rows(model: &Model) -> Vec<usize> {
    prescribed_rows(model, |_, hold| match hold {
        Prescription::Position(s) => !matches!(s, Signal::Constant { .. }),
        Prescription::Velocity(_) => true,
        Prescription::Free | Prescription::Fixed | Prescription::Acceleration(_) => false,
    })
}

/// The rows whose constraint and condition are chosen.
fn prescribed_rows(model: &Model, is_chosen: impl Fn(&str, &Prescription) -> bool) -> Vec<usize> {
    let mut rows = Vec::new();
    for c in &model.constraints {
        let moves = |hold: &Prescription| is_chosen(&c.name, hold);
        match &c.kind {
            ConstraintKind::Relation(r) if moves(&r.follows) => rows.extend(c.rows.clone()),
            ConstraintKind::Joint(j) => {
                let along = j.translation.iter().filter(|h| **h != Prescription::Free).enumerate();
                rows.extend(along.filter(|(_, h)| moves(h)).map(|(k, _)| c.rows.start + k));
                if let RotationMask::About(h) | RotationMask::Locked(h) = &j.rotation
                    && moves(h)
                {
                    rows.push(c.rows.end - 1);
                }
            }
            _ => {}
        }
    }
    rows
}
