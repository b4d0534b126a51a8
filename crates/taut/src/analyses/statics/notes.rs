//! Notes on what an equilibrium leaves out: the time is fixed, and extra states keep their values.

use crate::constraints::ElementInput;
use crate::equations::{Equations, MarkerKinematics, assemble_positions, assemble_rates};
use crate::forces::ForceKind;
use crate::model::Model;
use crate::state::State;
use std::ops::Range;

/// Rate of an extra state that counts as zero, relative to 1 + its size.
const STEADY_STATE_TOLERANCE: f64 = 1e-9;

/// Notes for sampled controllers, and for elements whose states are not steady.
pub(super) fn notes(model: &Model, state: &State) -> Vec<String> {
    let mut notes = Vec::new();
    let (mut scene, mut eq) = (MarkerKinematics::new(model), Equations::new(model));
    assemble_positions(model, state.into(), &mut scene, &mut eq);
    assemble_rates(model, state.into(), &mut scene, &mut eq);
    let moving =
        |z: Range<usize>| z.clone().any(|i| eq.zdot[i].abs() > STEADY_STATE_TOLERANCE * (1.0 + state.z[i].abs()));
    for f in &model.forces {
        let sampled = matches!(&f.kind, ForceKind::Controller(c) if c.sample_time.is_some());
        let own = f.z.start + f.kind.force().angle_markers().len()..f.z.end;
        if sampled {
            let mut on = vec![crate::motion::Wrench::ZERO; f.markers.len()];
            let view =
                ElementInput { t: state.t, motions: &scene.motions, markers: &f.markers, z: &state.z[f.z.clone()] };
            f.kind.force().apply(&view, &mut on);
            let exerted = on.iter().fold(0.0_f64, |a, w| a.max(w.f.norm()).max(w.m.norm()));
            notes.push(format!(
                "controller `{}` is sampled and takes no part in the equilibrium: the time is fixed, so it exerts {exerted} as at \
                 the start, not its steady-state output; make it continuous, or use a run",
                f.name
            ));
        } else if moving(own) {
            notes.push(format!(
                "the states of `{}` are not steady: they keep their values here but would change in a run; start them at their steady \
                 values, or use a run",
                f.name
            ));
        }
    }
    for b in model.bodies.iter().filter(|b| moving(b.z.clone())) {
        notes.push(format!("the states of body `{}` are not steady: they keep their values here", b.name));
    }
    notes
}
