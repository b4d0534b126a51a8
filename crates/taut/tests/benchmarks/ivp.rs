//! Andrews' squeezer and the car axis of the Test Set for IVP Solvers (Mazzia & Magherini, Bari), and the squeezer as
//! problem A03 of the IFToMM library.
//!
//! Data and published values as ported in rforge/bvpsolve (pkg/deTestSet, Ex_andrews.f, Ex_car.f) on GitHub; the other
//! values are from converged integrations of the problems' own equations with projection. The published end values
//! of the squeezer differ from those by up to 1.4e-9 rad, 4e-10 of the largest rate and 1.3e-6 of the multipliers, and
//! are requested with those digits only.

use crate::common;

use common::{below, close, rk4, run, taut, value, values, worst};
use taut::analyses::{Transient, rank};
use taut::constraints::{MarkerReference, UserConstraint, UserHolonomic, UserPlace};
use taut::forces::{Applied, Spring, UserForce};
use taut::motion::{Vec3, Wrench};
use taut::scalar::Scalar;
use taut::{Frame, Joint, Model, PlanarBody, PointMass, Signal, Solution, Spec};

const A: [f64; 2] = [-0.06934, -0.00227];
const B: [f64; 2] = [-0.03635, 0.03273];
const C: [f64; 2] = [0.014, 0.072];
const TORQUE: f64 = 0.033;

/// The squeezer in a pose of the angles β, Θ, γ, Φ, δ, Ω, ε of the test set, at rest.
///
/// Each body has the reference point and the axes that make its angle one of β, β+Θ, γ, Φ+δ, δ, Ω+ε, ε.
fn squeezer([beta, theta, gamma, phi, delta, omega, epsilon]: [f64; 7]) -> Model {
    let along = |[x, y]: [f64; 2], angle: f64, d: f64| [x + d * angle.cos(), y + d * angle.sin()];
    let f = along([0.0, 0.0], beta, 0.007);
    let g = along(A, delta, 0.04);
    let h = along(A, epsilon - std::f64::consts::FRAC_PI_2, 0.04);
    let at = |x: f64, y: f64| Frame::at([x, y, 0.0]);
    let mut spec = Spec::new();
    spec.body("of", PlanarBody::new(0.04325, 2.194e-6).com([0.00092, 0.0]).at([0.0, 0.0], beta))
        .body("fe", PlanarBody::new(0.00365, 4.41e-7).com([-0.0115, 0.0]).at(f, beta + theta))
        .body("bde", PlanarBody::new(0.02373, 5.255e-6).com([0.01043, -0.01874]).at(B, gamma))
        .body("eg", PlanarBody::new(0.00706, 5.667e-7).com([0.0, -(0.02 - 0.01421)]).at(g, phi + delta))
        .body("ag", PlanarBody::new(0.0705, 1.169e-5).com([0.02308, 0.00916]).at(A, delta))
        .body("eh", PlanarBody::new(0.00706, 5.667e-7).com([0.02 - 0.01421, 0.0]).at(h, omega + epsilon))
        .body("ah", PlanarBody::new(0.05498, 1.912e-5).com([-0.00449, -0.01228]).at(A, epsilon))
        .marker("ground.a", at(A[0], A[1]))
        .marker("ground.b", at(B[0], B[1]))
        .marker("ground.c", at(C[0], C[1]))
        .marker("of.f", at(0.007, 0.0))
        .marker("fe.e", at(-0.028, 0.0))
        .marker("bde.e", at(0.0, -0.035))
        .marker("bde.d", at(0.02, -0.018))
        .marker("eg.e", at(0.0, -0.02))
        .marker("ag.g", at(0.04, 0.0))
        .marker("eh.e", at(0.02, 0.0))
        .marker("ah.h", at(0.0, -0.04))
        .constraint("o", Joint::pin("ground", "of"))
        .constraint("f", Joint::pin("of.f", "fe"))
        .constraint("b", Joint::pin("ground.b", "bde"))
        .constraint("a1", Joint::pin("ground.a", "ag"))
        .constraint("g", Joint::pin("ag.g", "eg"))
        .constraint("a2", Joint::pin("ground.a", "ah"))
        .constraint("h", Joint::pin("ah.h", "eh"))
        .constraint("e1", Joint::pin("fe.e", "bde.e"))
        .constraint("e2", Joint::pin("fe.e", "eg.e"))
        .constraint("e3", Joint::pin("fe.e", "eh.e"))
        .force("spring", Spring::linear("ground.c", "bde.d", 4530.0, 0.0, 0.07785))
        .force("motor", Applied::torque("of", [0.0, 0.0, TORQUE].map(Signal::constant)));
    spec.build().unwrap()
}

