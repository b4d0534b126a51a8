//! The rigid problems of the IFToMM library of computational benchmarks, A01, A02 and A04 (A03 is the squeezer).
//!
//! Data: RehabEngGroup/MBSbenchmarksInOpenSim (help/benchmarks) and jgerstmayr/EXUDYN (TestModels, Examples) on GitHub.
//! The numbers are not those of the programs: closed forms, a converged integration in one coordinate, or a
//! converged integration of the same mechanism with a pseudo-inverse, as said at each.

use crate::common;

use common::{below, close, distance, largest, rk4, run, taut, value, values, worst};
use std::f64::consts::FRAC_PI_2;
use taut::analyses::{Output, RowConsistency, Transient, rank};
use taut::{ColumnFamily, Columns, Frame, Joint, Model, PlanarBody, PointMass, Relation, RigidBody, Solution, Spec};

const G: f64 = 9.81;

/// x, y of the pendulum A01 by Jacobi's sn; the period is 2.3678419475762373 s.
const PENDULUM: [(f64, [f64; 2]); 6] = [
    (1.0, [0.9862917511318753, -0.16501085312554117]),
    (2.0, [-0.7935661953433217, -0.6084839304437916]),
    (3.0, [0.1766517899228382, -0.9842734097378926]),
    (5.0, [-0.9423054350437573, -0.3347543384140006]),
    (9.99, [-0.3164364699130314, -0.9486137045757768]),
    (10.0, [-0.2750874625761169, -0.961419205099125]),
];

#[test]
fn a01_simple_pendulum() {
    let mut spec = Spec::new();
    spec.gravity([0.0, -G, 0.0])
        .body("mass", PointMass::new(1.0, [-1.0, 0.0, 0.0]))
        .constraint("rod", Relation::rod("ground", "mass", 1.0));
    let model = spec.build().unwrap();
    let s = run(&model, &Transient::to(10.0).every(0.01).tolerance(1e-12, 1e-12));
    for (t, xy) in PENDULUM {
        close(&format!("A01 at {t}"), &values(&s, ["mass.x", "mass.y"], t), &xy, 1e-9);
    }
    below("A01 energy", worst(&s, "energy.balance"), 1e-10);
    taut("A01", &s, 1e-14, 1e-13);
    // Tension from the energy: λ = −(v² − g y) for unit mass and length, with v² = −2 g y.
    for i in 0..s.len() {
        let (lambda, y) = (s.column("rod.lambda_relation").unwrap()[i], s.column("mass.y").unwrap()[i]);
        assert!((lambda - 3.0 * G * y).abs() < 1e-9, "{lambda} {y}");
    }
    // The published threshold, an energy error below 5e-5 J, asks for little.
    let s = run(&model, &Transient::to(10.0).every(0.01).tolerance(1e-7, 1e-7));
    below("A01 energy at 1e-7", worst(&s, "energy.balance"), 5e-5);
    assert!(s.statistics.evaluations < 2000, "{:?}", s.statistics);
}

#[test]
fn a01_as_a_rod_of_the_same_period() {
    // A uniform rod of 1.5 m swings as the point mass at 1 m does.
    let mut spec = Spec::new();
    spec.gravity([0.0, -G, 0.0])
        .body("rod", PlanarBody::rod(2.0, 1.5).at([-0.75, 0.0], 0.0))
        .marker("rod.pivot", Frame::at([0.75, 0.0, 0.0]))
        .marker("rod.mass", Frame::at([-0.25, 0.0, 0.0]))
        .constraint("hinge", Joint::pin("ground", "rod.pivot"));
    let model = spec.build().unwrap();
    let s = run(&model, &Transient::to(10.0).every(0.01).tolerance(1e-12, 1e-12));
    for (t, xy) in PENDULUM {
        close(&format!("A01 rod at {t}"), &values(&s, ["rod.mass.x", "rod.mass.y"], t), &xy, 1e-9);
    }
    let s = run(&model, &Transient::to(2.3678419475762373).tolerance(1e-12, 1e-12));
    let end = ["x", "y", "vx", "vy"].map(|c| s.last(&format!("rod.mass.{c}")).unwrap());
    close("A01 period", &end, &[-1.0, 0.0, 0.0, 0.0], 1e-10);
}

