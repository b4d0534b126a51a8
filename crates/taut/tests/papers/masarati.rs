//! \[Masarati2010\] §4.1, the pendulum, and §4.3: flap and pitch of a blade, tied by a rigid pitch link.

use crate::common::{below, close, largest, run, taut, value, values, worst};
use std::f64::consts::FRAC_PI_2;
use taut::analyses::{Integrator, Output, Transient};
use taut::bodies::{BodyKind, Quantity, Subsystem, SubsystemBody};
use taut::constraints::{MarkerReference, UserConstraint, UserHolonomic, UserPlace};
use taut::drift::DriftControl;
use taut::dynamics::SolverSettings;
use taut::scalar::Scalar;
use taut::{Model, PointMass, Relation, Solution, Spec};

/// x and z by Jacobi's sn, from rest at x = 1; 30 digits.
const PENDULUM: [(f64, [f64; 2]); 5] = [
    (0.5, [0.3910487915505464, -0.9203699487851922]),
    (1.0, [-0.9862917511318753, -0.16501085312554117]),
    (2.0, [0.7935661953433217, -0.6084839304437916]),
    (5.0, [0.9423054350437573, -0.3347543384140006]),
    (10.0, [0.2750874625761169, -0.961419205099125]),
];

fn pendulum() -> Model {
    let mut spec = Spec::new();
    spec.gravity([0.0, 0.0, -9.81])
        .body("mass", PointMass::new(1.0, [1.0, 0.0, 0.0]))
        .constraint("rod", Relation::rod("ground", "mass", 1.0));
    spec.build().unwrap()
}

/// The settings of the paper: Dormand and Prince's pair, steps up to 0.1 s, 10 s.
fn paper(tolerance: (f64, f64), drift: DriftControl) -> Transient {
    Transient::to(10.0)
        .integrator(Integrator::DormandPrince)
        .tolerance(tolerance.0, tolerance.1)
        .largest_step(0.1)
        .first_step(0.01)
        .output(Output::Steps)
        .choice(SolverSettings { drift, ..SolverSettings::default() })
}

/// Largest | |x| − 1 | and |x·v| / |x| over the outputs, from the state alone.
fn drift_of(s: &Solution) -> (f64, f64) {
    let c = |n: &str, i: usize| s.column(&format!("mass.{n}")).unwrap()[i];
    let length = |i: usize| c("x", i).hypot(c("z", i));
    let rate = |i: usize| (c("x", i) * c("vx", i) + c("z", i) * c("vz", i)) / length(i);
    (largest((0..s.len()).map(|i| length(i) - 1.0)), largest((0..s.len()).map(rate)))
}

/// The state at 10 s.
fn end(s: &Solution) -> [f64; 2] {
    [s.last("mass.x").unwrap(), s.last("mass.z").unwrap()]
}

#[test]
fn pendulum_without_drift_control() {
    // A correct control of the largest component makes 950 steps at 1e-9 and lets the length go by 3.6e-9 m; the
    // root mean square over six components, two of them idle, is some five times less strict, hence fewer steps.
    let s = run(&pendulum(), &paper((1e-9, 1e-9), DriftControl::None));
    let (length, rate) = drift_of(&s);
    assert!((1e-10..1e-7).contains(&length) && (1e-11..1e-7).contains(&rate), "{length} {rate}");
    // The columns say the same as the state.
    close(
        "none, 1e-9, residuals",
        &["position", "velocity"].map(|l| worst(&s, &format!("residual.{l}"))),
        &[length, rate],
        1e-14,
    );
    assert!((600..1100).contains(&s.statistics.steps), "{:?}", s.statistics);
    close("none, 1e-9, at 10", &end(&s), &PENDULUM[4].1, 5e-7);
    below("none, 1e-9, energy", worst(&s, "energy.balance"), 5e-7);

    let loose = run(&pendulum(), &paper((1e-3, 1e-6), DriftControl::None));
    let (length, _) = drift_of(&loose);
    assert!((1e-3..1e-1).contains(&length), "{length}");
    // Tightening helps the baseline too, against what the paper says.
    assert!(worst(&loose, "energy.balance") > 1e4 * worst(&s, "energy.balance"));
}

#[test]
fn pendulum_with_projection() {
    let s = run(&pendulum(), &paper((1e-9, 1e-9), DriftControl::default()));
    let (length, rate) = drift_of(&s);
    below("projection, 1e-9, length", length, 1e-15);
    below("projection, 1e-9, rate", rate, 1e-14);
    taut("projection, 1e-9", &s, 1e-15, 1e-14);
    assert!((600..1100).contains(&s.statistics.steps), "{:?}", s.statistics);
    close("projection, 1e-9, at 10", &end(&s), &PENDULUM[4].1, 5e-7);
    below("projection, 1e-9, energy", worst(&s, "energy.balance"), 5e-7);

    let loose = run(&pendulum(), &paper((1e-3, 1e-6), DriftControl::default()));
    let (length, rate) = drift_of(&loose);
    below("projection, 1e-3, length", length, 1e-15);
    below("projection, 1e-3, rate", rate, 1e-14);
    assert!((90..120).contains(&loose.statistics.steps), "{:?}", loose.statistics);
    below("projection, 1e-3, energy", worst(&loose, "energy.balance"), 1e-1);

    let times: Vec<f64> = PENDULUM.iter().map(|p| p.0).collect();
    let tight = run(&pendulum(), &Transient::to(10.0).at(times).tolerance(1e-13, 1e-13));
    for (t, xz) in PENDULUM {
        close(&format!("exact at {t}"), &values(&tight, ["mass.x", "mass.z"], t), &xz, 1e-10);
    }
}