/// The seven angles of the test set, or their rates, from those of the bodies.
fn test_set(s: &Solution, what: &str, t: f64) -> [f64; 7] {
    let [of, fe, bde, eg, ag, eh, ah] =
        ["of", "fe", "bde", "eg", "ag", "eh", "ah"].map(|body| value(s, &format!("{body}.{what}"), t));
    [of, fe - of, bde, eg - ag, ag, eh - ah, ah]
}

const START: [f64; 7] = [
    -0.06171389001427645,
    0.0,
    0.45527981916307037,
    0.22266839016588588,
    0.48736497954384256,
    -0.22266839016588588,
    1.2305474445498212,
];

#[test]
fn andrews_squeezer_of_the_test_set() {
    let model = squeezer(START);
    let found = rank(&model, &model.initial_state()).unwrap();
    assert_eq!((found.rows, found.rank, found.freedoms), (20, 20, 1));
    let s = run(&model, &Transient::to(0.03).every(0.001).tolerance(1e-13, 1e-13));

    // At the start, known to all digits.
    let acceleration = test_set(&s, "alpha", 0.0);
    close("accelerations at 0", &acceleration[..2], &[14222.443919954114, -10666.832939965585], 1e-8);
    close("multipliers at 0", &values(&s, ["e1.fx", "e1.fy"], 0.0), &[98.56687039624109, -6.122688344255662], 1e-11);

    // Converged values at the end.
    let q = [
        15.81077119515353,
        -15.756371058411618,
        0.040822240119644033,
        -0.534730116342083,
        0.5244099658799541,
        0.5347301163420829,
        1.0480807410419377,
    ];
    let v = [
        1139.9203022590984,
        -1424.379295177534,
        11.032911910568158,
        19.293374104943844,
        0.5735699148268713,
        -19.293374104943837,
        0.3231791492476118,
    ];
    let a = [
        -24631.76312269871,
        51850.319636192355,
        324102.60070758156,
        566749.4220010006,
        16743.63541834712,
        -566749.4220010006,
        9826.507801539645,
    ];
    let lambda = [
        199.1753481045392,
        -29.75530997495739,
        23.066543611622496,
        31.452725275774153,
        22.642494786394614,
        11.617392352606375,
    ];
    let multipliers = || values(&s, ["e1.fx", "e1.fy", "e2.fx", "e2.fy", "e3.fx", "e3.fy"], 0.03);
    close("angles", &test_set(&s, "theta", 0.03), &q, 1e-11);
    close("rates", &test_set(&s, "omega", 0.03), &v, 1e-8);
    close("accelerations", &test_set(&s, "alpha", 0.03), &a, 1e-4);
    close("multipliers", &multipliers(), &lambda, 1e-8);

    // The published ones, with their own digits.
    let q = [
        15.81077119629904,
        -15.75637105984298,
        0.04082224013073101,
        -0.5347301163226948,
        0.5244099658805303,
        0.5347301163226948,
        1.048080741042263,
    ];
    let v = [
        1139.920302151208,
        -1424.379294994111,
        11.03291221937134,
        19.29337464421385,
        0.5735699284790808,
        -19.29337464421385,
        0.3231791658026955,
    ];
    let lambda = [
        199.175333373191,
        -29.75531228015052,
        23.06654119098399,
        31.45271365475927,
        22.64249232082739,
        11.61740700019673,
    ];
    close("published angles", &test_set(&s, "theta", 0.03), &q, 2e-9);
    close("published rates", &test_set(&s, "omega", 0.03), &v, 1e-6);
    close("published multipliers", &multipliers(), &lambda, 2e-5);

    below("squeezer energy", worst(&s, "energy.balance"), 1e-12);
    taut("squeezer", &s, 1e-14, 1e-12);
}

