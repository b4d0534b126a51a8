//! Determinacy of random over-constrained mechanisms: labels agree with the null space by singular values, which has a clear gap;
//! they do not depend on the order of elements, the axes of the world or the unit of length; unique components are equal among all
//! formulations. `TAUT_MECHANISMS=1000` runs more of them.
#![allow(non_snake_case)]

use super::dice::Dice;
use std::collections::BTreeMap;
use taut::analyses::{DeterminacyReport, JointDeterminacy, determinacy, multipliers};
use taut::equations::{Equations, MarkerKinematics, StateView, assemble_positions, assemble_rates};
use taut::formulations::{DenseEquations, Exactness, FormulationParameters, Method};
use taut::nalgebra::{DMatrix, Rotation3, Vector3};
use taut::{Frame, Joint, Model, Orientation, RigidBody, Spec};

/// Squares of singular values, relative to the largest: those below are zero, those between the two make a gap unclear.
const ZERO: f64 = 1e-13;
const CLEAR: f64 = 1e-7;

struct Link {
    name: String,
    kind: usize,
    ends: [Option<usize>; 2],
    at: Vector3<f64>,
    axes: Rotation3<f64>,
}

struct Mechanism {
    bodies: Vec<(Vector3<f64>, f64, [f64; 3])>,
    links: Vec<Link>,
}

/// One to five bodies on the ground and among each other, with more joints than a tree needs.
fn mechanism(dice: &mut Dice) -> Mechanism {
    let count = 1 + dice.below(5);
    let body = |dice: &mut Dice| {
        let J = [1.0 + 0.2 * dice.unit(), 1.0 + 0.2 * dice.unit(), 1.1 + 0.1 * dice.unit()];
        (dice.grid() + Vector3::from(dice.triple()) * 0.2, 1.5 + dice.unit(), J)
    };
    let bodies: Vec<_> = (0..count).map(|_| body(dice)).collect();
    let mut links = Vec::new();
    for k in 0..count + 1 + dice.below(3) {
        // The first joints make a tree.
        let b = if k < count { k } else { dice.below(count) };
        let a = if k < count {
            (k > 0 && dice.below(3) > 0).then(|| dice.below(k.max(1)))
        } else {
            Some(dice.below(count))
        };
        let a = a.filter(|a| *a != b);
        let z = [Vector3::x(), Vector3::y(), Vector3::z()][dice.below(3)];
        let axes = Rotation3::rotation_between(&Vector3::z(), &z).unwrap_or_default();
        links.push(Link { name: format!("j{k}"), kind: dice.below(6), ends: [a, Some(b)], at: dice.grid(), axes });
    }
    Mechanism { bodies, links }
}

/// The mechanism in other axes, another unit of length and another order.
fn build(m: &Mechanism, R: &Rotation3<f64>, unit: f64, order: Option<&mut Dice>) -> Model {
    let mut spec = Spec::new();
    let g = R * Vector3::new(0.3, -9.81, 0.5) * unit;
    spec.gravity(g.into());
    let (mut bodies, mut links): (Vec<usize>, Vec<&Link>) = ((0..m.bodies.len()).collect(), m.links.iter().collect());
    if let Some(dice) = order {
        dice.shuffle(&mut bodies);
        dice.shuffle(&mut links);
    }
    for k in bodies {
        let (p, mass, J) = &m.bodies[k];
        let turned = Orientation::RotationVector(R.scaled_axis().into());
        let body = RigidBody::new(*mass, J.map(|j| j * unit * unit)).at((R * p * unit).into()).oriented(turned);
        spec.body(&format!("b{k}"), body);
    }
    for l in links {
        let owner = |end: Option<usize>| end.map_or("ground".to_string(), |k| format!("b{k}"));
        let [on_a, on_b] = [("a", l.ends[0]), ("b", l.ends[1])].map(|(s, end)| format!("{}.{}{s}", owner(end), l.name));
        let axes = Orientation::RotationVector((R * l.axes).scaled_axis().into());
        for name in [&on_a, &on_b] {
            spec.marker(name, Frame::world((R * l.at * unit).into()).with_orientation(axes.clone()));
        }
        let makers =
            [Joint::revolute, Joint::spherical, Joint::universal, Joint::cylindrical, Joint::fixed, Joint::prismatic];
        spec.constraint(&l.name, makers[l.kind](&on_a, &on_b));
    }
    spec.build().expect("a mechanism that can be built")
}

fn report(model: &Model, lambda: &[f64]) -> DeterminacyReport {
    determinacy(model, &model.initial_state(), lambda).expect("a small mechanism")
}

