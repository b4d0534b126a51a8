//! Inputs that jump, rest and pulse, and output between long steps: each test is named after a fault that once
//! gave a wrong result with exit code 0.

use crate::common::Folder;
use crate::scenes::GUIDE_ALONG_X;
use std::f64::consts::PI;

/// The columns of a run, by name, and its events.
struct Motion {
    header: Vec<String>,
    rows: Vec<Vec<f64>>,
    events: String,
}

fn run(name: &str, model: &str, arguments: &[&str]) -> Motion {
    let folder = Folder::new(name);
    folder.write("m.toml", model);
    folder.done(&[&["run", "m.toml"], arguments].concat());
    let text = |file: &str| String::from_utf8(folder.read(file)).unwrap();
    let table = text("m.run/table.csv");
    let mut lines = table.lines();
    let header = lines.next().unwrap().split(',').map(str::to_string).collect();
    let rows = lines.map(|line| line.split(',').map(|x| x.parse().unwrap_or(f64::NAN)).collect()).collect();
    Motion { header, rows, events: text("m.run/events.csv") }
}

impl Motion {
    fn column(&self, name: &str) -> Vec<f64> {
        let at = self.header.iter().position(|h| h == name).unwrap_or_else(|| panic!("{name}: {:?}", self.header));
        self.rows.iter().map(|row| row[at]).collect()
    }

    fn last(&self, name: &str) -> f64 {
        *self.column(name).last().unwrap()
    }

    /// The largest |energy.balance|.
    fn imbalance(&self) -> f64 {
        self.column("energy.balance").iter().fold(0.0, |worst: f64, x| worst.max(x.abs()))
    }

    /// Compares a column with a function of time.
    fn follows(&self, name: &str, tolerance: f64, expected: impl Fn(f64) -> f64) {
        for (t, x) in self.column("t").iter().zip(self.column(name)) {
            assert!((x - expected(*t)).abs() <= tolerance, "{name} at {t}: {x}, expected {}", expected(*t));
        }
    }
}

const METHODS: [&str; 7] =
    ["dop853", "dormand_prince", "bogacki_shampine", "radau5", "trapezoidal", "two_step", "generalised_alpha"];

const PULLED: &str = r#"taut = 2
[bodies.a]
type = "point_mass"
mass = 1
[constraints.r]
type = "formula"
phi = "a.x - MOTION"
[bodies.b]
type = "point_mass"
mass = 1
position = [3, 0, 0]
[forces.s]
type = "spring"
a = "a"
b = "b"
stiffness = 10
free_length = 3
[settings]
duration = 10
[outputs]
every = 0.25
"#;

/// The spring of 10 N/m pulled by 1 m within 0.1 s: hardly otherwise than at once, 3 + 1 − cos √10 t.
#[test]
fn driver_moves_after_rest() {
    let motions =
        ["step(t, 3, 0, 3.1, 1)", "if_pos(t - 3, 1 - exp(-200*(t - 3)^2), 0)", "(0.5 + 0.5*tanh(50*(t - 3.05)))"];
    for motion in motions {
        let model = PULLED.replace("MOTION", motion);
        let loose = run("rest-loose", &model, &["--rtol", "1e-5", "--atol", "1e-5"]);
        let tight = run("rest-tight", &model, &["--rtol", "1e-9", "--atol", "1e-9"]);
        assert!(loose.last("b.x") != tight.last("b.x"), "the tolerance makes a difference");
        assert!((loose.last("b.x") - tight.last("b.x")).abs() < 1e-2, "{motion}");
        let bounded = run("rest-bounded", &model, &["--rtol", "1e-9", "--atol", "1e-9", "--max-step", "0.005"]);
        for (a, b) in tight.column("b.x").iter().zip(bounded.column("b.x")) {
            assert!((a - b).abs() < 1e-6, "{motion}: {a} {b}");
        }
        assert!(tight.imbalance() < 1e-6, "{motion}: {}", tight.imbalance());
        // Nothing moves before.
        for (t, x) in tight.column("t").iter().zip(tight.column("b.x")) {
            assert!(*t > 2.9 || (x - 3.0).abs() < 1e-5, "{motion} at {t}: {x}");
            assert!((1.9..6.1).contains(&x), "{motion} at {t}: {x}");
        }
    }
}

