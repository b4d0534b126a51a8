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
use crate::beams::Turn;
use crate::bodies::{OwnAxes, ReferenceFrame, each_body};
use crate::model::BodyEntry;
use crate::motion::{Mat3, Vec3};
use serde::{Deserialize, Serialize};

/// The axes in which steps of the generalised-alpha method are formulated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Update {
    /// Those of the world.
    #[default]
    Spatial,
    /// Those of each planar or rigid body: for rotors.
    Convected,
}

/// The first three entries as a vector.
fn three(x: &[f64]) -> Vec3 {
    Vec3::new(x[0], x[1], x[2])
}

fn put(x: &mut [f64], v: Vec3) {
    x.copy_from_slice(v.as_slice());
}

/// Rotates a vector of the size of v from body axes to world axes.
fn outward(axes: &OwnAxes, x: &mut [f64]) {
    match axes {
        OwnAxes::None => {}
        OwnAxes::Plane([c, s]) => (x[0], x[1]) = (c * x[0] - s * x[1], s * x[0] + c * x[1]),
        OwnAxes::Space(R) => x.chunks_exact_mut(3).for_each(|x| put(x, R * three(x))),
    }
}

/// Rotates from world axes to body axes.
fn inward(axes: &OwnAxes, x: &mut [f64]) {
    match axes {
        OwnAxes::None => {}
        OwnAxes::Plane([c, s]) => outward(&OwnAxes::Plane([*c, -s]), x),
        OwnAxes::Space(R) => x.chunks_exact_mut(3).for_each(|x| put(x, R.tr_mul(&three(x)))),
    }
}

/// Adds `factor` ω × v to the first three, or two, entries of x.
fn add_carried(axes: &OwnAxes, factor: f64, v: &[f64], x: &mut [f64]) {
    match axes {
        OwnAxes::None => {}
        OwnAxes::Plane(_) => {
            x[0] -= factor * v[2] * v[1];
            x[1] += factor * v[2] * v[0];
        }
        OwnAxes::Space(_) => {
            let carried = three(&v[3..]).cross(&three(v)) * factor;
            (0..3).for_each(|i| x[i] += carried[i]);
        }
    }
}

impl Dynamics<'_> {
    fn all_axes<'a>(&'a self, q: &'a [f64]) -> impl Iterator<Item = (&'a BodyEntry, OwnAxes)> + 'a {
        self.model.bodies.iter().map(move |b| (b, each_body!(&b.kind, body => body.own_axes(&q[b.q.clone()]))))
    }

    /// u and u̇ of v and v̇.
    pub fn own(&self, q: &[f64], v: &[f64], vdot: &[f64], u: &mut [f64], udot: &mut [f64]) {
        u.copy_from_slice(v);
        udot.copy_from_slice(vdot);
        if self.update == Update::Spatial {
            return;
        }
        for (b, axes) in self.all_axes(q) {
            add_carried(&axes, -1.0, &v[b.v.clone()], &mut udot[b.v.clone()]);
            inward(&axes, &mut u[b.v.clone()]);
            inward(&axes, &mut udot[b.v.clone()]);
        }
    }

    /// v and v̇ of u and u̇.
    pub fn seen(&self, q: &[f64], u: &[f64], udot: &[f64], v: &mut [f64], vdot: &mut [f64]) {
        v.copy_from_slice(u);
        vdot.copy_from_slice(udot);
        if self.update == Update::Spatial {
            return;
        }
        for (b, axes) in self.all_axes(q) {
            outward(&axes, &mut v[b.v.clone()]);
            outward(&axes, &mut vdot[b.v.clone()]);
            add_carried(&axes, 1.0, &v[b.v.clone()], &mut vdot[b.v.clone()]);
        }
    }

    /// Rotates r to the axes of the step.
    pub(super) fn turn_inward(&self, q: &[f64], r: &mut [f64]) {
        if self.update == Update::Convected {
            self.all_axes(q).for_each(|(b, axes)| inward(&axes, &mut r[b.v.clone()]));
        }
    }

    /// Rotates r to world axes.
    pub(super) fn turn_outward(&self, q: &[f64], r: &mut [f64]) {
        if self.update == Update::Convected {
            self.all_axes(q).for_each(|(b, axes)| outward(&axes, &mut r[b.v.clone()]));
        }
    }
}

/// The displacement in world axes of the screw δ of a body.
pub(super) fn unscrewed(axes: &OwnAxes, delta: &[f64], world: &mut [f64]) {
    world.copy_from_slice(delta);
    match axes {
        OwnAxes::None => {}
        OwnAxes::Plane(_) => {
            let turn = delta[2];
            // sin ϑ / ϑ and (1 − cos ϑ) / ϑ.
            let (a, b) = if turn.abs() < 1e-4 {
                (1.0 - turn * turn / 6.0, 0.5 * turn)
            } else {
                let (s, c) = turn.sin_cos();
                (s / turn, (1.0 - c) / turn)
            };
            (world[0], world[1]) = (a * delta[0] - b * delta[1], b * delta[0] + a * delta[1]);
            outward(axes, world);
        }
        OwnAxes::Space(_) => {
            let way = Turn::new(three(&delta[3..])).J() * three(delta);
            put(&mut world[..3], way);
            outward(axes, world);
        }
    }
}

/// The screw δ followed by a small screw d, to second order: δ + d + ½ [δ, d].
pub(super) fn joined(axes: &OwnAxes, delta: &[f64], d: &[f64], rate: &mut [f64]) {
    rate.copy_from_slice(d);
    match axes {
        OwnAxes::None => {}
        OwnAxes::Plane(_) => {
            rate[0] += 0.5 * (delta[1] * d[2] - delta[2] * d[1]);
            rate[1] += 0.5 * (delta[2] * d[0] - delta[0] * d[2]);
        }
        OwnAxes::Space(_) => {
            let (way, turn, d_way, d_turn) = (three(delta), three(&delta[3..]), three(d), three(&d[3..]));
            let across = (turn.cross(&d_way) + way.cross(&d_turn)) * 0.5;
            let around = turn.cross(&d_turn) * 0.5;
            (0..3).for_each(|i| rate[i] += across[i]);
            (0..3).for_each(|i| rate[3 + i] += around[i]);
        }
    }
}

/// How v and v̇ change with a displacement, besides c δ and m δ: columns of S, and of c G + H.
pub(super) fn slopes(axes: &OwnAxes, v: &[f64], vdot: &[f64], c: f64) -> Option<[[[f64; 6]; 6]; 2]> {
    let (mut S, mut X) = ([[0.0; 6]; 6], [[0.0; 6]; 6]);
    match axes {
        OwnAxes::None => return None,
        OwnAxes::Plane(_) => {
            (S[2][0], S[2][1]) = (-v[1], v[0]);
            (X[0][1], X[1][0]) = (c * v[2], -c * v[2]);
            (X[2][0], X[2][1]) = (-c * v[1] - vdot[1], c * v[0] + vdot[0]);
        }
        OwnAxes::Space(_) => {
            let (v, w, a, dw) = (three(v), three(&v[3..]), three(vdot), three(&vdot[3..]));
            let unit = Mat3::identity();
            for k in 0..3 {
                let e: Vec3 = unit.column(k).into();
                put(&mut S[3 + k][..3], e.cross(&v));
                put(&mut S[3 + k][3..], e.cross(&w));
                put(&mut X[k][..3], w.cross(&e) * c);
                put(&mut X[3 + k][..3], e.cross(&v) * c + e.cross(&a));
                put(&mut X[3 + k][3..], e.cross(&dw));
            }
        }
    }
    Some([S, X])
}