/// N four-bars in a row: rockers on pivots at x = 0 … N, couplers along the top, all rods of 1 m and 1 kg.
fn four_bars(n: usize) -> Model {
    let mut spec = Spec::new();
    spec.gravity([0.0, -G, 0.0]);
    for i in 0..=n {
        let (x, rocker) = (i as f64, format!("rocker{i}"));
        spec.body(&rocker, PlanarBody::rod(1.0, 1.0).at([x, 0.5], FRAC_PI_2).moving([0.5, 0.0], -1.0))
            .marker(&format!("ground.{i}"), Frame::at([x, 0.0, 0.0]))
            .marker(&format!("{rocker}.a"), Frame::at([-0.5, 0.0, 0.0]))
            .marker(&format!("{rocker}.b"), Frame::at([0.5, 0.0, 0.0]))
            .constraint(&format!("foot{i}"), Joint::pin(&format!("ground.{i}"), &format!("{rocker}.a")));
    }
    for i in 0..n {
        let coupler = format!("coupler{i}");
        spec.body(&coupler, PlanarBody::rod(1.0, 1.0).at([i as f64 + 0.5, 1.0], 0.0).moving([1.0, 0.0], 0.0))
            .marker(&format!("{coupler}.a"), Frame::at([-0.5, 0.0, 0.0]))
            .marker(&format!("{coupler}.b"), Frame::at([0.5, 0.0, 0.0]))
            .constraint(&format!("left{i}"), Joint::pin(&format!("rocker{i}.b"), &format!("{coupler}.a")))
            .constraint(&format!("right{i}"), Joint::pin(&format!("rocker{}.b", i + 1), &format!("{coupler}.b")));
    }
    spec.build().unwrap()
}

/// To 10 s with outputs every 0.01 s, of what is compared.
fn ten_seconds(tolerance: f64) -> Transient {
    let columns = vec![ColumnFamily::State, ColumnFamily::Markers, ColumnFamily::Energy, ColumnFamily::Residuals];
    Transient::to(10.0).every(0.01).tolerance(tolerance, tolerance).columns(Columns::Only(columns))
}

/// θ, θ̇ of the parallelogram every 0.01 s: (N+1)/3 + N times θ̈ = −((N+1)/2 + N) g cos θ.
fn parallelogram(n: usize) -> Vec<[f64; 2]> {
    let n = n as f64;
    let k = ((n + 1.0) / 2.0 + n) * G / ((n + 1.0) / 3.0 + n);
    rk4(|_, [theta, rate]| [*rate, -k * theta.cos()], [FRAC_PI_2, -1.0], 1e-4, 100_000, 100)
}

/// Largest errors over 1001 outputs: of the position of the first rocker's tip, and of the energy.
fn errors(n: usize, s: &Solution) -> (f64, f64) {
    let truth = parallelogram(n);
    assert_eq!(truth.len(), s.len());
    let (x, y) = (s.column("rocker0.b.x").unwrap(), s.column("rocker0.b.y").unwrap());
    let position = largest((0..s.len()).map(|i| {
        let (sin, cos) = truth[i][0].sin_cos();
        (x[i] - cos).hypot(y[i] - sin)
    }));
    (position, worst(s, "energy.balance"))
}

/// x, y, ẋ, ẏ, θ of the first rocker's tip for N = 2, by a converged integration of the one-coordinate equation.
const TIP: [(f64, [f64; 5]); 11] = [
    (1.0, [-0.19502030194949715, -0.9807992056621615, -6.676678036880698, 1.327578325160835, -1.7670744763102644]),
    (2.0, [0.0578157957676594, 0.9983272678634759, 1.0172601366191865, -0.05891224871301334, -4.770237034517082]),
    (3.0, [-0.5493397392982957, -0.8355990969524084, -5.480464031265096, 3.6029678504311806, -8.435555501969821]),
    (4.0, [0.1176161023755679, 0.9930591384514721, 1.0690392650264051, -0.12661504916506228, -11.113463266717826]),
    (5.0, [-0.8113104610000779, -0.5846155453559553, -3.569117397243301, 4.953105171293002, -15.083557159849983]),
    (6.0, [0.1813811262207983, 0.9834128772041145, 1.1551142876868332, -0.2130498138381469, -17.46115028613698]),
    (7.0, [-0.958270754888659, -0.28586213517204334, -1.5770002352445307, 5.286440629773763, -21.7012425894724]),
    (8.0, [0.2510559146239865, 0.9679725862504132, 1.2743121057315212, -0.3305089377170455, -23.81571585479557]),
    (9.0, [-0.9999622725486371, 0.008686396224284031, 0.042279795237033464, 4.867173801020085, -28.283020387772602]),
    (9.99, [0.31436672845665536, 0.9493016170003397, 1.3953396891767875, -0.4620748193375047, -30.164919697372127]),
    (10.0, [0.32845811153374377, 0.9445185381810601, 1.4230514701914418, -0.49486884546970916, -30.179800860183718]),
];

