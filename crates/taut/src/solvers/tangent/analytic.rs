//! Analytic derivatives of forces: from poses and twists of markers to displacements and velocities of bodies.
//!
//! With the motion of marker j on body b, dpose = J δ, dtwist = J dv + X δ, X = ∂(J v)/∂δ, and the wrench w_k on marker k of
//! body a:
//!
//! ```text
//!  −d(Jₖᵀ wₖ) = −Jₖᵀ (P J δ + T (J dv + X δ)) − ∂(Jₖᵀ)/∂δ wₖ        the last where k is moved itself
//! ```

use super::pattern::StateElement;
use super::{DifferenceAccuracy, TangentMatrices};
use crate::bodies::{Body, BodyKind, Jacobian, Symmetry, each_body};
use crate::constraints::ElementInput;
use crate::equations::StateView;
use crate::forces::{CoupledTangent, TangentAvailability};
use crate::marker::{MarkerAxes, MarkerPlacement};
use crate::mathematics::stencils;
use crate::model::Model;
use crate::motion::{Motion, Vec3, Wrench};
use nalgebra::{DMatrix, Matrix6};
use std::borrow::Cow;

/// Difference steps for the kinematics of a body, in its own units: these are smooth functions of order one.
const SECOND_ORDER_STEP: f64 = 1e-5;
const SIXTH_ORDER_STEP: f64 = 1e-3;

impl TangentMatrices {
    /// Adds the derivatives that forces provide, and records which do.
    pub(super) fn add_analytic_derivatives(&mut self, model: &Model, at: StateView, accuracy: DifferenceAccuracy) {
        let AnalyticScratch {
            mut pose,
            twist: mut twists,
            wrenches: mut on,
            coupled: mut tangent,
            tangent_availability: mut knowing,
        } = std::mem::take(&mut self.scratch);
        let widest = model.forces.iter().map(|f| f.markers.len()).max().unwrap_or(0);
        pose.resize(widest * widest, Matrix6::zeros());
        twists.clear();
        twists.resize(widest * widest, Matrix6::zeros());
        on.resize(widest, Wrench::ZERO);
        knowing.clear();
        let mut levers: Vec<Option<MarkerJacobian>> = Vec::with_capacity(widest);
        // Blocks that the previous force may have set.
        let mut before = 0;
        for (index, entry) in model.forces.iter().enumerate() {
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
            let coupled = force.coupled_rates();
            let found = match coupled {
                _ if !plain => TangentAvailability::Unavailable,
                Some(coupled) => {
                    tangent.reset(n, entry.z.len());
                    coupled.coupled_tangent(&view, &mut tangent)
                }
                None => force.tangent(&view, pose, twist),
            };
            knowing.push(found);
            let (pose, twist) = match (found, coupled) {
                (TangentAvailability::Unavailable, _) => continue,
                (_, Some(_)) => (tangent.pose.as_slice(), Some(tangent.twist.as_slice())),
                (TangentAvailability::Full, None) => (&*pose, Some(&*twist)),
                (TangentAvailability::PosesOnly, None) => (&*pose, None),
            };
            levers.clear();
            levers.extend(entry.markers.iter().map(|m| self.marker_jacobian(model, *m, accuracy)));
            if levers.iter().flatten().any(|l| matches!(l.location, MarkerLocation::Elsewhere)) {
                force.apply(&view, on);
            }
            for (j, moved) in levers.iter().enumerate() {
                let Some(moved) = moved else { continue };
                for (k, pulled) in levers.iter().enumerate() {
                    let Some(pulled) = pulled else { continue };
                    let (P, T) = (&pose[k * n + j], twist.map(|twist| &twist[k * n + j]));
                    // Markers that do not affect each other.
                    if coupled.is_some() && P.iter().chain(T.iter().flat_map(|T| T.iter())).all(|x| *x == 0.0) {
                        continue;
                    }
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
                    let bent = self.geometric_stiffness(model, moved, (entry.markers[j], &on[j]), accuracy);
                    self.add_block(moved.body, moved.body, &bent, &DMatrix::zeros(0, 0));
                }
            }
            if coupled.is_some() {
                self.add_state_derivatives(model, index, &tangent, &levers);
            }
        }
        self.scratch =
            AnalyticScratch { pose, twist: twists, wrenches: on, coupled: tangent, tangent_availability: knowing };
    }

