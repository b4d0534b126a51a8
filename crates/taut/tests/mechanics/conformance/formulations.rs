//! Every formulation with every drift control gives the same accelerations on the same mechanisms.
#![allow(non_snake_case)]

use nalgebra::DVector;
use taut::analyses::{AssemblySettings, assemble};
use taut::bodies::{BodyKind, EulerParameters, Quantity, RitzReduction, Symmetry};
use taut::drift::{DriftControl, Gain, ProjectionWeight, Threshold};
use taut::dynamics::{Dynamics, SolverSettings};
use taut::forces::Spring;
use taut::formulations::{Exactness, Method};
use taut::{
    Formula, FormulaForce, Frame, Joint, Measure, Model, Orientation, PlanarBody, PointMass, Prescription, Relation,
    RigidBody, Rolling, Signal, Spec, State, Subsystem,
};

/// A planar four-bar from the origin, made of planar bodies or of bodies in space.
fn four_bar(spatial: bool) -> Spec {
    let points = [[0.0, 0.0, 0.0], [0.1, 1.0, 0.0], [2.0, 1.5, 0.0], [2.2, 0.0, 0.0]];
    let mut spec = Spec::new();
    spec.gravity([0.0, -9.81, 0.0]).marker("ground.b", Frame::at(points[3]));
    for k in 0..3 {
        let middle: [f64; 3] = std::array::from_fn(|i| 0.5 * (points[k][i] + points[k + 1][i]));
        let body: BodyKind = match spatial {
            true => RigidBody::new(1.0 + k as f64, [0.1, 0.2, 0.25]).at(middle).into(),
            false => PlanarBody::new(1.0 + k as f64, 0.25).at([middle[0], middle[1]], 0.0).into(),
        };
        spec.body(&format!("b{k}"), body)
            .marker(&format!("b{k}.a"), Frame::world(points[k]))
            .marker(&format!("b{k}.b"), Frame::world(points[k + 1]));
    }
    let joint = if spatial { Joint::revolute } else { Joint::pin };
    spec.constraint("h0", joint("ground", "b0.a"))
        .constraint("h1", joint("b0.b", "b1.a"))
        .constraint("h2", joint("b1.b", "b2.a"))
        .constraint("h3", joint("ground.b", "b2.b"));
    spec
}

