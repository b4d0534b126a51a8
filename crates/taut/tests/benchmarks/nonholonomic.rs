//! Rolling and cutting edges: the disc on its circle, Chaplygin's sleigh.

use crate::common;

use common::{below, close, run, taut, values, worst};
use taut::analyses::Transient;
use taut::{Frame, KnifeEdge, Orientation, PlanarBody, RigidBody, Rolling, Spec};

/// A thin disc leaning inwards by 5° as it rolls round a circle of 0.5 m: steady motion after Le Saux, Leine and
/// Glocker (2005), data of cardilloproject/cardillo, examples/rolling_disc.
#[test]
fn disc_rolls_round_a_circle() {
    const G: f64 = 9.81;
    let (m, r, track) = (0.3048, 0.05, 0.5);
    let (s, c) = 5.0_f64.to_radians().sin_cos();
    let rho: f64 = r / track;
    // γ̇² = 4 (g/r) sin β / ((6 − 5 ρ sin β) ρ cos β), α̇ = −ρ γ̇
    let spin = (4.0 * G / r * s / ((6.0 - 5.0 * rho * s) * rho * c)).sqrt();
    let turn = -rho * spin;
    close("steady spin", &[spin, turn], &[10.7364981632612, -1.0736498163261199], 1e-12);
    let period = std::f64::consts::TAU / turn.abs();
    let radius = track - r * s;
    close("steady circle", &[period, radius], &[5.852173782956319, 0.4956422128626171], 1e-12);

    // The axis stands across the track and leans with the disc; the contact starts on the x axis.
    let axis = [c, 0.0, s];
    let w = [spin * axis[0], 0.0, turn + spin * axis[2]];
    let disc = RigidBody::new(m, [m * r * r / 4.0, m * r * r / 4.0, m * r * r / 2.0])
        .at([radius, 0.0, r * c])
        .oriented(Orientation::Axes { z: axis, x: Some([0.0, 1.0, 0.0]) })
        .moving([0.0, turn * radius, 0.0], w);
    let mut spec = Spec::new();
    spec.gravity([0.0, 0.0, -G]).body("disc", disc).constraint("rolling", Rolling::disc("ground", "disc", r));
    let model = spec.build().unwrap();
    let s = run(&model, &Transient::to(period).every(0.01).tolerance(1e-12, 1e-12));
    for (i, t) in s.t().iter().enumerate() {
        let v = |n: &str| s.column(n).unwrap()[i];
        let (sin, cos) = (turn * t).sin_cos();
        let expected = [radius * cos, radius * sin, r * c];
        close("disc centre", &[v("disc.x"), v("disc.y"), v("disc.z")], &expected, 1e-9);
        // The ground carries the weight and bends the path: N = m g, inwards m radius α̇².
        let inwards = -m * radius * turn * turn;
        let expected = [inwards * cos, inwards * sin, m * G];
        close("ground on disc", &[v("rolling.fx"), v("rolling.fy"), v("rolling.fz")], &expected, 1e-8);
    }
    let back = values(&s, ["disc.x", "disc.y", "disc.z", "disc.vx", "disc.vy", "disc.vz"], period);
    close("disc returns", &back, &[radius, 0.0, r * c, 0.0, turn * radius, 0.0], 1e-9);
    below("disc energy", worst(&s, "energy.balance"), 1e-12);
    taut("disc", &s, 1e-14, 1e-13);
}

