//! Trees of rigid bodies on hinges, whose bodies and hinges are eliminated together: accelerations and multipliers against
//! dense methods and against the equations themselves, also with unequal masses and with a hinge that holds nothing.
#![allow(non_snake_case)]

use super::dice::Dice;
use nalgebra::Vector3;
use taut::bodies::{BodyKind, EulerParameters, Rodrigues};
use taut::dynamics::{Dynamics, SolverSettings};
use taut::formulations::Method;
use taut::{ConstraintMode, Frame, Joint, Model, Orientation, RigidBody, Spec};

/// How the bodies of a tree hang on each other.
#[derive(Clone, Copy, Debug)]
enum Shape {
    Chain,
    Random,
}

/// The mass of the k-th body of a chain.
type MassOfLink = fn(usize) -> f64;

/// A tree of n bodies in random poses, in motion. Most joints are hinges; `others` of ten are not. The marker of the parent is
/// the first or the second of its joint.
fn tree(dice: &mut Dice, n: usize, shape: Shape, others: usize, mass: impl Fn(usize) -> f64) -> Model {
    tree_of(dice, n, shape, others, mass, |_, body| body.into())
}

/// The same with bodies of other kinds.
fn tree_of(
    dice: &mut Dice,
    n: usize,
    shape: Shape,
    others: usize,
    mass: impl Fn(usize) -> f64,
    kind: impl Fn(usize, RigidBody) -> BodyKind,
) -> Model {
    let mut spec = Spec::new();
    spec.gravity([0.5, -9.81, 0.3]);
    for k in 0..n {
        let name = format!("b{k}");
        let J = [0.1 + 0.02 * dice.unit(), 0.1 + 0.02 * dice.unit(), 0.1].map(|J| J * mass(k));
        let body = RigidBody::new(mass(k), J).com(dice.triple().map(|x| 0.2 * x));
        let at = [0.7 * k as f64 + 0.2 * dice.unit(), dice.unit(), dice.unit()];
        let turned = Orientation::RotationVector(dice.triple());
        spec.body(&name, kind(k, body.at(at).oriented(turned).moving(dice.triple(), dice.triple())));
        let before = match (k, shape) {
            (0, _) => "ground".to_string(),
            (_, Shape::Chain) => format!("b{}", k - 1),
            (_, Shape::Random) => format!("b{}", dice.below(k)),
        };
        let axis = Vector3::from(dice.triple()) + Vector3::z() * 1.5;
        let point = [at[0] - 0.35, 0.5 * dice.unit(), 0.5 * dice.unit()];
        let (outer, inner) = (format!("{before}.out{k}"), format!("{name}.in"));
        for marker in [&outer, &inner] {
            spec.marker(marker, Frame::world(point).axis(axis.into()));
        }
        let makers = [Joint::spherical, Joint::universal, Joint::fixed, Joint::cylindrical];
        let joint = if dice.below(10) < others { makers[dice.below(makers.len())] } else { Joint::revolute };
        let joint = if dice.below(2) == 0 { joint(&outer, &inner) } else { joint(&inner, &outer) };
        spec.constraint(&format!("j{k}"), joint);
    }
    spec.build().expect("a tree")
}

/// Evaluates the model, with some joints idle.
fn evaluated<'m>(model: &'m Model, method: Method, idle: &[usize]) -> Dynamics<'m> {
    let mut state = model.initial_state();
    idle.iter().for_each(|c| state.modes[*c] = ConstraintMode::Idle);
    let mut dynamics = Dynamics::at(model, &state, &SolverSettings { method, ..SolverSettings::default() });
    let mut y = vec![0.0; dynamics.dimension()];
    dynamics.pack(&state, &mut y);
    let mut rates = vec![0.0; y.len()];
    dynamics.rates(0.0, &y, &mut rates).expect("regular");
    dynamics
}

fn difference(a: &[f64], b: &[f64]) -> f64 {
    let size = b.iter().fold(0.0_f64, |s, b| s.max(b.abs()));
    a.iter().zip(b).fold(0.0_f64, |s, (a, b)| s.max((a - b).abs())) / size
}