/// The null space of Aᵀ by the eigenvectors of A Aᵀ; none without a clear gap.
fn null_space(model: &Model) -> Option<DMatrix<f64>> {
    let (state, mut scene, mut eq) = (model.initial_state(), MarkerKinematics::new(model), Equations::new(model));
    assemble_positions(model, StateView::from(&state), &mut scene, &mut eq);
    let A = eq.dense_jacobian();
    // Squares of the singular values; the vectors of the zero ones are accurate.
    let eigen = (&A * A.transpose()).symmetric_eigen();
    let largest = eigen.eigenvalues.amax();
    let is_zero = |k: usize| eigen.eigenvalues[k] <= ZERO * largest;
    if (0..A.nrows()).any(|k| !is_zero(k) && eigen.eigenvalues[k] < CLEAR * largest) {
        return None;
    }
    let null: Vec<_> =
        (0..A.nrows()).filter(|k| is_zero(*k)).map(|k| eigen.eigenvectors.column(k).into_owned()).collect();
    let N = if null.is_empty() { DMatrix::zeros(A.nrows(), 0) } else { DMatrix::from_columns(&null) };
    assert!(null.is_empty() || A.tr_mul(&N).amax() < 1e-6 * largest.sqrt(), "no null space");
    Some(N)
}

/// The equations of a model in its first pose.
fn equations(model: &Model) -> DenseEquations {
    let (state, mut scene, mut eq) = (model.initial_state(), MarkerKinematics::new(model), Equations::new(model));
    assemble_positions(model, StateView::from(&state), &mut scene, &mut eq);
    assemble_rates(model, StateView::from(&state), &mut scene, &mut eq);
    DenseEquations::from(&eq)
}

/// The components that are open in joint axes, by joint.
fn open_in_joint_axes(report: &DeterminacyReport) -> BTreeMap<String, Vec<String>> {
    report.joints.iter().map(|j| (j.constraint.clone(), j.not_unique_in_joint_axes.clone())).collect()
}

fn check(m: &Mechanism, dice: &mut Dice) -> Option<usize> {
    let model = build(m, &Rotation3::identity(), 1.0, None);
    let N = null_space(&model)?;
    let zero = vec![0.0; model.rows.len()];
    let own = report(&model, &zero);

    // Labels: what the null space changes.
    let mut changed: BTreeMap<&str, f64> = own.components.iter().map(|c| (c.name.as_str(), 0.0)).collect();
    for n in N.column_iter() {
        let with = report(&model, n.as_slice());
        for c in &with.components {
            let most = changed.get_mut(c.name.as_str()).expect("the same components");
            *most = most.max(c.value.abs());
        }
    }
    for c in &own.components {
        assert_eq!(changed[c.name.as_str()] > 1e-7, c.set.is_some(), "{}: {:e}", c.name, changed[c.name.as_str()]);
    }

    // Order, axes and unit.
    let R = Rotation3::from_scaled_axis(Vector3::from(dice.triple()) * 2.0);
    let shuffled = build(m, &Rotation3::identity(), 1.0, Some(dice));
    let variants = [
        shuffled,
        build(m, &R, 1.0, None),
        build(m, &Rotation3::identity(), 1e3, None),
        build(m, &R, 1e-3, Some(dice)),
    ];
    for (k, other) in variants.iter().enumerate() {
        let found = report(other, &vec![0.0; other.rows.len()]);
        assert_eq!(open_in_joint_axes(&own), open_in_joint_axes(&found), "variant {k}");
        let label = |r: &DeterminacyReport| -> BTreeMap<String, bool> {
            r.joints.iter().map(|j| (j.constraint.clone(), j.label == JointDeterminacy::Unique)).collect()
        };
        assert_eq!(label(&own), label(&found), "variant {k}");
    }

    // Unique components are equal among formulations.
    let reference = report(&model, &multipliers(&model, &model.initial_state()).expect("multipliers"));
    let largest = reference.components.iter().fold(1.0_f64, |a, c| a.max(c.minimum_norm.abs()));
    let full = equations(&model);
    for &method in Method::ALL {
        let Some(mut dense) = method.dense(&FormulationParameters::default()) else { continue };
        if dense.exactness() != Exactness::Exact || dense.unsupported_reason(&full).is_some() {
            continue;
        }
        let lambda = dense.solve(&full).unwrap_or_else(|e| panic!("{method}: {e}")).lambda;
        let found = report(&model, lambda.as_slice());
        for (a, b) in reference.components.iter().zip(&found.components).filter(|(a, _)| a.set.is_none()) {
            assert!((a.value - b.value).abs() < 1e-6 * largest, "{method}, {}: {} and {}", a.name, a.value, b.value);
        }
    }
    Some(N.ncols())
}

#[test]
fn labels_of_random_mechanisms() {
    let count: usize = std::env::var("TAUT_MECHANISMS").ok().and_then(|n| n.parse().ok()).unwrap_or(40);
    let (mut redundant, mut unclear) = (0, 0);
    for k in 0..count {
        let mut dice = Dice(1000 + k as u64);
        let m = mechanism(&mut dice);
        match check(&m, &mut dice) {
            Some(0) => {}
            Some(_) => redundant += 1,
            None => unclear += 1,
        }
    }
    println!("{count} mechanisms, {redundant} over-constrained, {unclear} without a clear gap");
    assert!(10 * redundant > 7 * count && 10 * unclear < count, "{redundant} and {unclear} of {count}");
}
