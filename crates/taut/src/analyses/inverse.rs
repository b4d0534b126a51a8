//! Inverse dynamics: what must act for given accelerations.
//!
//! Of g = M v̇ − f the constraints supply Aᵀλ as far as they can, the rest is an effort the mechanism needs besides:
//! M x + Aᵀλ = g, A x = 0 is the least-squares solution in the norm of M⁻¹, with λ of least norm where rows depend on
//! each other ([FumagalliMasarati2009] eq. (39)).

use super::{AnalysisError, check_state};
use crate::bodies::Symmetry;
use crate::drift::row_scale;
use crate::equations::{Equations, Scene, carry, is_frame, place};
use crate::kkt::{Policy, Projector};
use crate::model::Model;
use crate::motion::{Vec3, Wrench};
use crate::solution::worst;
use crate::state::State;
use serde::Serialize;

/// What a constraint exerts on its last marker.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Reaction {
    /// The constraint.
    pub constraint: String,
    /// Force, world axes, N.
    pub force: [f64; 3],
    /// Moment about the marker, world axes, N m.
    pub moment: [f64; 3],
}

/// A generalised force that a body needs and the constraints cannot supply.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Effort {
    /// The body.
    pub body: String,
    /// One number per velocity of the body.
    pub needed: Vec<f64>,
}

/// The forces behind a given motion.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Inverse {
    /// Multipliers, row by row: for a driven row the driver's effort.
    pub lambda: Vec<f64>,
    /// Reactions, constraint by constraint (those that act on frames).
    pub reactions: Vec<Reaction>,
    /// What every body needs besides, body by body.
    pub efforts: Vec<Effort>,
    /// Largest generalised force needed besides.
    pub needed: f64,
    /// Largest |A v̇ − b|: other than zero where the accelerations contradict the constraints.
    pub violation: f64,
    /// The row of that, `constraint.row`.
    pub violated: Option<String>,
}

impl Inverse {
    /// The multiplier of a row, `constraint.row`.
    pub fn multiplier(&self, model: &Model, row: &str) -> Option<f64> {
        (0..self.lambda.len()).find(|&r| model.row_name(r) == row).map(|r| self.lambda[r])
    }
}

/// Reactions and efforts at a state with prescribed accelerations v̇.
///
/// # Errors
/// A state or a vector that does not fit the model.
pub fn inverse(model: &Model, state: &State, vdot: &[f64]) -> Result<Inverse, AnalysisError> {
    check_state(model, state)?;
    let (n, m) = (model.sizes.v, model.rows.len());
    if vdot.len() != n {
        return Err(AnalysisError::Length { what: "the acceleration", found: vdot.len(), needed: n });
    }
    if vdot.iter().any(|a| !a.is_finite()) {
        return Err(AnalysisError::NotFinite { what: "the acceleration".to_string() });
    }
    let (mut scene, mut eq) = (Scene::new(model), Equations::new(model));
    place(model, state.into(), &mut scene, &mut eq);
    carry(model, state.into(), &mut scene, &mut eq);

    // g = M v̇ − f
    let mut x = vec![0.0; n + m];
    eq.mass_times(vdot, &mut x[..n]);
    x.iter_mut().zip(&eq.f).for_each(|(g, f)| *g -= f);
    if x.iter().any(|g| !g.is_finite()) {
        return Err(AnalysisError::NotFinite { what: "a force at this state".to_string() });
    }
    let g = x[..n].to_vec();
    let W = match model.symmetry() {
        Symmetry::Symmetric => eq.M.clone(),
        Symmetry::NonSymmetric => identity(model, eq.M.len()),
    };
    // What the rows exert, which is not A where the equations live in another space than v.
    let mut exerted = eq.clone();
    if model.symmetry() == Symmetry::NonSymmetric {
        exerted.A.copy_from_slice(&eq.B);
    }
    let mut projector = Projector::new(&model.layout, &row_scale(model, &W, &exerted), &Policy::default());
    projector.factor(&W, &exerted.A);
    projector.solve(&exerted, &mut x);
    let lambda = x[n..].to_vec();

    // What is left of g.
    let mut supplied = vec![0.0; n];
    exerted.add_transposed(&lambda, &mut supplied);
    let rest: Vec<f64> = g.iter().zip(&supplied).map(|(g, s)| g - s).collect();
    let one = |b: &crate::model::BodyEntry| Effort { body: b.name.clone(), needed: rest[b.v.clone()].to_vec() };
    let efforts = model.bodies.iter().map(one).collect();

    let mut left = vec![0.0; m];
    eq.times(vdot, &mut left);
    left.iter_mut().zip(&eq.b).for_each(|(a, b)| *a -= b);
    let (violation, row) = worst(&left);
    let violated = (violation > 0.0).then(|| model.row_name(row));
    let reactions = reactions(model, &scene, &lambda);
    Ok(Inverse { lambda, reactions, efforts, needed: worst(&rest).0, violation, violated })
}

fn reactions(model: &Model, scene: &Scene, lambda: &[f64]) -> Vec<Reaction> {
    let mut list = Vec::new();
    for c in &model.constraints {
        let Some(last) = c.markers.len().checked_sub(1).filter(|&k| is_frame(model, c.markers[k])) else { continue };
        let mut on = Wrench::ZERO;
        lambda[c.rows.clone()].iter().zip(scene.wrenches(c, last)).for_each(|(l, D)| on.add(*l, D));
        let plain = |v: Vec3| [v.x, v.y, v.z];
        list.push(Reaction { constraint: c.name.clone(), force: plain(on.f), moment: plain(on.m) });
    }
    list
}

fn identity(model: &Model, values: usize) -> Vec<f64> {
    let mut W = vec![0.0; values];
    for b in &model.bodies {
        let n = b.v.len();
        (0..n).for_each(|i| W[b.mass.start + i * (n + 1)] = 1.0);
    }
    W
}
