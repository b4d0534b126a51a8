//! Tops: the fast heavy top, and the flip of a free body about its middle axis.

use crate::common;

use common::{below, close, run, taut, values, worst};
use taut::analyses::Transient;
use taut::motion::{Vec3, rotation_of_quaternion};
use taut::{Frame, Joint, RigidBody, Solution, Spec};

/// Quaternion (first component as given in sign), and ω along the body's axes.
fn attitude(s: &Solution, body: &str, t: f64, like: &[f64; 4]) -> ([f64; 4], [f64; 3]) {
    let names = ["qw", "qx", "qy", "qz"].map(|c| format!("{body}.{c}"));
    let mut q = names.each_ref().map(|n| common::value(s, n, t));
    let w = ["wx", "wy", "wz"].map(|c| common::value(s, &format!("{body}.{c}"), t));
    let w = rotation_of_quaternion(&q).tr_mul(&Vec3::from(w));
    if (0..4).map(|i| q[i] * like[i]).sum::<f64>() < 0.0 {
        q.iter_mut().for_each(|c| *c = -*c);
    }
    (q, w.into())
}

/// Quaternion, mass centre, ω along body axes. DOP853 at 1e-13 on Euler's equations; data of heavyTop.py in
/// jgerstmayr/EXUDYN.
type Moment = (f64, [f64; 4], [f64; 3], [f64; 3]);
const HEAVY: [Moment; 5] = [
    (
        0.2,
        [-0.7082791529743364, 0.4387810881265569, 0.5457283961454258, 0.08939975282388947],
        [0.6055505613769402, 0.5989576817950043, -0.5239830274301134],
        [-2.691590912141278, 150.0, 4.917260989895265],
    ),
    (
        0.5,
        [0.5845606240696655, -0.7006628954119618, 0.38432575302283256, 0.14019307880078255],
        [-0.7024682970567873, -0.02116518470143225, -0.7114002576515501],
        [-0.4710531017394719, 150.0, 5.90108304832487],
    ),
    (
        1.0,
        [0.7329439806798776, -0.2782857193381119, 0.5318246113336688, -0.32017614273614614],
        [0.1733439640981157, 0.6400885920701451, -0.7484907911340062],
        [-0.8220781016951075, 150.0, -5.923291348115624],
    ),
    (
        1.5,
        [0.0046925805065601055, -0.6122413674820436, 0.7906522691770629, 0.0027343878781749347],
        [-0.9681657156380006, 0.25030606213329787, -0.0014220838513333478],
        [0.3462137843582164, 150.0, 4.605359985335567],
    ),
    (
        2.0,
        [0.12294713504162054, -0.4910798925515985, 0.3504300303433193, -0.7879868875496268],
        [-0.15041682274652088, -0.7241655916372753, -0.6730222695598387],
        [0.12223321947295297, 150.0, -5.855624589203485],
    ),
];

