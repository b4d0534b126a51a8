//! Analytic derivatives of forces: from poses and twists of markers to displacements and velocities of bodies.
//!
//! With the motion of marker j on body b, dpose = J δ, dtwist = J dv + X δ, X = ∂(J v)/∂δ, and the wrench w_k on marker k of
//! body a:
//!
//! ```text
//!  −d(Jₖᵀ wₖ) = −Jₖᵀ (P J δ + T (J dv + X δ)) − ∂(Jₖᵀ)/∂δ wₖ        the last where k is moved itself
//! ```

use super::TangentMatrices;
use crate::bodies::{Body, BodyKind, Jacobian, Symmetry, each_body};
use crate::constraints::ElementInput;
use crate::equations::StateView;
use crate::forces::TangentAvailability;
use crate::marker::{MarkerAxes, MarkerPlacement};
use crate::model::Model;
use crate::motion::{Motion, Vec3, Wrench};
use nalgebra::{DMatrix, Matrix6};
use std::borrow::Cow;

/// Difference step for the kinematics of a body, in its own units: these are smooth functions of order one.
const DIFFERENCE_STEP: f64 = 1e-5;

impl TangentMatrices {
    /// Adds the derivatives that forces provide, and records which do.
    pub(super) fn add_analytic_derivatives(&mut self, model: &Model, at: StateView) {
        let AnalyticScratch { mut pose, twist: mut twists, wrenches: mut on, tangent_availability: mut knowing } =
            std::mem::take(&mut self.scratch);
        let widest = model.forces.iter().map(|f| f.markers.len()).max().unwrap_or(0);
        pose.resize(widest * widest, Matrix6::zeros());
        twists.clear();
        twists.resize(widest * widest, Matrix6::zeros());
        on.resize(widest, Wrench::ZERO);
        knowing.clear();
        let mut levers: Vec<Option<MarkerJacobian>> = Vec::with_capacity(widest);
        // Blocks that the previous force may have set.
        let mut before = 0;
        for entry in &model.forces {
            let n = entry.markers.len();
            let (pose, on) = (&mut pose[..n * n], &mut on[..n]);
            let z = &self.z[entry.z.clone()];
            let view = ElementInput { t: at.t, motions: &self.kinematics.motions, markers: &entry.markers, z };
            let force = entry.kind.force();
            pose.fill(Matrix6::zeros());
            if let Some(TangentAvailability::Full | TangentAvailability::Unavailable) = knowing.last() {
                twists[..before].fill(Matrix6::zeros());
            }
            before = n * n;
            let twist = &mut twists[..n * n];
            // If the equations are written in another space than v, the transformation depends on the pose too.
            let mut bodies = entry.markers.iter().filter_map(|m| model.markers[*m].body);
            let plain = bodies.all(|b| model.bodies[b].kind.body().symmetry() == Symmetry::Symmetric);
            knowing.push(if plain { force.tangent(&view, pose, twist) } else { TangentAvailability::Unavailable });
            let twist = match knowing.last() {
                Some(TangentAvailability::Full) => Some(&*twist),
                Some(TangentAvailability::PosesOnly) => None,
                Some(TangentAvailability::Unavailable) | None => continue,
            };
            levers.clear();
            levers.extend(entry.markers.iter().map(|m| self.marker_jacobian(model, *m)));
            if levers.iter().flatten().any(|l| matches!(l.location, MarkerLocation::Elsewhere)) {
                force.apply(&view, on);
            }
            for (j, moved) in levers.iter().enumerate() {
                let Some(moved) = moved else { continue };
                for (k, pulled) in levers.iter().enumerate() {
                    let Some(pulled) = pulled else { continue };
                    let (P, T) = (&pose[k * n + j], twist.map(|twist| &twist[k * n + j]));
                    if let (MarkerLocation::DirectVelocities(rows), MarkerLocation::DirectVelocities(columns)) =
                        (pulled.location, moved.location)
                    {
                        self.add_reference_block(model, (pulled.body, rows), (moved.body, columns), P, T);
                        continue;
                    }
                    let [rows, columns] = [pulled.body, moved.body].map(|b| model.bodies[b].v.len());
                    let (pull, move_by) = (pulled.jacobian(rows), moved.jacobian(columns));
                    let mut by_delta = -pull.tr_mul(&(P * &*move_by));
                    let mut by_v = DMatrix::zeros(0, 0);
                    if let Some(T) = T {
                        by_delta -= pull.tr_mul(&(T * &*moved.twist_derivative(columns)));
                        by_v = -pull.tr_mul(&(T * &*move_by));
                    }
                    self.add_block(pulled.body, moved.body, &by_delta, &by_v);
                }
                if matches!(moved.location, MarkerLocation::Elsewhere) {
                    let bent = self.geometric_stiffness(model, moved, entry.markers[j], &on[j]);
                    self.add_block(moved.body, moved.body, &bent, &DMatrix::zeros(0, 0));
                }
            }
        }
        self.scratch = AnalyticScratch { pose, twist: twists, wrenches: on, tangent_availability: knowing };
    }