#[test]
fn a_wobbling_disc_keeps_its_energy() {
    // Pushed aside at the start it leans and swerves; the ground does no work.
    let mut spec = Spec::new();
    let disc = RigidBody::new(0.3048, [1.905e-4, 1.905e-4, 3.81e-4])
        .at([0.0, 0.0, 0.05])
        .oriented(Orientation::Axes { z: [0.0, 1.0, 0.0], x: Some([1.0, 0.0, 0.0]) })
        .moving([0.5, 0.0, 0.0], [0.3, 10.0, 0.8]);
    spec.gravity([0.0, 0.0, -9.81]).body("disc", disc).constraint("rolling", Rolling::disc("ground", "disc", 0.05));
    let model = spec.build().unwrap();
    // Leaning over at 0.3 rad/s without slip, the centre moves sideways.
    let mut start = model.initial_state();
    start.v[1] = -0.3 * 0.05;
    let s = taut::analyses::simulate(&model, &start, &Transient::to(10.0).every(0.01).tolerance(1e-11, 1e-11)).unwrap();
    assert!(s.warnings.is_empty(), "{:?}", s.warnings);
    below("wobbling disc energy", worst(&s, "energy.balance"), 1e-11);
    taut("wobbling disc", &s, 1e-13, 1e-12);
    let (low, high) = s.column("disc.z").unwrap().iter().fold((1.0_f64, 0.0_f64), |(a, b), z| (a.min(*z), b.max(*z)));
    assert!(low < 0.0499 && high <= 0.05 + 1e-12, "it leans: {low} {high}");
}

/// v, ω, heading, x and y of the edge: v̇ = a ω², (I + m a²) ω̇ = −m a v ω, converged; \[NeimarkFufaev1972\].
const SLEIGH: [(f64, [f64; 5]); 5] = [
    (1.0, [1.6731918263720962, 0.9746177974577398, 1.4672312856068985, 0.8235010280523392, 1.003301201874242]),
    (2.0, [1.807301740160162, 0.3984300121728921, 2.11490969587312, 0.35850778560560753, 2.6688520656065173]),
    (5.0, [1.8329337264623333, 0.02449331963264739, 2.5181189730939164, -3.6639663601011763, 6.349650348860543]),
    (10.0, [1.8330302693340144, 0.00023181405342548444, 2.544149716096388, -11.213672774108021, 11.5455507711644]),
    (20.0, [1.8330302779823375, 2.0763526502470957e-8, 2.544398408190017, -26.37102982430504, 21.853534386158156]),
];

#[test]
fn chaplygin_sleigh_from_either_point() {
    let (m, i, a) = (1.0, 0.5, 0.3);
    for from_edge in [true, false] {
        let (body, edge) = if from_edge {
            (PlanarBody::new(m, i).com([a, 0.0]).moving([1.0, 0.0], 2.0), [0.0; 3])
        } else {
            (PlanarBody::new(m, i).at([a, 0.0], 0.0).moving([1.0, 2.0 * a], 2.0), [-a, 0.0, 0.0])
        };
        let mut spec = Spec::new();
        spec.body("sleigh", body)
            .marker("sleigh.edge", Frame::at(edge))
            .constraint("blade", KnifeEdge::new("ground", "sleigh.edge"));
        let s = run(&spec.build().unwrap(), &Transient::to(20.0).every(0.5).tolerance(1e-12, 1e-12));
        for (t, [v, w, heading, x, y]) in SLEIGH {
            let [vx, vy] = values(&s, ["sleigh.edge.vx", "sleigh.edge.vy"], t);
            let found = values(&s, ["sleigh.omega", "sleigh.theta", "sleigh.edge.x", "sleigh.edge.y"], t);
            close(&format!("sleigh speed at {t}"), &[vx.hypot(vy)], &[v], 1e-10);
            close(&format!("sleigh at {t}"), &found, &[w, heading, x, y], 1e-9);
        }
        // All energy ends in the straight motion.
        let v_end: f64 = (1.0 + (i + m * a * a) * 4.0 / m).sqrt();
        assert!((v_end - 1.833030277982336).abs() < 1e-15);
        below("sleigh energy", worst(&s, "energy.balance"), 1e-11);
        taut("sleigh", &s, 1e-15, 1e-13);
        // The blade bears m (v ω + a ω̇) across itself.
        for t in [1.0, 2.0, 5.0] {
            let [vx, vy, w, alpha, theta] =
                values(&s, ["sleigh.edge.vx", "sleigh.edge.vy", "sleigh.omega", "sleigh.alpha", "sleigh.theta"], t);
            let across = m * (vx.hypot(vy) * w + a * alpha);
            let [fx, fy] = values(&s, ["blade.fx", "blade.fy"], t);
            close("blade", &[fx, fy], &[-across * theta.sin(), across * theta.cos()], 1e-9);
        }
    }
}