    /// Adds the derivatives of a force by its states, and those of their rates.
    fn add_state_derivatives(
        &mut self,
        model: &Model,
        force: usize,
        tangent: &CoupledTangent,
        levers: &[Option<MarkerJacobian>],
    ) {
        let pattern = self.pattern.clone();
        let Some(owner) = pattern.owners.iter().find(|o| o.element == StateElement::Force(force)) else { return };
        let (n, states) = (tangent.markers, tangent.states);
        for (k, lever) in levers.iter().enumerate() {
            let Some(lever) = lever else { continue };
            let size = model.bodies[lever.body].v.len();
            let before = owner.bodies.iter().take_while(|b| **b != lever.body).map(|b| model.bodies[*b].v.len());
            let before: usize = before.sum();
            let (J, X) = (lever.jacobian(size), lever.twist_derivative(size));
            for i in 0..states {
                let exerted = J.tr_mul(&tangent.by_state[k * states + i]);
                let (pose, twist) = (&tangent.rates_by_pose[i * n + k], &tangent.rates_by_twist[i * n + k]);
                let by_delta = J.tr_mul(pose) + X.tr_mul(twist);
                let by_v = J.tr_mul(twist);
                for v in 0..size {
                    self.r_by_z[owner.r + (before + v) * states + i] -= exerted[v];
                    self.z_by_delta[owner.g + (before + v) * states + i] += by_delta[v];
                    self.z_by_v[owner.g + (before + v) * states + i] += by_v[v];
                }
            }
        }
        for i in 0..states {
            (0..states).for_each(|j| self.z_by_z[owner.z + j * states + i] += tangent.rates_by_state[i * states + j]);
        }
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
    fn marker_jacobian(&self, model: &Model, marker: usize, accuracy: DifferenceAccuracy) -> Option<MarkerJacobian> {
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
        self.for_each_difference(model, body, accuracy, |column, weight, at, _| {
            let m = at(marker);
            (0..3).for_each(|i| {
                lever.X[(i, column)] += weight * m.v[i];
                lever.X[(3 + i, column)] += weight * m.w[i];
            });
        });
        Some(lever)
    }

    /// −∂(Jᵀ)/∂δ w at a fixed wrench.
    fn geometric_stiffness(
        &self,
        model: &Model,
        lever: &MarkerJacobian,
        (marker, w): (usize, &Wrench),
        accuracy: DifferenceAccuracy,
    ) -> DMatrix<f64> {
        let n = model.bodies[lever.body].v.len();
        let mut bent = DMatrix::zeros(n, n);
        let mut f = vec![0.0; n];
        self.for_each_difference(model, lever.body, accuracy, |column, weight, at, (q, own)| {
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
        accuracy: DifferenceAccuracy,
        mut call: impl FnMut(usize, f64, &dyn Fn(usize) -> Motion, (&[f64], &Motion)),
    ) {
        let (stencil, h): (&[(f64, f64)], f64) = match accuracy {
            DifferenceAccuracy::SecondOrder => (&stencils::SECOND_ORDER, SECOND_ORDER_STEP),
            DifferenceAccuracy::SixthOrder => (&stencils::SIXTH_ORDER, SIXTH_ORDER_STEP),
        };
        let b = &model.bodies[body];
        let v = &self.v[b.v.clone()];
        let mut delta = vec![0.0; b.v.len()];
        for column in 0..b.v.len() {
            for &(place, weight) in stencil {
                let mut q = self.q[b.q.clone()].to_vec();
                delta[column] = place * h;
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
                    call(column, weight / h, &show, (&q, &own));
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
    coupled: CoupledTangent,
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
