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
    let mut rows = Vec::new();
    for c in &model.constraints {
        let moves = |hold: &Prescription| match hold {
            Prescription::Position(Signal::Constant { .. }) => !has_reaction(&c.name),
            Prescription::Position(_) | Prescription::Velocity(_) | Prescription::Acceleration(_) => true,
            Prescription::Free | Prescription::Fixed => false,
        };
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
    let named = |row: usize| {
        let owner = model.constraint_of_row(row);
        let name = if owner.rows.len() == 1 { owner.name.clone() } else { model.row_name(row) };
        DriverRow { row, name, unit: if model.rows[row].unit == "rad" { "N m" } else { "N" } }
    };
    rows.into_iter().map(named).collect()
}
