//! Steps of bodies in axes that move with them (convected axes).
//!
//! ```text
//!  u = Rᵀ v,  ω_B = Rᵀ ω          u̇ = Rᵀ (v̇ − ω × v)
//!  p ← p + R J(ϑ) ξ,  R ← R exp(ϑ)                 displacement δ = (ξ, ϑ): a screw
//!  δv̇ = m ξ + c (ϑ × v + ω × ξ) + ϑ × v̇,   δv = c ξ + ϑ × v        and likewise of ω
//! ```
//!
//! A body that rotates about a fixed axis at a constant rate has a constant u, so a step follows it exactly. Elastic
//! bodies keep their stiffness in these axes however far they rotate \[BrulsCardonaArnold2012\],
//! \[SonnevilleCardonaBruls2014\]. A spinning body in free flight is the opposite case: its v is constant, its u is
//! not.

use super::Dynamics;
use crate::beams::RotationVector;
use crate::bodies::{BodyAxes, ReferenceFrame, each_body};
use crate::model::BodyEntry;
use crate::motion::{Mat3, Vec3};
use serde::{Deserialize, Serialize};

/// The axes in which steps of the generalised-alpha method are formulated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UpdateAxes {
    /// Those of the world.
    #[default]
    Spatial,
    /// Those of each planar or rigid body: for rotors.
    Convected,
}

/// The first three entries as a vector.
fn vec3(x: &[f64]) -> Vec3 {
    Vec3::new(x[0], x[1], x[2])
}

fn store_vec3(x: &mut [f64], v: Vec3) {
    x.copy_from_slice(v.as_slice());
}

/// Rotates a vector of the size of v from body axes to world axes.
fn to_world_axes(axes: &BodyAxes, x: &mut [f64]) {
    match axes {
        BodyAxes::None => {}
        BodyAxes::Plane([c, s]) => (x[0], x[1]) = (c * x[0] - s * x[1], s * x[0] + c * x[1]),
        BodyAxes::Space(R) => x.chunks_exact_mut(3).for_each(|x| store_vec3(x, R * vec3(x))),
    }
}

/// Rotates from world axes to body axes.
fn to_body_axes(axes: &BodyAxes, x: &mut [f64]) {
    match axes {
        BodyAxes::None => {}
        BodyAxes::Plane([c, s]) => to_world_axes(&BodyAxes::Plane([*c, -s]), x),
        BodyAxes::Space(R) => x.chunks_exact_mut(3).for_each(|x| store_vec3(x, R.tr_mul(&vec3(x)))),
    }
}

/// Adds `factor` ω × v to the first three, or two, entries of x.
fn add_convective_term(axes: &BodyAxes, factor: f64, v: &[f64], x: &mut [f64]) {
    match axes {
        BodyAxes::None => {}
        BodyAxes::Plane(_) => {
            x[0] -= factor * v[2] * v[1];
            x[1] += factor * v[2] * v[0];
        }
        BodyAxes::Space(_) => {
            let carried = vec3(&v[3..]).cross(&vec3(v)) * factor;
            (0..3).for_each(|i| x[i] += carried[i]);
        }
    }
}

impl Dynamics<'_> {
    fn body_axes<'a>(&'a self, q: &'a [f64]) -> impl Iterator<Item = (&'a BodyEntry, BodyAxes)> + 'a {
        self.model.bodies.iter().map(move |b| (b, each_body!(&b.kind, body => body.body_axes(&q[b.q.clone()]))))
    }

    /// u and u̇ of v and v̇.
    pub fn to_step_axes(&self, q: &[f64], v: &[f64], vdot: &[f64], u: &mut [f64], udot: &mut [f64]) {
        u.copy_from_slice(v);
        udot.copy_from_slice(vdot);
        if self.update == UpdateAxes::Spatial {
            return;
        }
        for (b, axes) in self.body_axes(q) {
            add_convective_term(&axes, -1.0, &v[b.v.clone()], &mut udot[b.v.clone()]);
            to_body_axes(&axes, &mut u[b.v.clone()]);
            to_body_axes(&axes, &mut udot[b.v.clone()]);
        }
    }

    /// v and v̇ of u and u̇.
    pub fn from_step_axes(&self, q: &[f64], u: &[f64], udot: &[f64], v: &mut [f64], vdot: &mut [f64]) {
        v.copy_from_slice(u);
        vdot.copy_from_slice(udot);
        if self.update == UpdateAxes::Spatial {
            return;
        }
        for (b, axes) in self.body_axes(q) {
            to_world_axes(&axes, &mut v[b.v.clone()]);
            to_world_axes(&axes, &mut vdot[b.v.clone()]);
            add_convective_term(&axes, 1.0, &v[b.v.clone()], &mut vdot[b.v.clone()]);
        }
    }

    /// Rotates r to the axes of the step.
    pub(super) fn rotate_to_step_axes(&self, q: &[f64], r: &mut [f64]) {
        if self.update == UpdateAxes::Convected {
            self.body_axes(q).for_each(|(b, axes)| to_body_axes(&axes, &mut r[b.v.clone()]));
        }
    }

    /// Rotates r to world axes.
    pub(super) fn rotate_to_world_axes(&self, q: &[f64], r: &mut [f64]) {
        if self.update == UpdateAxes::Convected {
            self.body_axes(q).for_each(|(b, axes)| to_world_axes(&axes, &mut r[b.v.clone()]));
        }
    }
}