/// β, x and y of F, β̇ of the run from β = −0.062, by a converged integration of the test set's equations.
const A03: [(f64, [f64; 4]); 6] = [
    (0.0, [-0.061999999999999875, 0.0069865503092124805, -0.00043372200410285677, 0.0]),
    (0.01, [2.1533813401990223, -0.0038512905936274695, 0.005845302452691099, 709.9528894449415]),
    (0.02, [8.178115005483445, -0.0022294118345318453, 0.00663548964825124, 724.9046532959824]),
    (0.03, [15.800174670662413, -0.006970260781768238, -0.0006445654614883121, 1140.1039755504526]),
    (0.04, [24.36806492575019, 0.005051245442673015, -0.004846124170703337, 782.4159682965105]),
    (0.05, [33.81534072135951, -0.005158985250185538, 0.004731265284082902, 1140.942733446873]),
];

#[test]
fn a03_squeezer() {
    let model = squeezer([
        -0.062,
        0.00021458685379946926,
        0.4552798121003701,
        0.2226683759030275,
        0.48736498114063287,
        -0.22266837590302693,
        1.2305474391566007,
    ]);
    let s = run(&model, &Transient::to(0.05).every(0.001).tolerance(1e-13, 1e-13));
    for (t, [beta, x, y, rate]) in A03 {
        close(&format!("A03 beta at {t}"), &[value(&s, "of.theta", t)], &[beta], 1e-10);
        close(&format!("A03 F at {t}"), &values(&s, ["of.f.x", "of.f.y"], t), &[x, y], 1e-12);
        close(&format!("A03 rate at {t}"), &[value(&s, "of.omega", t)], &[rate], 1e-7);
    }
    close("A03 energy at 0", &[value(&s, "energy.potential", 0.0)], &[1.4357963779438716], 1e-12);
    below("A03 energy", worst(&s, "energy.balance"), 1e-11);
    // The work is the torque times the angle.
    for i in 0..s.len() {
        let turned = s.column("of.theta").unwrap()[i] + 0.062;
        assert!((s.column("energy.work").unwrap()[i] - TORQUE * turned).abs() < 1e-11);
    }
    taut("A03", &s, 1e-14, 1e-12);
}

const R: f64 = 0.1;
const L: f64 = 1.0;
const REST: f64 = 0.5;
/// M ε² / 2 with M = 10, ε = 0.01.
const K: f64 = 5e-4;

/// xl xb + yl yb = 0 and (xl − xr)² + (yl − yr)² = L², so that the multipliers are those of the test set.
#[derive(Debug)]
struct Axle;

impl UserHolonomic for Axle {
    fn rows(&self) -> usize {
        2
    }
    fn phi<S: Scalar>(&self, t: S, at: &[UserPlace<S>], out: &mut [S]) {
        let (l, r) = (at[0].p, at[1].p);
        let yb = (t * 10.0).sin() * R;
        let xb = (-(yb * yb) + L * L).sqrt();
        out[0] = l[0] * xb + l[1] * yb;
        out[1] = (l[0] - r[0]).powi(2) + (l[1] - r[1]).powi(2) - L * L;
    }
}

fn car_axis() -> Model {
    let ends = [MarkerReference::frame("l"), MarkerReference::frame("r")];
    // The right wheel's spring stands on a road that moves with time.
    let road = |at: &taut::constraints::ElementInput, on: &mut [Wrench]| {
        let yb = R * (10.0 * at.t).sin();
        let d = at[0].p - Vec3::new((L * L - yb * yb).sqrt(), yb, 0.0);
        on[0] = Wrench::force(d * ((REST - d.norm()) / d.norm()));
    };
    let mut spec = Spec::new();
    spec.gravity([0.0, -1.0, 0.0])
        .body("l", PointMass::new(K, [0.0, 0.5, 0.0]).moving([-0.5, 0.0, 0.0]))
        .body("r", PointMass::new(K, [1.0, 0.5, 0.0]).moving([-0.5, 0.0, 0.0]))
        .constraint("axle", UserConstraint::holonomic(&ends, Axle))
        .force("left", Spring::linear("ground", "l", 1.0, 0.0, REST))
        .force("right", UserForce::closure(&[MarkerReference::frame("r")], road));
    spec.build().unwrap()
}