/// |M v̇ − f − Aᵀλ|, relative to the largest force.
fn unbalanced(dynamics: &Dynamics) -> f64 {
    let mut force = vec![0.0; dynamics.vdot.len()];
    dynamics.eq.mass_times(&dynamics.vdot, &mut force);
    let largest = force.iter().chain(&dynamics.eq.f).chain(&dynamics.lambda).fold(0.0_f64, |s, x| s.max(x.abs()));
    dynamics.eq.subtract_reactions(&dynamics.lambda, &mut force);
    difference(&force, &dynamics.eq.f) * dynamics.eq.f.iter().fold(0.0_f64, |s, x| s.max(x.abs())) / largest
}

#[test]
fn hinged_trees_agree_with_a_dense_method() {
    let mut dice = Dice(41);
    for (n, shape, others) in [
        (16, Shape::Chain, 0),
        (30, Shape::Chain, 0),
        (30, Shape::Random, 0),
        (24, Shape::Chain, 4),
        (30, Shape::Random, 4),
    ] {
        let model = tree(&mut dice, n, shape, others, |_| 1.0);
        let sparse = evaluated(&model, Method::ConstraintForce, &[]);
        let dense = evaluated(&model, Method::Lagrange, &[]);
        let (far, lambda) = (difference(&sparse.vdot, &dense.vdot), difference(&sparse.lambda, &dense.lambda));
        assert!(far < 1e-10 && lambda < 1e-10, "{n} bodies, {shape:?}: {far:e}, {lambda:e}");
        assert!(sparse.eq.relative_residual(&sparse.vdot) < 1e-12, "{n} bodies, {shape:?}");
        assert!(unbalanced(&sparse) < 1e-13, "{n} bodies, {shape:?}: {:e}", unbalanced(&sparse));
    }
}

/// Euler parameters and Gibbs–Rodrigues parameters have other velocities than (ṗ, ω); their hinges were taken for those of rigid bodies.
#[test]
fn bodies_with_other_velocities_keep_the_general_elimination() {
    let mut dice = Dice(43);
    for (shape, every) in [(Shape::Chain, 1), (Shape::Chain, 3), (Shape::Random, 2)] {
        for euler in [true, false] {
            let kind = |k: usize, rigid: RigidBody| match (k % every, euler) {
                (0, true) => EulerParameters { rigid }.into(),
                (0, false) => Rodrigues { rigid }.into(),
                _ => rigid.into(),
            };
            let model = tree_of(&mut dice, 20, shape, 0, |_| 1.0, kind);
            let sparse = evaluated(&model, Method::ConstraintForce, &[]);
            let dense = evaluated(&model, Method::Lagrange, &[]);
            let far = difference(&sparse.vdot, &dense.vdot);
            assert!(far < 1e-9, "{shape:?}, every {every}, Euler parameters: {euler}: {far:e}");
        }
    }
}

#[test]
fn unequal_masses_cost_no_digits_of_the_constraints() {
    let masses: [(&str, MassOfLink); 4] = [
        ("heavy tip", |k| if k == 99 { 1e6 } else { 1.0 }),
        ("light tip", |k| if k == 99 { 1e-6 } else { 1.0 }),
        ("alternating", |k| if k % 2 == 0 { 1.0 } else { 1e6 }),
        ("a heavy one in the middle", |k| if k == 50 { 1e6 } else { 1.0 }),
    ];
    for (what, mass) in masses {
        let model = tree(&mut Dice(7), 100, Shape::Chain, 0, mass);
        let sparse = evaluated(&model, Method::ConstraintForce, &[]);
        let residual = sparse.eq.relative_residual(&sparse.vdot);
        assert!(residual < 1e-12, "{what}: A v̇ misses b by {residual:e}");
        assert!(unbalanced(&sparse) < 1e-12, "{what}: {:e}", unbalanced(&sparse));
    }
}

#[test]
fn a_hinge_that_holds_nothing_lets_its_body_fall() {
    let model = tree(&mut Dice(11), 20, Shape::Chain, 0, |_| 1.0);
    let sparse = evaluated(&model, Method::ConstraintForce, &[10]);
    let dense = evaluated(&model, Method::Lagrange, &[10]);
    let rows = model.constraints[10].rows.clone();
    assert!(sparse.lambda[rows].iter().all(|l| l.abs() < 1e-9));
    assert!(difference(&sparse.vdot, &dense.vdot) < 1e-9, "{:e}", difference(&sparse.vdot, &dense.vdot));
}