#[test]
fn a02_double_four_bar_through_its_singular_poses() {
    let model = four_bars(2);
    let s = run(&model, &ten_seconds(1e-11));
    for (t, tip) in TIP {
        let names = ["rocker0.b.x", "rocker0.b.y", "rocker0.b.vx", "rocker0.b.vy", "rocker0.theta"];
        close(&format!("A02 at {t}"), &values(&s, names, t), &tip, 1e-8);
    }
    let (position, energy) = errors(2, &s);
    below("A02 position", position, 1e-8);
    below("A02 energy", energy, 1e-8);
    taut("A02", &s, 1e-12, 1e-11);
    assert!(s.statistics.evaluations < 4000, "{:?}", s.statistics);
    // Every rocker and coupler stays parallel to its like.
    for (a, b) in
        [("rocker0.theta", "rocker1.theta"), ("rocker1.theta", "rocker2.theta"), ("coupler0.theta", "coupler1.theta")]
    {
        below(a, distance(s.column(a).unwrap(), s.column(b).unwrap()), 1e-8);
    }
}

#[test]
fn a02_loses_rank_in_the_flat_pose_only() {
    let model = four_bars(2);
    let upright = rank(&model, &model.initial_state()).unwrap();
    assert_eq!((upright.rows, upright.rank, upright.freedoms), (14, 14, 1));
    let mut flat = model.initial_state();
    for i in 0..3 {
        flat.q[3 * i..3 * i + 3].copy_from_slice(&[i as f64 + 0.5, 0.0, 0.0]);
    }
    for i in 0..2 {
        flat.q[9 + 3 * i..12 + 3 * i].copy_from_slice(&[i as f64 + 1.5, 0.0, 0.0]);
    }
    let flat = rank(&model, &flat).unwrap();
    assert_eq!((flat.rank, flat.redundant, flat.freedoms), (12, 2, 3));
}

#[test]
fn a02_error_follows_the_tolerance() {
    let model = four_bars(2);
    let mut found = Vec::new();
    for digits in 4..=13 {
        let tolerance = 10.0_f64.powi(-digits);
        let s = run(&model, &ten_seconds(tolerance));
        let (position, energy) = errors(2, &s);
        let evaluations = s.statistics.evaluations;
        println!("1e-{digits}: {evaluations} right-hand sides, {position:.1e} m, {energy:.1e} J");
        assert!(evaluations < 8000, "1e-{digits}: {evaluations}");
        taut(&format!("A02 1e-{digits}"), &s, 1e-11, 1e-10);
        found.push((tolerance, position, energy));
    }
    // Each decade is at most as bad as twice the one before, two decades always gain.
    for w in found.windows(2).filter(|w| w[0].0 > 1e-11) {
        assert!(w[1].1 < 2.0 * w[0].1, "{found:?}");
        assert!(w[1].2 < 2.0 * w[0].2, "{found:?}");
    }
    for w in found.windows(3).filter(|w| w[0].0 > 1e-10) {
        assert!(w[2].1 < w[0].1 && w[2].2 < w[0].2, "{found:?}");
    }
    let tight = found.iter().map(|f| f.2).fold(f64::INFINITY, f64::min);
    below("A02 energy, tightened", tight, 1e-9);
}

#[test]
fn a02_long_rows_drift_no_faster_than_their_length() {
    let mut errors_of = Vec::new();
    for n in [2, 10, 40] {
        let s = run(&four_bars(n), &ten_seconds(1e-11));
        let (position, energy) = errors(n, &s);
        taut(&format!("A02 N={n}"), &s, 1e-11, 1e-10);
        below(&format!("A02 N={n} position"), position, 1e-8);
        errors_of.push((n, position, energy / (2 * n + 1) as f64));
    }
    // The motions differ (N enters the length of the pendulum): a factor is allowed for that, but none for N.
    let (_, position, per_rod) = errors_of[0];
    for (n, p, e) in &errors_of[1..] {
        below(&format!("A02 N={n} position against N=2"), *p, 3.0 * position);
        below(&format!("A02 N={n} energy per rod against N=2"), *e, 2.0 * per_rod);
    }
}

const HINGES: [[f64; 3]; 6] =
    [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, -1.0, 0.0], [1.0, -1.0, 1.0], [0.0, -1.0, 1.0], [0.0, 0.0, 1.0]];

