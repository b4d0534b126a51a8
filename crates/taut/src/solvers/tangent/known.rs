//! Analytic derivatives of forces: from poses and twists of markers to displacements and velocities of bodies.
//!
//! With the motion of marker j on body b, dpose = J δ, dtwist = J dv + X δ, X = ∂(J v)/∂δ, and the wrench w_k on marker k of
//! body a:
//!
//! ```text
//!  −d(Jₖᵀ wₖ) = −Jₖᵀ (P J δ + T (J dv + X δ)) − ∂(Jₖᵀ)/∂δ wₖ        the last where k is moved itself
//! ```

use super::Tangent;
use crate::bodies::{Body, BodyKind, Jacobian, Symmetry, each_body};
use crate::constraints::View;
use crate::equations::At;
use crate::forces::Known;
use crate::marker::{Axes, Place};
use crate::model::Model;
use crate::motion::{Motion, Vec3, Wrench};
use nalgebra::{DMatrix, Matrix6};
use std::borrow::Cow;

/// Difference step for the kinematics of a body, in its own units: these are smooth functions of order one.
const STEP: f64 = 1e-5;

impl Tangent {
    /// Adds the derivatives that forces provide, and records which do.
    pub(super) fn take_known(&mut self, model: &Model, at: At) {
        let Room { mut pose, twist: mut twists, mut on, mut knowing } = std::mem::take(&mut self.room);
        let widest = model.forces.iter().map(|f| f.markers.len()).max().unwrap_or(0);
        pose.resize(widest * widest, Matrix6::zeros());
        twists.clear();
        twists.resize(widest * widest, Matrix6::zeros());
        on.resize(widest, Wrench::ZERO);
        knowing.clear();
        let mut levers: Vec<Option<Lever>> = Vec::with_capacity(widest);
        // Blocks that the previous force may have set.
        let mut before = 0;
        for entry in &model.forces {
            let n = entry.markers.len();
            let (pose, on) = (&mut pose[..n * n], &mut on[..n]);
            let z = &self.z[entry.z.clone()];
            let view = View { t: at.t, motions: &self.scene.motions, ids: &entry.markers, z };
            let force = entry.kind.force();
            pose.fill(Matrix6::zeros());
            if let Some(Known::Exactly | Known::Not) = knowing.last() {
                twists[..before].fill(Matrix6::zeros());
            }
            before = n * n;
            let twist = &mut twists[..n * n];
            // If the equations are written in another space than v, the transformation depends on the pose too.
            let mut bodies = entry.markers.iter().filter_map(|m| model.markers[*m].body);
            let plain = bodies.all(|b| model.bodies[b].kind.body().symmetry() == Symmetry::Symmetric);
            knowing.push(if plain { force.tangent(&view, pose, twist) } else { Known::Not });
            let twist = match knowing.last() {
                Some(Known::Exactly) => Some(&*twist),
                Some(Known::OfPoses) => None,
                Some(Known::Not) | None => continue,
            };
            levers.clear();
            levers.extend(entry.markers.iter().map(|m| self.lever(model, *m)));
            if levers.iter().flatten().any(|l| matches!(l.at, Seat::Elsewhere)) {
                force.apply(&view, on);
            }
            for (j, moved) in levers.iter().enumerate() {
                let Some(moved) = moved else { continue };
                for (k, pulled) in levers.iter().enumerate() {
                    let Some(pulled) = pulled else { continue };
                    let (P, T) = (&pose[k * n + j], twist.map(|twist| &twist[k * n + j]));
                    if let (Seat::Own(rows), Seat::Own(columns)) = (pulled.at, moved.at) {
                        self.add_own(model, (pulled.body, rows), (moved.body, columns), P, T);
                        continue;
                    }
                    let [rows, columns] = [pulled.body, moved.body].map(|b| model.bodies[b].v.len());
                    let (pull, move_by) = (pulled.whole(rows), moved.whole(columns));
                    let mut by_delta = -pull.tr_mul(&(P * &*move_by));
                    let mut by_v = DMatrix::zeros(0, 0);
                    if let Some(T) = T {
                        by_delta -= pull.tr_mul(&(T * &*moved.bends(columns)));
                        by_v = -pull.tr_mul(&(T * &*move_by));
                    }
                    self.add_block(pulled.body, moved.body, &by_delta, &by_v);
                }
                if matches!(moved.at, Seat::Elsewhere) {
                    let bent = self.bending(model, moved, entry.markers[j], &on[j]);
                    self.add_block(moved.body, moved.body, &bent, &DMatrix::zeros(0, 0));
                }
            }
        }
        self.room = Room { pose, twist: twists, on, knowing };
    }