/// Mechanisms of each kind: tree, loop, redundant loop, driven, nonholonomic.
fn mechanisms() -> Vec<(&'static str, Model, State)> {
    let mut chain = Spec::new();
    chain
        .gravity([0.0, 0.0, -9.81])
        .body("one", RigidBody::new(1.0, [0.1, 0.2, 0.2]).com([0.1, 0.0, 0.0]).at([0.5, 0.0, 0.0]))
        .body("two", RigidBody::new(2.0, [0.3, 0.3, 0.1]).at([1.5, 0.0, 0.0]))
        .body("bob", PointMass::new(0.5, [2.0, 0.0, -1.0]))
        .marker("one.a", Frame::world([0.0; 3]).axis([0.0, 1.0, 0.0]))
        .marker("ground.a", Frame::world([0.0; 3]).axis([0.0, 1.0, 0.0]))
        .constraint("hinge", Joint::revolute("ground.a", "one.a"))
        .marker("one.b", Frame::world([1.0, 0.0, 0.0]))
        .marker("two.b", Frame::world([1.0, 0.0, 0.0]))
        .constraint("ball", Joint::spherical("one.b", "two.b"))
        .constraint("rope", Relation::rod("two", "bob", (0.25_f64 + 1.0).sqrt()));
    let mut driven = four_bar(false);
    let turn = Prescription::Position(Signal::polynomial([0.0, 2.0, 0.5]));
    driven
        .constraint("motor", Relation::driver(Measure::angle("ground", "b0"), turn))
        .force("spring", Spring::torsional("ground.b", "b2.b", 3.0, 0.2, 0.1));
    let mut wheel = Spec::new();
    let upright = Orientation::RotationVector([1.3, 0.0, 0.0]);
    wheel
        .gravity([0.0, 0.0, -9.81])
        .body("disc", RigidBody::new(1.0, [0.02, 0.02, 0.04]).at([0.0, 0.0, 0.29]).oriented(upright))
        .constraint("road", Rolling::disc("ground", "disc", 0.3));
    let mut twice = four_bar(true);
    twice.constraint("again", Joint::revolute("ground", "b0.a"));

    let mut formulas = Spec::new();
    let pull =
        FormulaForce::new(Measure::distance("sled", "bead"), "-3*s - 0.4*rate - bead.vx*cos(sled.theta)").unwrap();
    formulas
        .gravity([0.0, -9.81, 0.0])
        .body("bead", PointMass::new(1.0, [0.5, 0.25, 0.3]))
        .body("sled", PlanarBody::new(2.0, 0.3).at([-0.4, 0.1], 0.6))
        .constraint("wire", Formula::phi("bead.y - bead.x^2 - 0.1*sin(t)").unwrap())
        .constraint("blade", Formula::psi("sled.vy*cos(sled.theta) - sled.vx*sin(sled.theta)").unwrap())
        .force("pull", pull);

    // The same bodies with Euler parameters, whose norms are rows; and a set reduced to two shapes beside them.
    let mut described = chain.clone();
    for b in &mut described.bodies {
        if let BodyKind::Rigid(rigid) = &b.item {
            b.item = EulerParameters { rigid: rigid.clone() }.into();
        }
    }
    described
        .body("plate", PlanarBody::new(1.0, 0.2).at([2.5, 0.0], 0.3))
        .body("mass", PointMass::new(0.4, [2.5, 0.0, -1.0]))
        .body(
            "set",
            RitzReduction::new(
                ["plate", "mass"],
                vec![vec![1.0, 0.0, 0.2, 0.0, 1.0, 0.0], vec![0.0, 1.0, 0.0, 1.0, 0.0, 0.5]],
            ),
        )
        .constraint("link", Relation::rod("bob", "mass", 0.5));
    let list = [
        ("Euler parameters and a reduced set", described),
        ("formulas", formulas),
        ("chain and rope", chain),
        ("planar four-bar", four_bar(false)),
        ("four-bar with redundant rows", four_bar(true)),
        ("one joint given twice", twice),
        ("driven four-bar", driven),
        ("rolling disc", wheel),
    ];
    let ready = list.into_iter().map(|(name, spec)| {
        let model = spec.build().unwrap_or_else(|e| panic!("{name}: {e}"));
        let mut state = model.initial_state();
        state.v.iter_mut().enumerate().for_each(|(i, v)| *v = 0.4 + 0.3 * (i as f64).sin());
        let state =
            assemble(&model, &state, &AssemblySettings::default()).unwrap_or_else(|e| panic!("{name}: {e}")).state;
        (name, model, state)
    });
    ready.collect()
}

/// v̇ of Gauss' principle by dense algebra: M v̇ = f + Aᵀλ, λ = (A M⁻¹ Aᵀ)⁺ (b − A M⁻¹ f).
// [FumagalliMasarati2009] eq. (39)
fn reference(d: &Dynamics) -> DVector<f64> {
    let (M, A) = (d.eq.dense_mass(), d.eq.dense_jacobian());
    let (f, b) = (DVector::from_column_slice(&d.eq.f), DVector::from_column_slice(&d.eq.b));
    let inverse = M.try_inverse().unwrap();
    let S = &A * &inverse * A.transpose();
    let lambda = S.pseudo_inverse(1e-9).unwrap() * (b - &A * &inverse * &f);
    inverse * (f + A.transpose() * lambda)
}

#[test]
fn every_formulation_and_drift_control_gives_the_same_accelerations() {
    for (name, model, state) in mechanisms() {
        let ones = vec![2.0; model.sizes.v];
        let drifts = [
            DriftControl::None,
            DriftControl::Projection(ProjectionWeight::Mass),
            DriftControl::Projection(ProjectionWeight::Identity),
            DriftControl::Projection(ProjectionWeight::Diagonal(ones)),
            DriftControl::RatesOnly(ProjectionWeight::Mass),
            DriftControl::Threshold(Threshold { weight: ProjectionWeight::Identity, above: 1e-9 }),
            DriftControl::baumgarte(5.0, 4.0),
            DriftControl::BraunGoldfarb(Gain::Fixed(10.0)),
            DriftControl::GearGuptaLeimkuhler(ProjectionWeight::Identity),
            DriftControl::Energy(ProjectionWeight::Mass),
            DriftControl::FullProjection(ProjectionWeight::Mass),
        ];
        for &method in Method::ALL {
            for drift in &drifts {
                let choice = SolverSettings { method, drift: drift.clone(), ..SolverSettings::default() };
                let mut d = Dynamics::at(&model, &state, &choice);
                if d.unsupported_reason().is_some() || d.exactness() == Exactness::Penalised {
                    continue;
                }
                d.solve_accelerations(state.t, &state.q, &state.v, &state.z).unwrap();
                let expected = reference(&d);
                let error = (0..model.sizes.v).fold(0.0_f64, |e, i| e.max((d.vdot[i] - expected[i]).abs()));
                let size = 1.0 + expected.amax();
                assert!(error < 1e-8 * size, "{name}, {method:?}, {drift:?}: v̇ is off by {error:e}");
                // λ balances the motion: M v̇ = f + Aᵀλ.
                let (mut left, mut right) = (vec![0.0; model.sizes.v], d.eq.f.clone());
                d.eq.mass_times(&d.vdot, &mut left);
                d.eq.add_jacobian_transpose_times(&d.lambda, &mut right);
                let unbalanced = left.iter().zip(&right).fold(0.0_f64, |e, (l, r)| e.max((l - r).abs()));
                assert!(unbalanced < 1e-9 * size, "{name}, {method:?}, {drift:?}: unbalanced by {unbalanced:e}");
            }
        }
    }
}