/// Bricard's mechanism: five rods of 1 m, 1 kg and 0.1 m square section, six hinges along y, z, x, y, z, x.
fn bricard() -> Model {
    let axes = [[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]];
    let mut spec = Spec::new();
    spec.gravity([0.0, -G, 0.0]);
    for k in 0..5 {
        let (a, b) = (HINGES[k], HINGES[k + 1]);
        let middle = std::array::from_fn(|i| 0.5 * (a[i] + b[i]));
        let inertia = std::array::from_fn(|i| if a[i] != b[i] { 0.02 / 12.0 } else { 1.01 / 12.0 });
        spec.body(&format!("rod{k}"), RigidBody::new(1.0, inertia).at(middle))
            .marker(&format!("rod{k}.a"), Frame::world(a).axis(axes[k % 3]))
            .marker(&format!("rod{k}.b"), Frame::world(b).axis(axes[(k + 1) % 3]));
    }
    spec.marker("ground.a", Frame::at(HINGES[0]).axis(axes[0]))
        .marker("ground.b", Frame::at(HINGES[5]).axis(axes[2]))
        .constraint("hinge0", Joint::revolute("ground.a", "rod0.a"));
    for k in 0..4 {
        let (a, b) = (format!("rod{k}.b"), format!("rod{}.a", k + 1));
        spec.constraint(&format!("hinge{}", k + 1), Joint::revolute(&a, &b));
    }
    spec.constraint("hinge5", Joint::revolute("rod4.b", "ground.b"));
    spec.build().unwrap()
}

/// The fourth hinge every half second: converged integration in redundant coordinates with a pseudo-inverse, whose
/// own energy drifts by 1.2e-11 J.
const P3: [[f64; 3]; 21] = [
    [1.0, -1.0, 1.0],
    [0.9682836791068943, -1.2246251594359636, 0.750146609438221],
    [0.5105014611882832, -1.6491675993944237, 0.14012311455381724],
    [-0.5177294918857714, -1.6465384128227853, 0.1444556275495111],
    [-0.9693403447772379, -1.221246894957654, 0.7542780107781448],
    [-0.9999999998586305, -1.0000168147082942, 0.9999831851503387],
    [-0.9671998000487234, -1.2280202146741321, 0.7459831761758495],
    [-0.5032159558243154, -1.6517631138387454, 0.13583930788086546],
    [0.5248995933893954, -1.6438760013367901, 0.14883584611448314],
    [0.9703702511013618, -1.2178857060309385, 0.7583772035227612],
    [0.9999999977380489, -1.000067257698072, 0.9999327400401292],
    [0.9660882507603007, -1.231431773272244, 0.7417878938877882],
    [0.4958734499448302, -1.6543245122731505, 0.13160520404610165],
    [-0.5320113307397794, -1.6411808153330019, 0.15326276569145256],
    [-0.9713738492429, -1.2145418748568666, 0.7624440171095836],
    [-0.999999988548552, -1.0001513255794918, 0.9998486629707934],
    [-0.9649485716703992, -1.2348595452286988, 0.7375609517787864],
    [-0.48847443735385454, -1.6568513542987489, 0.12742179487920127],
    [0.5390642884927788, -1.6384533082411636, 0.15773537835679302],
    [0.9723515874195261, -1.2112156810416443, 0.7664782869994127],
    [0.9999999638063499, -1.0002690126953246, 0.9997309511207604],
];

#[test]
fn a04_bricard() {
    let model = bricard();
    // Six revolutes hold 30 of 30 velocities, yet one freedom is left.
    let found = rank(&model, &model.initial_state()).unwrap();
    assert_eq!((found.rows, found.velocities, found.rank, found.freedoms, found.redundant), (30, 30, 29, 1, 1));
    assert_eq!(found.verdict, RowConsistency::Consistent);
    assert_eq!(found.free_bodies.len(), 5);

    let s = run(&model, &Transient::to(10.0).every(0.1).tolerance(1e-11, 1e-11));
    for (k, expected) in P3.iter().enumerate() {
        let t = 0.5 * k as f64;
        close(&format!("A04 at {t}"), &values(&s, ["rod2.b.x", "rod2.b.y", "rod2.b.z"], t), expected, 1e-9);
    }
    below("A04 energy", worst(&s, "energy.balance"), 1e-8);
    taut("A04", &s, 1e-12, 1e-11);
    assert!(s.column("rank").unwrap().iter().all(|r| *r == 29.0));
    assert!(s.statistics.evaluations < 2200, "{:?}", s.statistics);
}

#[test]
fn a04_every_step_is_on_the_manifold() {
    let s = run(&bricard(), &Transient::to(10.0).output(Output::Steps).tolerance(1e-8, 1e-8));
    taut("A04 1e-8", &s, 1e-12, 1e-11);
    below("A04 1e-8 energy", worst(&s, "energy.balance"), 1e-6);
    close("A04 1e-8 at 10", &["x", "y", "z"].map(|x| s.last(&format!("rod2.b.{x}")).unwrap()), &P3[20], 1e-6);
    assert_eq!(value(&s, "rod2.b.x", 0.0), 1.0);
}