#[test]
fn car_axis_of_the_test_set() {
    let model = car_axis();
    let s = run(&model, &Transient::to(3.0).every(0.1).tolerance(1e-13, 1e-13));
    let found = values(&s, ["l.x", "l.y", "r.x", "r.y", "l.vx", "l.vy", "r.vx", "r.vy"], 3.0);
    let lambda = values(&s, ["axle.lambda_1", "axle.lambda_2"], 3.0);
    // Converged, and published.
    let expected = [
        0.049345578427524045,
        0.4969894602300076,
        1.0417425248854246,
        0.3739110272653544,
        -0.07705836840358442,
        0.007446866592144703,
        0.017556815753440504,
        0.7703410437787305,
    ];
    let published = [
        0.04934557842754028,
        0.49698946023017115,
        1.0417425248854215,
        0.37391102726536124,
        -0.07705836840409723,
        0.007446866587237785,
        0.017556815753723223,
        0.7703410437792519,
    ];
    close("car axis positions", &found[..4], &expected[..4], 1e-12);
    close("car axis velocities", &found[4..], &expected[4..], 1e-10);
    close("car axis multipliers", &lambda, &[-0.004736886590852047, -0.0011046803312589207], 1e-13);
    close("published positions", &found[..4], &published[..4], 1e-12);
    close("published velocities", &found[4..], &published[4..], 1e-10);
    close("published multipliers", &lambda, &[-0.004736886590848933, -0.0011046803312573436], 1e-13);
    // The constraints of the two wheels leave no freedom.
    assert!(worst(&s, "l.z") == 0.0 && worst(&s, "r.z") == 0.0);
    below("car axis energy", worst(&s, "energy.balance"), 1e-12);
    taut("car axis", &s, 1e-14, 1e-12);
}

#[test]
fn slider_with_a_pendulum() {
    // utest_CH_slider_pend.cpp of projectchrono/chrono: a mass on a spring along x, a pendulum hung from it.
    let mut spec = Spec::new();
    spec.gravity([0.0, -10.0, 0.0])
        .body("slider", PlanarBody::new(1.0, 1.0))
        .body("pendulum", PlanarBody::new(1.0, 1.0).at([0.5, 0.0], 0.0))
        .marker("pendulum.top", Frame::at([-0.5, 0.0, 0.0]))
        .constraint("guide", Joint::slider("ground", "slider"))
        .constraint("hinge", Joint::pin("slider", "pendulum.top"))
        .force(
            "spring",
            Spring::new(taut::Measure::coordinate("slider.x"), taut::signals::ForceLaw::linear(10.0, 0.0, 0.0)),
        );
    let s = run(&spec.build().unwrap(), &Transient::to(10.0).every(0.1).tolerance(1e-12, 1e-12));
    let truth = [
        (1.0, [0.2450293429176812, -1.812918418362241]),
        (2.0, [-0.315911924167489, -2.873253770907338]),
        (3.0, [-0.22712450880981255, -0.9618518062885748]),
        (5.0, [-0.5045374625935257, -2.161149245960073]),
        (10.0, [0.1277139658896907, -1.6267789100038426]),
    ];
    for (t, expected) in truth {
        close(&format!("slider at {t}"), &values(&s, ["slider.x", "pendulum.theta"], t), &expected, 1e-9);
    }
    below("slider energy", worst(&s, "energy.balance"), 1e-10);

    // The same two coordinates by their Lagrange equations and a plain integrator.
    let f = |_: f64, [x, phi, dx, dphi]: &[f64; 4]| {
        let (s, c) = phi.sin_cos();
        // [2, −s/2; −s/2, 1 + 1/4] (ẍ, φ̈) = (−10 x + c/2 φ̇², −5 c)
        let (a, b) = (-10.0 * x + 0.5 * c * dphi * dphi, -5.0 * c);
        let det = 2.5 - 0.25 * s * s;
        [*dx, *dphi, (1.25 * a + 0.5 * s * b) / det, (0.5 * s * a + 2.0 * b) / det]
    };
    let own = rk4(f, [0.0; 4], 2e-4, 50_000, 500);
    for (i, [x, phi, dx, dphi]) in own.into_iter().enumerate() {
        let names = ["slider.x", "pendulum.theta", "slider.vx", "pendulum.omega"];
        close("slider, own", &values(&s, names, 0.1 * i as f64), &[x, phi, dx, dphi], 1e-9);
    }
}
