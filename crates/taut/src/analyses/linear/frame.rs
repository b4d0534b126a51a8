//! W and Q: how displacements are carried by the motion they are added to, and by a frame that turns.
//!
//! ```text
//!  R = exp(ξ) R₀   →  ξ' = dω + ω × ξ          velocities that hold ω:  W = ω×
//!  turning frame:  ξ' and dv' lose Ω × each    Q = Ω× on triples, ½ Ω∘ on the rates of quaternions
//! ```

use super::LinearError;
use crate::analyses::AnalysisError;
use crate::bodies::{BodyKind, Swirl};
use crate::equations::Equations;
use crate::model::{BodyEntry, Model};
use crate::motion::{Mat3, Motion, Vec3};
use crate::state::State;
use nalgebra::{DMatrix, Matrix4};
use serde::{Deserialize, Serialize};

/// A frame that turns about a fixed axis.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Turning {
    /// Direction of the axis.
    pub axis: [f64; 3],
    /// A point of the axis, m.
    pub through: [f64; 3],
    /// Rate, rad/s.
    pub rate: f64,
}

impl Turning {
    /// About an axis through the origin.
    pub fn about(axis: [f64; 3], rate: f64) -> Turning {
        Turning { axis, through: [0.0; 3], rate }
    }

    /// Ω.
    pub(super) fn omega(&self) -> Result<Vec3, LinearError> {
        let (axis, through) = (Vec3::from(self.axis), Vec3::from(self.through));
        if !(axis.norm() > 0.0 && axis.norm().is_finite() && through.norm().is_finite() && self.rate.is_finite()) {
            let what = "the axis or the rate of the turning frame".to_string();
            return Err(AnalysisError::NotFinite { what }.into());
        }
        Ok(axis.normalize() * self.rate)
    }

    /// About this axis with the rate at which the bodies of a state go round it, or the fastest of them turns about it; none
    /// where all of them lie on it and turn about nothing.
    pub fn of(model: &Model, state: &State, axis: [f64; 3]) -> Option<Turning> {
        let e = Vec3::from(axis).try_normalize(0.0)?;
        let (mut along, mut square) = (0.0, 0.0);
        for own in model.bodies.iter().map(|b| motion(b, state)) {
            let round = e.cross(&own.p);
            along += round.dot(&own.v);
            square += round.norm_squared();
        }
        // A hub that turns leads what has not begun to follow it.
        let spins = model.bodies.iter().map(|b| motion(b, state).w.dot(&e));
        let fastest = spins.fold(0.0_f64, |most, w| if w.abs() > most.abs() { w } else { most });
        let round = if square > 0.0 { along / square } else { 0.0 };
        let rate = if fastest.abs() > round.abs() { fastest } else { round };
        (square > 0.0 || fastest != 0.0).then_some(Turning { axis, through: [0.0; 3], rate })
    }
}

/// S = W − Q and Q of one body.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Carried {
    /// Both zero.
    Still,
    /// Both given.
    Along {
        /// S.
        S: DMatrix<f64>,
        /// Q.
        Q: DMatrix<f64>,
    },
}

/// Pose and twist of a body's reference frame.
pub(super) fn motion(b: &BodyEntry, state: &State) -> Motion {
    let mut own = Motion::REST;
    b.kind.body().reference(&state.q[b.q.clone()], &mut own);
    b.kind.body().reference_twist(&state.q[b.q.clone()], &state.v[b.v.clone()], &mut own);
    own
}

/// ω where velocities 3 to 5 of a body hold it.
fn spin(b: &BodyEntry, v: &[f64]) -> Option<Vec3> {
    match (&b.kind, b.kind.body().swirl(v)) {
        (_, Swirl::Turning(w)) => Some(w),
        (BodyKind::EulerAngles(_), _) => Some(Vec3::new(v[3], v[4], v[5])),
        _ => None,
    }
}

