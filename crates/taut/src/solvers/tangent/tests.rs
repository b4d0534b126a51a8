//! Compares every block with differences of the complete equations.

use super::{DifferenceAccuracy, TangentMatrices};
use crate::bodies::{EulerParameters, PlanarBody, PointMass, RigidBody};
use crate::constraints::Joint;
use crate::equations::{Equations, MarkerKinematics, StateView, assemble_positions, assemble_rates};
use crate::forces::{Bushing, FormulaForce, Spring};
use crate::marker::Frame;
use crate::measures::Measure;
use crate::model::Model;
use crate::motion::Orientation;
use crate::spec::Spec;
use crate::state::State;
use nalgebra::DMatrix;

/// Bodies of several kinds in a closed loop, with several kinds of forces.
pub(crate) fn mechanism() -> Model {
    let mut spec = Spec::new();
    spec.gravity([0.4, 0.0, -9.81]);
    let turned = Orientation::RotationVector([0.3, -0.2, 0.5]);
    let mut body = RigidBody::new(2.0, [0.2, 0.3, 0.4]).com([0.1, 0.0, 0.05]).at([0.5, 0.1, 0.0]).oriented(turned);
    body.angular_velocity = [0.4, 1.2, -0.7];
    body.velocity = [0.3, -0.5, 0.2];
    spec.body("a", body.clone());
    spec.body("b", EulerParameters { rigid: RigidBody { position: [1.4, 0.2, 0.3], ..body } });
    spec.body("p", PointMass::new(0.5, [0.2, 1.0, 0.4]));
    spec.body("flat", PlanarBody::new(1.0, 0.2).at([0.3, -0.6], 0.4));
    spec.marker("a.end", Frame::at([0.4, 0.1, -0.1]).axis([0.2, 1.0, 0.3]));
    spec.marker("b.end", Frame::at([-0.4, 0.0, 0.2]).axis([0.2, 1.0, 0.3]));
    spec.marker("ground.pin", Frame::at([0.1, 0.0, 0.0]));
    spec.marker("flat.edge", Frame::at([0.2, 0.1, 0.0]));
    spec.constraint("hinge", Joint::revolute("a.end", "b.end"));
    spec.constraint("pin", Joint::spherical("ground.pin", "a"));
    spec.force("mount", Bushing::diagonal("b", "flat.edge", [90.0, 70.0, 50.0, 3.0, 2.0, 1.0], [1.0; 6]));
    spec.force("spring", Spring::linear("p", "a.end", 40.0, 2.0, 0.3));
    let text = "3*s^2 - 2*rate*flat.x + 9*a.end.x*flat.omega - 4*p.vy^2 + 5*a.wz*b.end.vz - p.z*flat.theta";
    for along in ["flat.theta", "p.y", "a.x"] {
        spec.force(along, FormulaForce::new(Measure::coordinate(along), text).unwrap());
    }
    spec.build().unwrap()
}

/// r and s of a state.
fn residuals(model: &Model, state: &State, vdot: &[f64], lambda: &[f64]) -> (Vec<f64>, Vec<f64>) {
    let (mut scene, mut eq) = (MarkerKinematics::new(model), Equations::new(model));
    assemble_positions(model, StateView::from(state), &mut scene, &mut eq);
    assemble_rates(model, StateView::from(state), &mut scene, &mut eq);
    let mut r = vec![0.0; model.sizes.v];
    eq.mass_times(vdot, &mut r);
    r.iter_mut().zip(&eq.f).for_each(|(r, f)| *r -= f);
    let minus: Vec<f64> = lambda.iter().map(|l| -l).collect();
    eq.add_jacobian_transpose_times(&minus, &mut r);
    let mut s = vec![0.0; model.rows.len()];
    eq.jacobian_times(vdot, &mut s);
    s.iter_mut().zip(&eq.b).for_each(|(s, b)| *s -= b);
    (r, s)
}

#[test]
fn all_blocks_agree_with_differences_of_the_whole() {
    let model = mechanism();
    let state = model.initial_state();
    let vdot: Vec<f64> = (0..model.sizes.v).map(|i| (1.3 * i as f64).sin()).collect();
    let lambda: Vec<f64> = (0..model.rows.len()).map(|i| 2.0 * (0.7 * i as f64).cos()).collect();
    let mut tangent = TangentMatrices::new(&model);
    tangent.evaluate(&model, StateView::from(&state), &vdot, &lambda, DifferenceAccuracy::SixthOrder);
    let (n, m) = (model.sizes.v, model.rows.len());
    let [mut K, mut C] = [DMatrix::zeros(n, n), DMatrix::zeros(n, n)];
    let [mut G, mut H] = [DMatrix::zeros(m, n), DMatrix::zeros(m, n)];
    let h = 1e-3;
    for (place, weight) in [(-2.0, 1.0), (-1.0, -8.0), (1.0, 8.0), (2.0, -1.0)] {
        let weight = weight / (12.0 * h);
        for b in &model.bodies {
            for (k, i) in b.v.clone().enumerate() {
                let mut moved = state.clone();
                let mut delta = vec![0.0; b.v.len()];
                delta[k] = place * h;
                b.kind.body().displace(&mut moved.q[b.q.clone()], &delta);
                let (r, s) = residuals(&model, &moved, &vdot, &lambda);
                (0..n).for_each(|row| K[(row, i)] += weight * r[row]);
                (0..m).for_each(|row| G[(row, i)] += weight * s[row]);
                let mut faster = state.clone();
                faster.v[i] += place * h;
                let (r, s) = residuals(&model, &faster, &vdot, &lambda);
                (0..n).for_each(|row| C[(row, i)] += weight * r[row]);
                (0..m).for_each(|row| H[(row, i)] += weight * s[row]);
            }
        }
    }
    let [found_G, found_H] = tangent.dense_rows();
    for (found, whole) in
        [(tangent.dense_stiffness(&model), K.clone()), (tangent.dense_damping(&model), C), (found_G, G), (found_H, H)]
    {
        assert!(whole.amax() > 0.1, "nothing to be compared");
        assert!((&found - &whole).amax() < 1e-9 * whole.amax(), "{}", (&found - &whole).amax());
    }
    tangent.evaluate(&model, StateView::from(&state), &vdot, &lambda, DifferenceAccuracy::SecondOrder);
    let apart = (tangent.dense_stiffness(&model) - &K).amax();
    assert!(apart < 1e-7 * K.amax(), "{apart}");
}