/// The displacement in world axes of the screw δ of a body.
pub(super) fn screw_displacement(axes: &BodyAxes, delta: &[f64], world: &mut [f64]) {
    world.copy_from_slice(delta);
    match axes {
        BodyAxes::None => {}
        BodyAxes::Plane(_) => {
            let turn = delta[2];
            // sin ϑ / ϑ and (1 − cos ϑ) / ϑ.
            let (a, b) = if turn.abs() < 1e-4 {
                (1.0 - turn * turn / 6.0, 0.5 * turn)
            } else {
                let (s, c) = turn.sin_cos();
                (s / turn, (1.0 - c) / turn)
            };
            (world[0], world[1]) = (a * delta[0] - b * delta[1], b * delta[0] + a * delta[1]);
            to_world_axes(axes, world);
        }
        BodyAxes::Space(_) => {
            let way = RotationVector::new(vec3(&delta[3..])).J() * vec3(delta);
            store_vec3(&mut world[..3], way);
            to_world_axes(axes, world);
        }
    }
}

/// The screw δ followed by a small screw d, to second order: δ + d + ½ [δ, d].
pub(super) fn compose_screws(axes: &BodyAxes, delta: &[f64], d: &[f64], rate: &mut [f64]) {
    rate.copy_from_slice(d);
    match axes {
        BodyAxes::None => {}
        BodyAxes::Plane(_) => {
            rate[0] += 0.5 * (delta[1] * d[2] - delta[2] * d[1]);
            rate[1] += 0.5 * (delta[2] * d[0] - delta[0] * d[2]);
        }
        BodyAxes::Space(_) => {
            let (way, turn, d_way, d_turn) = (vec3(delta), vec3(&delta[3..]), vec3(d), vec3(&d[3..]));
            let across = (turn.cross(&d_way) + way.cross(&d_turn)) * 0.5;
            let around = turn.cross(&d_turn) * 0.5;
            (0..3).for_each(|i| rate[i] += across[i]);
            (0..3).for_each(|i| rate[3 + i] += around[i]);
        }
    }
}

/// How v and v̇ change with a displacement, besides c δ and m δ: columns of S, and of c G + H.
pub(super) fn screw_derivatives(axes: &BodyAxes, v: &[f64], vdot: &[f64], c: f64) -> Option<[[[f64; 6]; 6]; 2]> {
    let (mut S, mut X) = ([[0.0; 6]; 6], [[0.0; 6]; 6]);
    match axes {
        BodyAxes::None => return None,
        BodyAxes::Plane(_) => {
            (S[2][0], S[2][1]) = (-v[1], v[0]);
            (X[0][1], X[1][0]) = (c * v[2], -c * v[2]);
            (X[2][0], X[2][1]) = (-c * v[1] - vdot[1], c * v[0] + vdot[0]);
        }
        BodyAxes::Space(_) => {
            let (v, w, a, dw) = (vec3(v), vec3(&v[3..]), vec3(vdot), vec3(&vdot[3..]));
            let unit = Mat3::identity();
            for k in 0..3 {
                let e: Vec3 = unit.column(k).into();
                store_vec3(&mut S[3 + k][..3], e.cross(&v));
                store_vec3(&mut S[3 + k][3..], e.cross(&w));
                store_vec3(&mut X[k][..3], w.cross(&e) * c);
                store_vec3(&mut X[3 + k][..3], e.cross(&v) * c + e.cross(&a));
                store_vec3(&mut X[3 + k][3..], e.cross(&dw));
            }
        }
    }
    Some([S, X])
}