/// S and Q of every body.
pub(super) fn carried(model: &Model, state: &State, turning: Option<Turning>) -> Result<Vec<Carried>, LinearError> {
    let omega = turning.map_or(Ok(Vec3::zeros()), |t| t.omega())?;
    let one = |b: &BodyEntry| {
        let n = b.v.len();
        let v = &state.v[b.v.clone()];
        let (mut W, mut Q) = (DMatrix::zeros(n, n), DMatrix::zeros(n, n));
        let turn = omega.cross_matrix();
        let set = |X: &mut DMatrix<f64>, at: usize, with: &Mat3| X.fixed_view_mut::<3, 3>(at, at).copy_from(with);
        if let Some(w) = spin(b, v) {
            set(&mut W, 3, &w.cross_matrix());
            set(&mut Q, 0, &turn);
            set(&mut Q, 3, &turn);
        } else if omega != Vec3::zeros() {
            match &b.kind {
                BodyKind::PointMass(_) => set(&mut Q, 0, &turn),
                BodyKind::Planar(_) if omega.xy().norm() == 0.0 => {
                    (Q[(0, 1)], Q[(1, 0)]) = (-omega.z, omega.z);
                }
                BodyKind::EulerParameters(_) => {
                    set(&mut Q, 0, &turn);
                    Q.fixed_view_mut::<4, 4>(3, 3).copy_from(&left(&omega));
                }
                // Numbers of their own are the same in every frame.
                BodyKind::Subsystem(_) | BodyKind::Variable(_) => {}
                _ => return Err(LinearError::NotCarried { body: b.name.clone() }),
            }
        }
        if W.amax() == 0.0 && Q.amax() == 0.0 {
            return Ok(Carried::Still);
        }
        Ok(Carried::Along { S: W - &Q, Q })
    };
    model.bodies.iter().map(one).collect()
}

/// e → ½ (0, Ω) ∘ e.
pub(super) fn left(w: &Vec3) -> Matrix4<f64> {
    0.5 * Matrix4::new(0.0, -w.x, -w.y, -w.z, w.x, 0.0, -w.z, w.y, w.y, w.z, 0.0, -w.x, w.z, -w.y, w.x, 0.0)
}

/// Largest of M (v̇ − Q v) relative to the forces at work; where the frame turns, also of the velocities that points do not
/// share with it, relative to the largest there is.
pub(super) fn unsteady(
    model: &Model,
    state: &State,
    vdot: &[f64],
    lambda: &[f64],
    eq: &Equations,
    stiffness: f64,
    turning: Option<Turning>,
    carried: &[Carried],
) -> f64 {
    let n = model.sizes.v;
    let mut off = vdot.to_vec();
    for (b, c) in model.bodies.iter().zip(carried) {
        if let Carried::Along { Q, .. } = c {
            let v = nalgebra::DVectorView::from_slice(&state.v[b.v.clone()], b.v.len());
            off[b.v.clone()].iter_mut().zip((Q * v).iter()).for_each(|(a, q)| *a -= q);
        }
    }
    let (mut forces, mut inertia, mut held) = (vec![0.0; n], vec![0.0; n], vec![0.0; n]);
    eq.mass_times(&off, &mut forces);
    eq.mass_times(vdot, &mut inertia);
    eq.add_transposed(lambda, &mut held);
    let largest = |x: &[f64]| x.iter().fold(0.0_f64, |a, x| a.max(x.abs()));
    // Forces in balance are at work too, though f is their sum: that of a millionth of a length or of a radian counts.
    let scale = largest(&eq.f).max(largest(&inertia)).max(largest(&held)).max(1e-6 * stiffness);
    let mut found = if scale > 0.0 { largest(&forces) / scale } else { 0.0 };
    if let Some((omega, t)) = turning.and_then(|t| Some((t.omega().ok()?, t))) {
        let own: Vec<Motion> = model.bodies.iter().map(|b| motion(b, state)).collect();
        let fastest = own.iter().fold(0.0_f64, |a, m| a.max(m.v.norm()));
        let apart = |m: &Motion| (m.v - omega.cross(&(m.p - Vec3::from(t.through)))).norm();
        let most = model.bodies.iter().zip(&own).filter(|(b, _)| b.kind.body().frameless().is_none());
        let most = most.fold(0.0_f64, |a, (_, m)| a.max(apart(m)));
        found = found.max(if fastest > 0.0 { most / fastest } else { most });
    }
    found
}
