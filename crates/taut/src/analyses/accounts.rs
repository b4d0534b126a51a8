//! Energy and momentum of every element at a state, and the condition of the equations there.

use super::{AnalysisError, check_state};
use crate::constraints::ElementInput;
use crate::equations::{Equations, MarkerKinematics, assemble_positions, assemble_rates};
use crate::model::Model;
use crate::motion::Vec3;
use crate::state::State;
use nalgebra::DMatrix;
use serde::Serialize;

/// Most rows and velocities for which the condition is computed.
const MAX_CONDITION_SIZE: usize = 400;
/// Singular values below this, relative to the largest, are those of redundant rows.
const REDUNDANT: f64 = 1e-9;

/// Energy and linear momentum of one element.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ElementAccount {
    /// The element.
    pub name: String,
    /// `body` or `force`.
    pub family: &'static str,
    /// Kinetic energy, J.
    pub kinetic: f64,
    /// Potential energy, of gravity or of a spring, J.
    pub potential: f64,
    /// Linear momentum of a body, kg m/s.
    pub momentum: [f64; 3],
}

/// Energy and momentum of all bodies and forces at a state.
///
/// # Errors
/// If the state does not fit the model.
///
/// # Examples
///
/// ```
/// use taut::analyses::element_accounts;
/// use taut::prelude::*;
///
/// let mut spec = Spec::new();
/// spec.gravity([0.0, 0.0, -9.81]).body("ball", PointMass::new(2.0, [0.0, 0.0, 1.0]).moving([3.0, 0.0, 0.0]));
/// let model = spec.build()?;
/// let ball = &element_accounts(&model, &model.initial_state())?[0];
/// assert_eq!((ball.kinetic, ball.potential, ball.momentum), (9.0, 19.62, [6.0, 0.0, 0.0]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn element_accounts(model: &Model, state: &State) -> Result<Vec<ElementAccount>, AnalysisError> {
    check_state(model, state)?;
    let (scene, _) = evaluate(model, state);
    let mut all = Vec::new();
    for b in &model.bodies {
        let (body, own) = (b.kind.body(), &scene.motions[b.markers.start]);
        let (q, v) = (&state.q[b.q.clone()], &state.v[b.v.clone()]);
        let mut momentum = [0.0; 3];
        for (axis, p) in momentum.iter_mut().enumerate() {
            // The force of a unit field is the mass seen by each velocity.
            let (mut field, mut weight) = (Vec3::zeros(), vec![0.0; v.len()]);
            field[axis] = 1.0;
            body.gravity_force(q, own, &field, &mut weight);
            *p = weight.iter().zip(v).map(|(w, v)| w * v).sum();
        }
        all.push(ElementAccount {
            name: b.name.clone(),
            family: "body",
            kinetic: body.kinetic(q, v, own),
            potential: body.potential(q, own, &model.gravity),
            momentum,
        });
    }
    for f in &model.forces {
        let view = ElementInput { t: state.t, motions: &scene.motions, markers: &f.markers, z: &state.z[f.z.clone()] };
        let potential = f.kind.force().potential(&view);
        all.push(ElementAccount { name: f.name.clone(), family: "force", kinetic: 0.0, potential, momentum: [0.0; 3] });
    }
    Ok(all)
}

/// How well the equations at a state are conditioned.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EquationCondition {
    /// Ratio of the largest to the smallest singular value of the constraint Jacobian, rows and columns scaled, redundant rows left
    /// out; none without rows, or if the model is too large.
    pub condition: Option<f64>,
    /// The heaviest and the lightest body with their masses, kg.
    pub masses: Option<[(String, f64); 2]>,
}

/// The condition of the equations at a state.
///
/// # Errors
/// If the state does not fit the model.
pub fn equation_condition(model: &Model, state: &State) -> Result<EquationCondition, AnalysisError> {
    check_state(model, state)?;
    let (_, eq) = evaluate(model, state);
    let mut diagonal = vec![0.0; model.sizes.v];
    let mut masses: Vec<(String, f64)> = Vec::new();
    for b in &model.bodies {
        let n = b.v.len();
        (0..n).for_each(|k| diagonal[b.v.start + k] = eq.M[b.mass.start + k * (n + 1)]);
        let units = b.kind.body().velocities();
        let mass = units.iter().position(|u| u.unit == "m/s").map(|k| diagonal[b.v.start + k]);
        masses.extend(mass.map(|m| (b.name.clone(), m)));
    }
    let by_mass = |a: &&(String, f64), b: &&(String, f64)| a.1.total_cmp(&b.1);
    let masses = masses.iter().max_by(by_mass).zip(masses.iter().min_by(by_mass)).map(|(a, b)| [a.clone(), b.clone()]);
    let (rows, n) = (model.rows.len(), model.sizes.v);
    let condition = (rows > 0 && rows <= MAX_CONDITION_SIZE && n <= MAX_CONDITION_SIZE).then(|| {
        let mut A = DMatrix::zeros(rows, n);
        for r in 0..rows {
            let (mut unit, mut row) = (vec![0.0; rows], vec![0.0; n]);
            unit[r] = 1.0;
            eq.add_jacobian_transpose_times(&unit, &mut row);
            let scaled = row.iter().zip(&diagonal).map(|(x, m)| if *m > 0.0 { x / m.sqrt() } else { *x });
            A.row_mut(r).iter_mut().zip(scaled).for_each(|(a, x)| *a = x);
            let length = A.row(r).norm();
            if length > 0.0 {
                A.row_mut(r).scale_mut(1.0 / length);
            }
        }
        let values = A.singular_values();
        let largest = values.amax();
        largest / values.iter().filter(|s| **s > REDUNDANT * largest).fold(f64::INFINITY, |a, s| a.min(*s))
    });
    Ok(EquationCondition { condition: condition.filter(|c| c.is_finite() && *c >= 1.0), masses })
}

fn evaluate(model: &Model, state: &State) -> (MarkerKinematics, Equations) {
    let (mut scene, mut eq) = (MarkerKinematics::new(model), Equations::new(model));
    assemble_positions(model, state.into(), &mut scene, &mut eq);
    assemble_rates(model, state.into(), &mut scene, &mut eq);
    (scene, eq)
}