    /// Adds blocks of markers whose twists are velocities of their bodies.
    fn add_own(
        &mut self,
        model: &Model,
        (row, rows): (usize, Shown),
        (column, columns): (usize, Shown),
        P: &Matrix6<f64>,
        T: Option<&Matrix6<f64>>,
    ) {
        let Some(start) = self.pattern.start(row, column) else { return };
        let n = model.bodies[row].v.len();
        for (c, j) in columns.each() {
            for (r, i) in rows.each() {
                let place = start + c * n + r;
                self.K[place] -= P[(i, j)];
                if let Some(T) = T {
                    self.C[place] -= T[(i, j)];
                }
            }
        }
    }

    fn add_block(&mut self, row: usize, column: usize, by_delta: &DMatrix<f64>, by_v: &DMatrix<f64>) {
        let Some(start) = self.pattern.start(row, column) else { return };
        self.K[start..].iter_mut().zip(by_delta.iter()).for_each(|(k, d)| *k += d);
        self.C[start..].iter_mut().zip(by_v.iter()).for_each(|(c, d)| *c += d);
    }

    /// J and X of a marker; none for the ground.
    fn lever(&self, model: &Model, marker: usize) -> Option<Lever> {
        let body = model.markers[marker].body.filter(|b| !model.bodies[*b].v.is_empty())?;
        let (own, seen) = (&self.scene.motions[model.bodies[body].markers.start], &self.scene.motions[marker]);
        // At the reference point, v and w of the marker are velocities of the body and do not depend on the pose.
        let components = model.bodies[body].kind.body().own_twist();
        let shown = match &model.places[marker] {
            Place::Frame(..) => Some(Shown { first: 0, components }).filter(|_| own.p == seen.p),
            Place::Coordinate(i) => Some(Shown { first: *i, components: &[0] }),
        };
        if let Some(shown) = shown.filter(|_| !components.is_empty()) {
            return Some(Lever { body, J: DMatrix::zeros(0, 0), X: DMatrix::zeros(0, 0), at: Seat::Own(shown) });
        }
        let n = model.bodies[body].v.len();
        let mut J = DMatrix::zeros(6, n);
        let mut row = vec![0.0; n];
        for i in 0..6 {
            let e = Vec3::from_fn(|k, _| if k == i % 3 { 1.0 } else { 0.0 });
            let unit = if i < 3 { Wrench::force(e) } else { Wrench::moment(e) };
            row.fill(0.0);
            self.pull(model, body, marker, &unit, &mut row);
            (0..n).for_each(|k| J[(i, k)] = row[k]);
        }
        let mut lever = Lever { body, J, X: DMatrix::zeros(6, n), at: Seat::Elsewhere };
        let node = matches!(model.bodies[body].kind, BodyKind::BeamNodes(_))
            && matches!(&model.places[marker], Place::Frame(p, Axes::OfMember(_)) if *p == Vec3::zeros());
        if node {
            lever.at = Seat::Reference;
            return Some(lever);
        }
        self.each_side(model, body, |column, weight, at, _| {
            let m = at(marker);
            (0..3).for_each(|i| {
                lever.X[(i, column)] += weight * m.v[i];
                lever.X[(3 + i, column)] += weight * m.w[i];
            });
        });
        Some(lever)
    }