#[test]
fn heavy_top_described_from_either_point() {
    let inertia = [0.234375, 0.46875, 0.234375];
    let spin = [0.0, 150.0, -4.61538];
    for from_centre in [true, false] {
        let (body, pivot, centre) = if from_centre {
            // ω × (0, 1, 0)
            let body = RigidBody::new(15.0, inertia).at([0.0, 1.0, 0.0]).moving([4.61538, 0.0, 0.0], spin);
            (body, [0.0, -1.0, 0.0], [0.0; 3])
        } else {
            let body = RigidBody::new(15.0, inertia).com([0.0, 1.0, 0.0]).moving([0.0; 3], spin);
            (body, [0.0; 3], [0.0, 1.0, 0.0])
        };
        let mut spec = Spec::new();
        spec.gravity([0.0, 0.0, -9.81])
            .body("top", body)
            .marker("top.pivot", Frame::at(pivot))
            .marker("top.centre", Frame::at(centre))
            .constraint("ball", Joint::spherical("ground", "top.pivot"));
        let s = run(&spec.build().unwrap(), &Transient::to(2.0).every(0.1).tolerance(1e-13, 1e-13));
        for (t, q, com, w) in &HEAVY {
            let (found_q, found_w) = attitude(&s, "top", *t, q);
            let what = format!("heavy top at {t}");
            close(
                &format!("{what} com"),
                &values(&s, ["top.centre.x", "top.centre.y", "top.centre.z"], *t),
                com,
                1e-10,
            );
            close(&format!("{what} q"), &found_q, q, 1e-10);
            close(&format!("{what} w"), &found_w, w, 1e-9);
        }
        below("heavy top energy", worst(&s, "energy.balance"), 1e-8);
        taut("heavy top", &s, 1e-14, 1e-12);
        // Newton: what the pivot exerts is m (a − g).
        for i in 0..s.len() {
            let c = |n: &str| s.column(n).unwrap()[i];
            let found = [c("ball.fx"), c("ball.fy"), c("ball.fz")];
            let expected = [c("top.centre.ax"), c("top.centre.ay"), c("top.centre.az") + 9.81].map(|a| 15.0 * a);
            close("heavy top reaction", &found, &expected, 1e-9);
        }
    }
}

/// Quaternion and ω along body axes of the free body, by DOP853 at 1e-13; the full period 57.46284887440529 s is a
/// complete elliptic integral.
const FLIP: [(f64, [f64; 4], [f64; 3]); 4] = [
    (
        5.0,
        [-0.8011369661332239, -0.0016056957927896842, 0.5984660664349193, -0.003917979304641339],
        [0.008995180467492392, 0.9999600425658804, -0.0051611778901964],
    ),
    (
        10.0,
        [0.28277011157879517, -0.01898040615253276, -0.9558336615143096, 0.07786411044985443],
        [0.15979965562241058, 0.9871499734401855, -0.09225856769074081],
    ),
    (
        15.0,
        [0.19737846106262194, 0.6322474132384487, 0.5343093468923557, -0.5251842280431712],
        [0.9364999810420731, -0.35066905410684873, -0.5406882079016835],
    ),
    (
        20.0,
        [-0.03239963124402625, -0.9979274920793804, -0.020767311687663666, 0.0515723105229377],
        [0.07720720773660758, -0.9970155701259208, -0.04457186304715281],
    ),
];

#[test]
fn free_body_flips_about_its_middle_axis() {
    let period = 57.46284887440529;
    let mut spec = Spec::new();
    spec.body("nut", RigidBody::new(1.0, [1.0, 2.0, 3.0]).moving([0.0; 3], [0.001, 1.0, 0.0]));
    let model = spec.build().unwrap();
    let s = run(&model, &Transient::to(period).at(vec![0.0, 5.0, 10.0, 15.0, 20.0, period]).tolerance(1e-13, 1e-13));
    for (t, q, w) in &FLIP {
        let (found_q, found_w) = attitude(&s, "nut", *t, q);
        // The motion is unstable: what is lost in the first seconds is magnified a thousandfold at the flip.
        close(&format!("flip q at {t}"), &found_q, q, 1e-9);
        close(&format!("flip w at {t}"), &found_w, w, 2e-9);
    }
    // After a full period the rates come back.
    let (_, w) = attitude(&s, "nut", period, &[1.0, 0.0, 0.0, 0.0]);
    close("flip period", &w, &[0.001, 1.0, 0.0], 1e-8);
    // 2T = 2.000001, H = (0.001, 2, 0) at all times.
    for i in 0..s.len() {
        let t = s.t()[i];
        let (q, w) = attitude(&s, "nut", t, &[1.0, 0.0, 0.0, 0.0]);
        let h = rotation_of_quaternion(&q) * Vec3::new(w[0], 2.0 * w[1], 3.0 * w[2]);
        close("angular momentum", h.as_slice(), &[0.001, 2.0, 0.0], 1e-11);
        assert!((2.0 * s.column("energy.kinetic").unwrap()[i] - 2.000001).abs() < 1e-11);
    }
}
