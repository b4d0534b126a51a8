//! A cantilever rolled up to a full circle by a moment at its tip, 2 π EI/l: large rotations with few elements.

use std::f64::consts::TAU;
use taut::analyses::Loading;
use taut::prelude::*;

pub(crate) fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (length, bending) = (1.0, 1.0);
    let section = Section::diagonal([1e7, 1e7, 1e7, 1.0, bending, bending], 1.0, [1.0; 3]);
    let moment = [Signal::constant(0.0), Signal::constant(0.0), Signal::constant(TAU * bending / length)];
    let mut spec = Spec::new();
    spec.beam("beam", Beam::straight([0.0; 3], [length, 0.0, 0.0], section, 16))
        .constraint("root", Joint::fixed("ground", "beam_0"))
        .force("load", Applied::torque("beam_16", moment));
    let model = spec.build()?;

    let settings = Statics { loading: Loading::Steps(8), ..Statics::default() };
    let found = statics(&model, &model.initial_state(), &settings)?;
    // Position of a node in the equilibrium.
    let node = |name| model.find_body(name).map(|id| &found.state.q[model[id].q.clone()]).ok_or("no such node");
    let (tip, middle) = (node("beam_16")?, node("beam_8")?);
    println!("tip at ({:.1e}, {:.1e}) m, middle at height {:.6} m", tip[0], tip[1], middle[1]);
    // The tip meets the root. The nodes lie on a polygon of 16 sides, as high as (l/16)/sin(π/16).
    assert!(tip[0].hypot(tip[1]) < 1e-9);
    assert!((middle[1] - length / 16.0 / (TAU / 32.0).sin()).abs() < 1e-6);
    Ok(())
}