    /// Adds blocks of markers whose twists are velocities of their bodies.
    fn add_reference_block(
        &mut self,
        model: &Model,
        (row, rows): (usize, TwistComponents),
        (column, columns): (usize, TwistComponents),
        P: &Matrix6<f64>,
        T: Option<&Matrix6<f64>>,
    ) {
        let Some(start) = self.pattern.start(row, column) else { return };
        let n = model.bodies[row].v.len();
        for (c, j) in columns.pairs() {
            for (r, i) in rows.pairs() {
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
    fn marker_jacobian(&self, model: &Model, marker: usize) -> Option<MarkerJacobian> {
        let body = model.markers[marker].body.filter(|b| !model.bodies[*b].v.is_empty())?;
        let (own, seen) =
            (&self.kinematics.motions[model.bodies[body].markers.start], &self.kinematics.motions[marker]);
        // At the reference point, v and w of the marker are velocities of the body and do not depend on the pose.
        let components = model.bodies[body].kind.body().twist_components();
        let shown = match &model.marker_placements[marker] {
            MarkerPlacement::Frame(..) => Some(TwistComponents { first: 0, components }).filter(|_| own.p == seen.p),
            MarkerPlacement::Coordinate(i) => Some(TwistComponents { first: *i, components: &[0] }),
        };
        if let Some(shown) = shown.filter(|_| !components.is_empty()) {
            return Some(MarkerJacobian {
                body,
                J: DMatrix::zeros(0, 0),
                X: DMatrix::zeros(0, 0),
                location: MarkerLocation::DirectVelocities(shown),
            });
        }
        let n = model.bodies[body].v.len();
        let mut J = DMatrix::zeros(6, n);
        let mut row = vec![0.0; n];
        for i in 0..6 {
            let e = Vec3::from_fn(|k, _| if k == i % 3 { 1.0 } else { 0.0 });
            let unit = if i < 3 { Wrench::force(e) } else { Wrench::moment(e) };
            row.fill(0.0);
            self.generalised_force(model, body, marker, &unit, &mut row);
            (0..n).for_each(|k| J[(i, k)] = row[k]);
        }
        let mut lever = MarkerJacobian { body, J, X: DMatrix::zeros(6, n), location: MarkerLocation::Elsewhere };
        let node = matches!(model.bodies[body].kind, BodyKind::BeamNodes(_))
            && matches!(&model.marker_placements[marker], MarkerPlacement::Frame(p, MarkerAxes::OfMember(_)) if *p == Vec3::zeros());
        if node {
            lever.location = MarkerLocation::NodeReference;
            return Some(lever);
        }
        self.for_each_difference(model, body, |column, weight, at, _| {
            let m = at(marker);
            (0..3).for_each(|i| {
                lever.X[(i, column)] += weight * m.v[i];
                lever.X[(3 + i, column)] += weight * m.w[i];
            });
        });
        Some(lever)
    }

    /// −∂(Jᵀ)/∂δ w at a fixed wrench.
    fn geometric_stiffness(&self, model: &Model, lever: &MarkerJacobian, marker: usize, w: &Wrench) -> DMatrix<f64> {
        let n = model.bodies[lever.body].v.len();
        let mut bent = DMatrix::zeros(n, n);
        let mut f = vec![0.0; n];
        self.for_each_difference(model, lever.body, |column, weight, at, (q, own)| {
            f.fill(0.0);
            let (b, seen) = (&model.bodies[lever.body], at(marker));
            each_body!(&b.kind, body => body.apply_transpose(q, own, &model.marker_placements[marker], &seen, w, &mut f));
            (0..n).for_each(|i| bent[(i, column)] -= weight * f[i]);
        });
        bent
    }

    /// Calls `call` for each direction of a body and each weight of a central difference, with the motions of its
    /// markers, q and the reference frame there.
    fn for_each_difference(
        &self,
        model: &Model,
        body: usize,
        mut call: impl FnMut(usize, f64, &dyn Fn(usize) -> Motion, (&[f64], &Motion)),
    ) {
        let b = &model.bodies[body];
        let v = &self.v[b.v.clone()];
        let mut delta = vec![0.0; b.v.len()];
        for column in 0..b.v.len() {
            for side in [-DIFFERENCE_STEP, DIFFERENCE_STEP] {
                let mut q = self.q[b.q.clone()].to_vec();
                delta[column] = side;
                each_body!(&b.kind, body => {
                    body.displace(&mut q, &delta);
                    let mut own = Motion::REST;
                    body.frame_pose(&q, &mut own);
                    body.frame_twist(&q, v, &mut own);
                    let show = |marker: usize| {
                        let mut seen = own;
                        if marker != b.markers.start {
                            body.marker_pose(&q, &own, &model.marker_placements[marker], &mut seen);
                            body.marker_twist(&q, v, &own, &model.marker_placements[marker], &mut seen);
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
pub(super) struct AnalyticScratch {
    pose: Vec<Matrix6<f64>>,
    twist: Vec<Matrix6<f64>>,
    wrenches: Vec<Wrench>,
    pub tangent_availability: Vec<TangentAvailability>,
}

/// The Jacobian of a marker and its derivative.
struct MarkerJacobian {
    body: usize,
    J: DMatrix<f64>,
    X: DMatrix<f64>,
    location: MarkerLocation,
}

impl MarkerJacobian {
    /// J, also if it only selects components.
    fn jacobian(&self, columns: usize) -> Cow<'_, DMatrix<f64>> {
        match self.location {
            MarkerLocation::DirectVelocities(shown) => {
                let mut J = DMatrix::zeros(6, columns);
                shown.pairs().for_each(|(k, i)| J[(i, k)] = 1.0);
                Cow::Owned(J)
            }
            MarkerLocation::NodeReference | MarkerLocation::Elsewhere => Cow::Borrowed(&self.J),
        }
    }

    /// X, zero if J is constant.
    fn twist_derivative(&self, columns: usize) -> Cow<'_, DMatrix<f64>> {
        match self.location {
            MarkerLocation::DirectVelocities(_) => Cow::Owned(DMatrix::zeros(6, columns)),
            MarkerLocation::NodeReference | MarkerLocation::Elsewhere => Cow::Borrowed(&self.X),
        }
    }
}

/// Velocities of a body that are components of the twist of a marker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct TwistComponents {
    /// The first of them.
    first: usize,
    components: &'static [usize],
}

impl TwistComponents {
    /// Velocity and component.
    fn pairs(self) -> impl Iterator<Item = (usize, usize)> {
        self.components.iter().enumerate().map(move |(k, i)| (self.first + k, *i))
    }
}

/// The location of a marker on its body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum MarkerLocation {
    /// Its twist consists of velocities of its body: at the reference point, or it is a coordinate.
    DirectVelocities(TwistComponents),
    /// At the reference point of a node, one of many in its body.
    NodeReference,
    Elsewhere,
}