    /// −∂(Jᵀ)/∂δ w at a fixed wrench.
    fn bending(&self, model: &Model, lever: &Lever, marker: usize, w: &Wrench) -> DMatrix<f64> {
        let n = model.bodies[lever.body].v.len();
        let mut bent = DMatrix::zeros(n, n);
        let mut f = vec![0.0; n];
        self.each_side(model, lever.body, |column, weight, at, (q, own)| {
            f.fill(0.0);
            let (b, seen) = (&model.bodies[lever.body], at(marker));
            each_body!(&b.kind, body => body.pull(q, own, &model.places[marker], &seen, w, &mut f));
            (0..n).for_each(|i| bent[(i, column)] -= weight * f[i]);
        });
        bent
    }

    /// Calls `call` for each direction of a body and each weight of a central difference, with the motions of its
    /// markers, q and the reference frame there.
    fn each_side(
        &self,
        model: &Model,
        body: usize,
        mut call: impl FnMut(usize, f64, &dyn Fn(usize) -> Motion, (&[f64], &Motion)),
    ) {
        let b = &model.bodies[body];
        let v = &self.v[b.v.clone()];
        let mut delta = vec![0.0; b.v.len()];
        for column in 0..b.v.len() {
            for side in [-STEP, STEP] {
                let mut q = self.q[b.q.clone()].to_vec();
                delta[column] = side;
                each_body!(&b.kind, body => {
                    body.displace(&mut q, &delta);
                    let mut own = Motion::REST;
                    body.reference(&q, &mut own);
                    body.reference_twist(&q, v, &mut own);
                    let show = |marker: usize| {
                        let mut seen = own;
                        if marker != b.markers.start {
                            body.place(&q, &own, &model.places[marker], &mut seen);
                            body.twist(&q, v, &own, &model.places[marker], &mut seen);
                        }
                        seen
                    };
                    call(column, 0.5 / side, &show, (&q, &own));
                });
            }
            delta[column] = 0.0;
        }
    }
}

/// Scratch memory kept between calls, and which forces provide their derivatives.
#[derive(Clone, Debug, Default)]
pub(super) struct Room {
    pose: Vec<Matrix6<f64>>,
    twist: Vec<Matrix6<f64>>,
    on: Vec<Wrench>,
    pub knowing: Vec<Known>,
}

/// The Jacobian of a marker and its derivative.
struct Lever {
    body: usize,
    J: DMatrix<f64>,
    X: DMatrix<f64>,
    at: Seat,
}

impl Lever {
    /// J, also if it only selects components.
    fn whole(&self, columns: usize) -> Cow<'_, DMatrix<f64>> {
        match self.at {
            Seat::Own(shown) => {
                let mut J = DMatrix::zeros(6, columns);
                shown.each().for_each(|(k, i)| J[(i, k)] = 1.0);
                Cow::Owned(J)
            }
            Seat::Reference | Seat::Elsewhere => Cow::Borrowed(&self.J),
        }
    }

    /// X, zero if J is constant.
    fn bends(&self, columns: usize) -> Cow<'_, DMatrix<f64>> {
        match self.at {
            Seat::Own(_) => Cow::Owned(DMatrix::zeros(6, columns)),
            Seat::Reference | Seat::Elsewhere => Cow::Borrowed(&self.X),
        }
    }
}

/// Velocities of a body that are components of the twist of a marker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Shown {
    /// The first of them.
    first: usize,
    components: &'static [usize],
}

impl Shown {
    /// Velocity and component.
    fn each(self) -> impl Iterator<Item = (usize, usize)> {
        self.components.iter().enumerate().map(move |(k, i)| (self.first + k, *i))
    }
}

/// The location of a marker on its body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Seat {
    /// Its twist consists of velocities of its body: at the reference point, or it is a coordinate.
    Own(Shown),
    /// At the reference point of a node, one of many in its body.
    Reference,
    Elsewhere,
}