#[test]
fn every_resetting_drift_control_restores_the_constraints() {
    for (name, model, state) in mechanisms() {
        let ones = vec![2.0; model.sizes.v];
        for weight in [ProjectionWeight::Mass, ProjectionWeight::Identity, ProjectionWeight::Diagonal(ones)] {
            let choice =
                SolverSettings { drift: DriftControl::Projection(weight.clone()), ..SolverSettings::default() };
            let mut d = Dynamics::new(&model, &choice);
            let mut y = vec![0.0; d.dimension()];
            d.pack(&state, &mut y);
            y.iter_mut()
                .take(model.sizes.q + model.sizes.v)
                .enumerate()
                .for_each(|(i, y)| *y += 1e-5 * (i as f64).cos());
            let reset = d.project_output(state.t, &mut y).unwrap();
            assert!(reset.phi_before > 1e-7, "{name}: it did not stray");
            assert!(reset.phi < 1e-12 && reset.phidot < 1e-10, "{name}, {weight:?}: {reset:?}");
        }
        // Without one nothing is touched.
        let mut d = Dynamics::new(&model, &SolverSettings { drift: DriftControl::None, ..SolverSettings::default() });
        let mut y = vec![0.0; d.dimension()];
        d.pack(&state, &mut y);
        let before = y.clone();
        assert!(d.end_step(state.t, &mut y).is_none() && y == before, "{name}");
    }
}

/// The pendulum of [Masarati2010] §4.1 as a non-symmetric subsystem and as a particle on a rod.
#[derive(Debug)]
struct Skewed;

impl Subsystem for Skewed {
    fn coordinates(&self) -> Vec<Quantity> {
        vec![Quantity::new("x", "m"), Quantity::new("y", "m")]
    }
    fn initial_state(&self, q: &mut [f64], _v: &mut [f64], _z: &mut [f64]) {
        q[0] = 1.0;
    }
    // Rows of m q̈ = f combined: (row 1) + 0.3 (row 2).
    fn mass_matrix(&self, _q: &[f64], M: &mut [f64]) {
        M.copy_from_slice(&[1.0, 0.0, 0.3, 1.0]);
    }
    fn symmetry(&self) -> Symmetry {
        Symmetry::NonSymmetric
    }
    fn forces(&self, _t: f64, _q: &[f64], _v: &[f64], _z: &[f64], f: &mut [f64], _zdot: &mut [f64]) {
        f.copy_from_slice(&[-0.3 * 9.81, -9.81]);
    }
}

#[test]
fn non_symmetric_bodies_solve_their_own_equations() {
    let mut spec = Spec::new();
    spec.body("odd", Skewed).constraint(
        "fix",
        Relation::driver(Measure::coordinate("odd.x"), Prescription::Position(Signal::constant(1.0))),
    );
    let model = spec.build().unwrap();
    for drift in [
        DriftControl::None,
        DriftControl::Projection(ProjectionWeight::Mass),
        DriftControl::Projection(ProjectionWeight::Identity),
    ] {
        let mut d = Dynamics::new(&model, &SolverSettings { drift, ..SolverSettings::default() });
        let s = model.initial_state();
        d.solve_accelerations(0.0, &s.q, &s.v, &s.z).unwrap();
        assert!(d.vdot[0].abs() < 1e-12 && (d.vdot[1] + 9.81).abs() < 1e-12, "{:?}", d.vdot);
    }
}