/// A pulse of 1 N s within a millisecond, after a rest of a second: smooth, and narrower than any step would be.
#[test]
fn smooth_pulse_is_stepped_over() {
    let model = r#"taut = 2
[bodies.m]
type = "point_mass"
mass = 2
[forces.f]
type = "applied"
marker = "m"
force = ["exp(-((t - 1.14)/0.0005)^2)/(0.0005*sqrt(pi))", 0, 0]
[settings]
duration = 10
[outputs]
every = 1
"#;
    for method in METHODS {
        let motion = run("narrow", model, &["--method", method]);
        assert!((motion.last("m.vx") - 0.5).abs() < 1e-5, "{method}: {}", motion.last("m.vx"));
        assert!((motion.last("m.x") - 0.5 * 8.86).abs() < 1e-4, "{method}: {}", motion.last("m.x"));
    }
}

#[test]
fn velocity_row_moves_after_rest() {
    let model = r#"taut = 2
[bodies.a]
type = "point_mass"
mass = 1
[constraints.r]
type = "formula"
psi = "a.vx - step(t, 3, 0, 3.1, 1)"
[settings]
duration = 10
[outputs]
every = 0.5
"#;
    for method in METHODS {
        let motion = run("row", model, &["--method", method]);
        assert!((motion.last("a.x") - 6.95).abs() < 1e-5, "{method}: {}", motion.last("a.x"));
        // The integral of work follows the steps and steers none.
        assert!(motion.imbalance() < 1e-3, "{method}: {}", motion.imbalance());
    }
}

/// A mass that is driven at 1 m/s from t = 1 on: an impulse of 1 N s, 0.5 J put in.
#[test]
fn velocity_driver_jumps() {
    let model = r#"taut = 2
[bodies.m]
type = "planar"
mass = 1
inertia = 1
[joints.s]
type = "slider"
a = "ground"
b = "m"
translation = { velocity = "if_pos(t - 1, 1, 0)" }
[settings]
duration = 3
[outputs]
every = 0.25
"#;
    for method in METHODS {
        let motion = run("jump", model, &["--method", method]);
        motion.follows("m.x", 1e-7, |t| (t - 1.0).max(0.0));
        assert!((motion.last("energy.work") - 0.5).abs() < 1e-7 && motion.imbalance() < 1e-7, "{method}");
        let reported = motion.events.lines().nth(1).unwrap_or_else(|| panic!("{method}: no event"));
        let fields: Vec<&str> = reported.split(',').collect();
        assert_eq!((fields[1], fields[3]), ("s", "velocity jump"), "{reported}");
        assert!((fields[0].parse::<f64>().unwrap() - 1.0).abs() < 1e-12, "{reported}");
        assert!((fields[4].parse::<f64>().unwrap() - 1.0).abs() < 1e-9, "{reported}");
    }
}

/// Two masses on a bar of which one is driven: the other takes part in the jump, and the energy balances.
#[test]
fn a_jump_of_one_driver_moves_the_whole_mechanism() {
    let model = r#"taut = 2
[bodies.a]
type = "planar"
mass = 2
inertia = 0.3
position = [0.5, 0]
markers = { e = [-0.5, 0], f = [0.5, 0] }
[bodies.b]
type = "planar"
mass = 1
inertia = 0.1
position = [1.5, 0]
markers = { e = [-0.5, 0] }
[joints.h]
type = "pin"
a = "ground"
b = "a.e"
rotation = { velocity = "if_pos(t - 0.5, 2, 0.5)" }
[joints.k]
type = "pin"
a = "a.f"
b = "b.e"
[settings]
duration = 2
[outputs]
every = 0.1
"#;
    let motion = run("both", model, &[]);
    motion.follows("a.theta", 1e-7, |t| 0.5 * t + 1.5 * (t - 0.5).max(0.0));
    assert!(motion.imbalance() < 1e-6, "{}", motion.imbalance());
    assert!(motion.events.contains("h,") && motion.events.contains("velocity jump"), "{}", motion.events);
}

/// A mass on a spring along x, and a force that hits it.
fn oscillator() -> String {
    r#"taut = 2
[params]
t0 = 1
[bodies.m]
type = "point_mass"
mass = 1
position = [0.1, 0, 0]
GUIDE
[forces.k]
type = "spring"
coordinate = "m.x"
stiffness = 100
rest = 0
[forces.hit]
type = "generalised_force"
coordinate = "m.x"
force = "FORCE"
[settings]
duration = 3
[outputs]
every = 0.005
"#
    .replace("GUIDE\n", GUIDE_ALONG_X)
}

