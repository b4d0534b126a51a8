//! Two bodies and one pin: the force from two equations, then the accelerations. [MitiguyBanerjee2000] eqs. (3)–(13)

use crate::reproduce::ExampleResults;
use crate::reproduce::case::{PaperModel, at, nan_max};
use crate::reproduce::decade::next_power_of_ten;
use crate::reproduce::error::ReproductionError;
use crate::reproduce::reference_values::ReferenceValues;
use crate::reproduce::row::{ComparisonRow, Reference};
use std::time::Instant;
use taut::drift::DriftControl;
use taut::dynamics::{Dynamics, SolverSettings};
use taut::formulations::Method;
use taut::{Frame, Joint, Model, PlanarBody, Spec, State};

/// Paths of the values, columns, what they are, units.
const COLUMNS: [(&str, &str, &str, &str); 8] = [
    ("F/0", "pin.fx", "x of the force on B", "N"),
    ("F/1", "pin.fy", "y of the force on B", "N"),
    ("Udot_A/0", "a.ax", "x acceleration of A", "m/s²"),
    ("Udot_A/1", "a.ay", "y acceleration of A", "m/s²"),
    ("Udot_A/2", "a.alpha", "angular acceleration of A", "rad/s²"),
    ("Udot_B/0", "b.ax", "x acceleration of B", "m/s²"),
    ("Udot_B/1", "b.ay", "y acceleration of B", "m/s²"),
    ("Udot_B/2", "b.alpha", "angular acceleration of B", "rad/s²"),
];

/// Force and accelerations at the start, by the forces first and by all equations at once.
pub fn compute(found: &mut ExampleResults) -> Result<(), ReproductionError> {
    let (case, known) =
        (PaperModel::open("mitiguy_pin", &[])?, ReferenceValues::of("mitiguy-banerjee-2000/pin_joint")?);
    let motion = case.run()?;
    for (path, column, words, unit) in COLUMNS {
        let source = if path.starts_with('F') { "eq. (13)" } else { "eqs. (11), (12)" };
        found.push(
            ComparisonRow::new(source, words, unit)
                .compared_with(at(&motion, column, 0.0)?, known.absolute(path, 1e-11)?),
        );
    }
    let whole = solved(&case.model, &case.start, Method::Lagrange)?;
    for (method, words) in [(Method::ConstraintForce, "sparse"), (Method::DenseConstraintForce, "full matrices")] {
        let forces = solved(&case.model, &case.start, method)?;
        let apart = forces.iter().zip(&whole).fold(0.0, |most, (x, y)| nan_max(most, (x - y).abs()));
        let words = format!("forces first ({words}) against all 8 Newton–Euler equations at once");
        let same = Reference::at_most(1e-13, "the same equations, solved in another order");
        found.push(ComparisonRow::new("eqs. (5), (6)", words, "").compared_with(next_power_of_ten(apart), same));
    }
    Ok(())
}

/// v̇ and λ of a state by a method.
fn solved(model: &Model, state: &State, method: Method) -> Result<Vec<f64>, ReproductionError> {
    let mut dynamics =
        Dynamics::at(model, state, &SolverSettings { method, drift: DriftControl::None, ..SolverSettings::default() });
    dynamics.solve_accelerations(state.t, &state.q, &state.v, &state.z)?;
    Ok([&dynamics.vdot[..], &dynamics.lambda[..]].concat())
}

/// How much faster it is to take the forces first, by the clock.
pub fn cost(found: &mut ExampleResults) -> Result<(), ReproductionError> {
    let case = PaperModel::open("mitiguy_pin", &[])?;
    let chain = chain(20)?;
    for (model, words) in [(&case.model, "the pin"), (&chain, "a chain of 20 rods")] {
        let whole = seconds(model, Method::Lagrange)?;
        for (method, how) in [(Method::DenseConstraintForce, "full matrices"), (Method::ConstraintForce, "sparse")] {
            let row = ComparisonRow::new(
                "Abstract",
                format!("time of all equations at once over forces first, {words}, {how}"),
                "",
            );
            let row = row.printed("nearly 8");
            let remark = "By the clock, right-hand sides as a whole: assembly counts on both sides.";
            found.push(row.wall_clock(whole / seconds(model, method)?).remark(remark));
        }
    }
    Ok(())
}

/// A chain of uniform rods, let hang from the side.
fn chain(links: usize) -> Result<Model, ReproductionError> {
    let mut spec = Spec::new();
    spec.gravity([0.0, -9.81, 0.0]);
    let mut before = "ground".to_string();
    for i in 0..links {
        let name = format!("rod{i}");
        spec.body(&name, PlanarBody::rod(1.0, 1.0).at([0.5 + i as f64, 0.0], 0.0))
            .marker(&format!("{name}.start"), Frame::at([-0.5, 0.0, 0.0]))
            .marker(&format!("{name}.end"), Frame::at([0.5, 0.0, 0.0]))
            .constraint(&format!("pin{i}"), Joint::pin(&before, &format!("{name}.start")));
        before = format!("{name}.end");
    }
    Ok(spec.build()?)
}

/// Time of one right-hand side: the least of several batches.
fn seconds(model: &Model, method: Method) -> Result<f64, ReproductionError> {
    let mut dynamics =
        Dynamics::new(model, &SolverSettings { method, drift: DriftControl::None, ..SolverSettings::default() });
    let mut y = vec![0.0; dynamics.dimension()];
    let mut rates = y.clone();
    dynamics.pack(&model.initial_state(), &mut y);
    let mut least = f64::INFINITY;
    for _ in 0..5 {
        let clock = Instant::now();
        for _ in 0..40 {
            dynamics.rates(0.0, &y, &mut rates)?;
        }
        least = least.min(clock.elapsed().as_secs_f64() / 40.0);
    }
    Ok(least)
}
