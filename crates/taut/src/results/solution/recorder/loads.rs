//! Columns of loads: reactions of constraints, efforts of forces, internal forces of beams.

use super::Recorder;
use super::recorded_state::RecordedState;
use super::sink::ColumnSink;
use crate::constraints::ElementInput;
use crate::dynamics::Dynamics;
use crate::equations::is_frame;
use crate::forces::{Conservation, ForceKind};
use crate::model::{ConstraintEntry, Model};
use crate::motion::{Mat3, Wrench};
use crate::results::solution::label::ColumnLabel;

impl Recorder {
    /// Force, moment and power of every force element.
    pub(super) fn force_columns(&mut self, d: &Dynamics, now: RecordedState, sink: &mut ColumnSink) {
        for f in &d.model.forces {
            let view =
                ElementInput { t: now.t, motions: &d.kinematics.motions, markers: &f.markers, z: &now.z[f.z.clone()] };
            let on = &mut self.wrenches[..f.markers.len()];
            f.kind.force().apply(&view, on);
            let own = f.kind.force().output_count();
            if own > 0 {
                let values = &mut self.force_outputs[..own];
                f.kind.force().output_values(&view, values);
                for (i, value) in values.iter().enumerate() {
                    let column = f.kind.force().output(i);
                    sink.put("force", column.unit, *value, || ColumnLabel::new(column.name, column.meaning));
                }
            } else if let ForceKind::Beam(beam) = &f.kind {
                for (c, stress) in beam.stresses(&view).enumerate() {
                    internal_force_columns(&f.name, c, &stress, sink);
                }
            } else if let ForceKind::Coordinates(forces) = &f.kind {
                for (i, coordinate, unit) in forces.efforts() {
                    sink.put("force", unit, on[i].f.x, || {
                        let meaning = format!("generalised force of `{}` on its coordinate `{coordinate}`", f.name);
                        ColumnLabel::new(format!("{}.{coordinate}", f.name), meaning)
                    });
                }
            } else if let (Some(&m), Some(w)) = (f.markers[..f.acted_markers()].last(), on[..f.acted_markers()].last())
            {
                if is_frame(d.model, m) {
                    let label = |short: &str, x: &str, what: &str| {
                        let on = &d.model.markers[m].name;
                        let meaning = format!("{x} {what} of `{}` on marker `{on}`, world axes", f.name);
                        ColumnLabel::new(format!("{}.{short}{x}", f.name), meaning)
                    };
                    sink.vector("force", "N", &w.f, |x| label("f", x, "force"));
                    sink.vector("force", "N m", &w.m, |x| label("m", x, "moment"));
                } else {
                    sink.put("force", "N", w.f.x, || {
                        let on = &d.model.markers[m].name;
                        ColumnLabel::new(
                            format!("{}.effort", f.name),
                            format!("generalised force of `{}` on coordinate `{on}`", f.name),
                        )
                    });
                }
            }
            if f.kind.force().conservation() == Conservation::NonConservative {
                let power = f.kind.force().nonconservative_power(&view, on);
                sink.put("force", "W", power, || {
                    ColumnLabel::new(format!("{}.power", f.name), format!("power that `{}` puts in", f.name))
                });
            }
        }
    }
}

/// Internal force and moment at a cut of a beam element.
fn internal_force_columns(element: &str, cut: usize, stress: &[f64; 6], sink: &mut ColumnSink) {
    let names = ["N", "Qy", "Qz", "Mx", "My", "Mz"];
    let words = ["normal force", "shear force y", "shear force z", "torque", "bending moment y", "bending moment z"];
    for (k, value) in stress.iter().enumerate() {
        sink.put("force", if k < 3 { "N" } else { "N m" }, *value, || {
            // Only elements of three nodes have a second cut.
            let at = if cut == 0 { String::new() } else { format!("_{}", cut + 1) };
            let meaning = format!("{} in `{element}`, axes of the section", words[k]);
            ColumnLabel::new(format!("{element}.{}{at}", names[k]), meaning)
        });
    }
}

/// Σ λ D on the last marker of every constraint, in world axes and in those of its first marker.
pub(super) fn reaction_columns(d: &Dynamics, sink: &mut ColumnSink) {
    let model = d.model;
    for c in &model.constraints {
        let lambda = &d.lambda[c.rows.clone()];
        let R_WA = axes_of_first_marker(d, c);
        for m in reaction_markers(model, c) {
            let mut on = Wrench::ZERO;
            for (j, _) in c.markers.iter().enumerate().filter(|(_, other)| **other == m) {
                lambda.iter().zip(d.kinematics.wrenches(c, j)).for_each(|(l, D)| on.add_scaled(*l, D));
            }
            let name = || reaction_name(model, c, m);
            let label = |short: &str, x: &str, tail: &str, what: &str| {
                let axes = if tail.is_empty() { "world axes" } else { "axes of its first marker" };
                let meaning = format!("{x} reaction {what} of `{}` on `{}`, {axes}", c.name, model.markers[m].name);
                ColumnLabel::new(format!("{}.{short}{x}{tail}", name()), meaning)
            };
            sink.vector("constraint", "N", &on.f, |x| label("f", x, "", "force"));
            sink.vector("constraint", "N m", &on.m, |x| label("m", x, "", "moment"));
            sink.vector("constraint", "N", &R_WA.tr_mul(&on.f), |x| label("f", x, "_j", "force"));
            sink.vector("constraint", "N m", &R_WA.tr_mul(&on.m), |x| label("m", x, "_j", "moment"));
        }
    }
}

/// The frames whose reactions are columns: the last of two markers, or all of more.
pub(super) fn reaction_markers<'a>(model: &'a Model, c: &'a ConstraintEntry) -> impl Iterator<Item = usize> + 'a {
    let many = c.markers.len() > 2;
    let shown = move |k: usize, m: usize| match many {
        true => !c.markers[..k].contains(&m),
        false => k + 1 == c.markers.len(),
    };
    c.markers.iter().enumerate().filter(move |(k, m)| is_frame(model, **m) && shown(*k, **m)).map(|(_, m)| *m)
}

/// The first part of the names of columns of a reaction; with more than two markers each has columns of its own.
pub(super) fn reaction_name(model: &Model, c: &ConstraintEntry, marker: usize) -> String {
    if c.markers.len() > 2 { format!("{}.{}", c.name, model.markers[marker].name) } else { c.name.clone() }
}

/// The axes of the first marker of a constraint.
pub(super) fn axes_of_first_marker(d: &Dynamics, c: &ConstraintEntry) -> Mat3 {
    d.kinematics.motions[c.markers.first().copied().unwrap_or(0)].R
}