/// x of the oscillator after a force of 1000 N for 2 ms.
fn hit(t: f64, t0: f64) -> f64 {
    let pushed = |s: f64| 10.0 * (1.0 - (10.0 * (t - s).max(0.0)).cos());
    0.1 * (10.0 * t).cos() + pushed(t0) - pushed(t0 + 0.002)
}

#[test]
fn pulse_between_stages() {
    let model = oscillator().replace("FORCE", "if_pos(t - t0, if_pos(t0 + 0.002 - t, 1000, 0), 0)");
    for t0 in ["1", "1.14", "1.1403", "2.71"] {
        let motion = run("between", &model, &["--set", &format!("t0={t0}")]);
        motion.follows("m.x", 1e-5, |t| hit(t, t0.parse().unwrap()));
    }
    for method in METHODS {
        let motion =
            run("methods", &model, &["--set", "t0=1.14", "--method", method, "--rtol", "1e-6", "--atol", "1e-7"]);
        motion.follows("m.x", 2e-3, |t| hit(t, 1.14));
    }
}

#[test]
fn torque_pulse() {
    let model = r#"taut = 2
gravity = [0, -9.81, 0]
[bodies.p]
type = "planar"
mass = 1
inertia = 0.1
position = [0, -1]
markers = { e = [0, 1] }
[joints.h]
type = "pin"
a = "ground"
b = "p.e"
[forces.f]
type = "actuator"
coordinate = "h.angle"
force = "if_pos(t - 5, if_pos(t - 5.5, 0, 1), 0)"
[settings]
duration = 20
[outputs]
every = 0.5
"#;
    let (free, bounded) = (run("torque", model, &[]), run("torque-bounded", model, &["--max-step", "0.01"]));
    for (a, b) in free.column("p.theta").iter().zip(bounded.column("p.theta")) {
        assert!((a - b).abs() < 1e-6, "{a} {b}");
    }
    let largest = free.column("p.theta").iter().fold(0.0, |most: f64, x| most.max(x.abs()));
    assert!((0.12..0.15).contains(&largest), "{largest}");
}

/// 50 N for 10 ms on 1 kg.
#[test]
fn brake_pulse() {
    let model = r#"taut = 2
[bodies.p]
type = "planar"
mass = 1
inertia = 1
velocity = [1, 0]
[joints.s]
type = "slider"
a = "ground"
b = "p"
[constraints.c]
type = "brake"
coordinate = "s.slide"
capacity = "if_pos(t - 5, if_pos(t - 5.01, 0, 50), 0)"
[settings]
duration = 10
[outputs]
every = 0.25
"#;
    let motion = run("brake", model, &[]);
    motion.follows("p.vx", 1e-7, |t| if t <= 5.0 { 1.0 } else { 0.5 });
    assert!(motion.imbalance() < 1e-7);
}

/// A force that depends on which side of a moving line the mass is.
#[test]
fn a_condition_on_the_motion_is_located() {
    let model = oscillator()
        .replace("type = \"generalised_force\"\ncoordinate = \"m.x\"", "type = \"formula\"\ncoordinate = \"m.x\"")
        .replace("FORCE", "if_pos(sin(50*t) - m.x, 20, -20)")
        .replace("duration = 3", "duration = 1");
    let (free, bounded) = (run("guard", &model, &[]), run("guard-bounded", &model, &["--max-step", "1e-3"]));
    for (a, b) in free.column("m.x").iter().zip(bounded.column("m.x")) {
        assert!((a - b).abs() < 1e-6, "{a} {b}");
    }
}

/// Dry friction written as a formula holds the mass in the end: switching without end is named.
#[test]
fn a_condition_that_switches_without_end_is_refused() {
    let folder = Folder::new("switching");
    folder.write(
        "m.toml",
        &oscillator()
            .replace("type = \"generalised_force\"\ncoordinate = \"m.x\"", "type = \"formula\"\ncoordinate = \"m.x\"")
            .replace("FORCE", "-20*sign(m.vx)"),
    );
    let answer = folder.taut(&["run", "m.toml"]);
    assert!(answer.code != 0 && answer.err.contains("`hit`") && answer.err.contains("tanh"), "{answer:?}");
}

