//! Two bodies and one pin: the force from two equations, then the accelerations. [MitiguyBanerjee2000] eqs. (3)–(13)

use crate::reproduce::ExampleResults;
use crate::reproduce::case::{PaperModel, at, nan_max};
use crate::reproduce::decade::next_power_of_ten;
use crate::reproduce::error::ReproductionError;
use crate::reproduce::print::Print;
use crate::reproduce::reference_values::ReferenceValues;
use crate::reproduce::row::{ComparisonRow, Reference};
use taut::drift::DriftControl;
use taut::dynamics::{Dynamics, SolverSettings};
use taut::formulations::Method;
use taut::{Model, State};

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

/// How much less work it is to take the forces first, by the law of the cube. [`claims`](crate::claims) measures the time.
pub fn cost(found: &mut ExampleResults) -> Result<(), ReproductionError> {
    let cube = |unknowns: f64, forces: f64| (unknowns / forces).powi(3);
    let closed =
        |value| Reference::absolute(value, 1e-12, "the number of operations goes with the cube of the unknowns");
    let row =
        ComparisonRow::new("Abstract", "work of all equations over forces first, as many forces as accelerations", "");
    let remark = "The measured ratio of times is among the claims about cost.";
    let row = row.print(Print::beside("nearly 8")).by_formula().remark(remark);
    found.push(row.compared_with(cube(2.0, 1.0), closed(8.0)));
    let row = ComparisonRow::new("Abstract", "the same for the pin: 8 unknowns, 2 forces", "").by_formula();
    found.push(row.remark(remark).compared_with(cube(8.0, 2.0), closed(64.0)));
    Ok(())
}