const OMEGA: f64 = 40.0;

/// β and θ: Johnson's linear equations with the data of table 3 (1.0625 is the square of the frequency ratio).
#[derive(Debug)]
struct Blade;

impl Subsystem for Blade {
    fn coordinates(&self) -> Vec<Quantity> {
        vec![Quantity::new("beta", "rad"), Quantity::new("theta", "rad")]
    }
    fn initial_state(&self, _q: &mut [f64], _v: &mut [f64], _z: &mut [f64]) {}
    fn mass_matrix(&self, _q: &[f64], M: &mut [f64]) {
        M.copy_from_slice(&[416.67, -1.875e-2, -1.875e-2, 9.375e-2]);
    }
    fn forces(&self, t: f64, q: &[f64], v: &[f64], _z: &[f64], f: &mut [f64], _zdot: &mut [f64]) {
        let w2 = OMEGA * OMEGA;
        let moment = 1e4 * (OMEGA * t + FRAC_PI_2).cos() - 8.0 / 16.0 * OMEGA * 416.67 * v[0];
        f[0] = moment - 416.67 * w2 * 1.0625 * q[0] + 1.875e-2 * w2 * q[1];
        f[1] = -9.375e-2 * w2 * q[1] + 1.875e-2 * w2 * q[0];
    }
}

/// |x_A(β, θ) − x_B| − L.
#[derive(Debug)]
struct PitchLink;

impl UserHolonomic for PitchLink {
    fn rows(&self) -> usize {
        1
    }
    fn phi<S: Scalar>(&self, _t: S, at: &[UserPlace<S>], out: &mut [S]) {
        let (beta, theta) = (at[0].p[0], at[1].p[0]);
        let along = S::from(0.05);
        let (y, z) = (theta.cos() * 0.2, theta.sin() * 0.2);
        let dx = beta.cos() * along - beta.sin() * z + (0.2 - 0.25);
        let dz = beta.sin() * along + beta.cos() * z + 0.15;
        let dy = y - 0.2;
        out[0] = (dx * dx + dy * dy + dz * dz).sqrt() - 0.15;
    }
}

/// β, θ, β̇, θ̇ and the link's force, to 1e-12; the force is tension in the paper's sign, −λ here.
const HELICOPTER: [(f64, [f64; 4], f64); 7] = [
    (
        0.05,
        [-0.010230061841456622, 0.0025576073494469093, -0.3781723951277133, 0.09455328512638943],
        -2.792510966455441,
    ),
    (0.1, [-0.008382162728109736, 0.002095591240582095, 0.6159615677199488, -0.15400153398899666], 1.4088716700836716),
    (
        0.25,
        [-0.020576496898471876, 0.0051448710536729685, 0.7021100703294739, -0.17560390860954983],
        0.2248690197475112,
    ),
    (
        0.5,
        [0.008579226746311116, -0.0021448610141341427, -1.1310386652351567, 0.28278116140716475],
        -0.028571230233069525,
    ),
    (
        1.0,
        [-0.02245056192299079, 0.005613610315984412, -0.7818352172556979, 0.19556004331326007],
        -0.0020189082228910925,
    ),
    (
        1.5,
        [-0.027007134573568885, 0.006753471115997422, 0.5008053733198252, -0.12529512769094917],
        0.0009009482856923688,
    ),
    (
        2.0,
        [0.00040907012014729173, -0.00010226753592084645, 1.1906114970939066, -0.2976529256423601],
        0.00014013818009918637,
    ),
];

fn helicopter() -> Model {
    let mut spec = Spec::new();
    let seen = [
        MarkerReference::coordinate("blade.beta"),
        MarkerReference::coordinate("blade.theta"),
        MarkerReference::frame("ground"),
    ];
    spec.body("blade", BodyKind::Subsystem(SubsystemBody::new(Blade)))
        .constraint("link", UserConstraint::holonomic(&seen, PitchLink));
    spec.build().unwrap()
}

#[test]
fn helicopter_pitch_link() {
    let model = helicopter();
    let s = run(&model, &Transient::to(2.0).every(0.01).tolerance(1e-12, 1e-12));
    for (t, expected, force) in HELICOPTER {
        let names = ["blade.beta", "blade.theta", "blade.beta'", "blade.theta'"];
        close(&format!("blade at {t}"), &values(&s, names, t), &expected, 1e-9);
        close(&format!("link at {t}"), &[-value(&s, "link.lambda_1", t)], &[force], 1e-8);
    }
    taut("helicopter", &s, 1e-15, 1e-14);

    // The settings of the paper: as many steps as the largest step asks for, with and without drift control.
    for drift in [DriftControl::None, DriftControl::default()] {
        let settings = Transient::to(2.0)
            .integrator(Integrator::DormandPrince)
            .tolerance(1e-2, 1e-4)
            .largest_step(0.01)
            .first_step(0.01)
            .output(Output::Steps)
            .choice(SolverSettings { drift: drift.clone(), ..SolverSettings::default() });
        let s = run(&model, &settings);
        assert!((200..=205).contains(&s.statistics.steps), "{:?}", s.statistics);
        let (phi, rate) = (worst(&s, "residual.position"), worst(&s, "residual.velocity"));
        match drift {
            DriftControl::None => {
                assert!((1e-11..1e-9).contains(&phi) && (1e-10..1e-8).contains(&rate), "{phi} {rate}")
            }
            _ => assert!(phi < 1e-14 && rate < 1e-14, "{phi} {rate}"),
        }
    }
}