const ARM: &str = r#"taut = 2
[bodies.a]
type = "planar"
mass = 1
inertia = 1
position = [0.5, 0]
velocity = [0, 25]
angular_velocity = 50
markers = { e = [-0.5, 0] }
[joints]
ja = { type = "pin", a = "ground", b = "a.e" }
[settings]
duration = 10
method = "generalised_alpha"
increment_axes = "body"
[outputs]
every = 0.37
"#;

/// Steady rotation at 50 rad/s: 1250 N in the hinge at all times.
#[test]
fn steady_arm_alpha() {
    let motion = run("arm", ARM, &[]);
    let force = motion.column("ja.fx").into_iter().zip(motion.column("ja.fy")).map(|(x, y)| x.hypot(y));
    for (t, force) in motion.column("t").iter().zip(force) {
        assert!((force - 1250.0).abs() < 1e-3, "{t}: {force}");
    }
    motion.follows("a.x", 1e-5, |t| 0.5 * (50.0 * t).cos());
}

#[test]
fn spinner_alpha() {
    let model = r#"taut = 2
[bodies.a]
type = "rigid"
mass = 1
inertia = [1, 1, 1]
angular_velocity = [0, 0, 100]
[joints]
ja = { type = "revolute", a = "ground", b = "a" }
[markers]
"a.tip" = [1, 0, 0]
[settings]
duration = 10
method = "generalised_alpha"
[outputs]
every = 0.7
"#;
    for update in ["world", "body"] {
        let motion =
            run("spinner", &model.replace("duration", &format!("increment_axes = \"{update}\"\nduration")), &[]);
        // The quaternion of half the angle, of either sign.
        for (t, (w, z)) in motion.column("t").iter().zip(motion.column("a.qw").into_iter().zip(motion.column("a.qz"))) {
            let turned = 2.0 * z.atan2(w) - 100.0 * t;
            let off = turned - 2.0 * PI * (turned / (2.0 * PI)).round();
            assert!(off.abs() < 1e-6, "{update} at {t}: {off}");
        }
    }
}

/// A crank driven at a steady rate turns a rocker: the constraints alone move it, and the driver's work is what the energy
/// changes by.
#[test]
fn work_of_drivers_under_generalised_alpha() {
    let folder = Folder::new("alpha-work");
    let model = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/four_bar.toml")).unwrap();
    folder.write("m.toml", model.split("[[expect]]").next().unwrap());
    folder.done(&["run", "m.toml", "--method", "generalised_alpha", "--rtol", "1e-8", "--atol", "1e-8"]);
    let table = String::from_utf8(folder.read("m.run/table.csv")).unwrap();
    let header: Vec<&str> = table.lines().next().unwrap().split(',').collect();
    let column = |name: &str| {
        let at = header.iter().position(|h| *h == name).unwrap();
        table.lines().skip(1).map(move |l| l.split(',').nth(at).unwrap().parse::<f64>().unwrap()).collect::<Vec<_>>()
    };
    let kinetic = column("energy.kinetic").into_iter().fold(0.0, f64::max);
    for balance in column("energy.balance") {
        assert!(balance.abs() < 1e-3 * kinetic, "{balance} of {kinetic}");
    }
}

/// A driven wheel beside a mass that oscillates through the condition of its force.
const WHEEL_AND_SWITCH: &str = r#"taut = 2
[bodies.wheel]
type = "planar"
mass = 1
inertia = 0.1
[joints]
axle = { type = "pin", a = "ground", b = "wheel" }
[drivers.motor]
coordinate = "axle.angle"
position = "9*t"
[bodies.m]
type = "point_mass"
mass = 1
position = [0.3, 0, 0]
[forces.spring]
type = "formula"
coordinate = "m.x"
force = "-90*s + if_pos(s - 0.05, 0.01, 0)"
[settings]
duration = 2
rtol = 1e-6
[outputs]
every = 0.01
"#;

#[test]
fn angles_within_a_step_that_was_repeated_to_end_at_a_condition_count_the_right_turns() {
    for method in METHODS {
        run("turns-of-repeated-steps", WHEEL_AND_SWITCH, &["--method", method])
            .follows("axle.angle", 1e-6, |t| 9.0 * t);
    }
}
