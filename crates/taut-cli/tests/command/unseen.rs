//! Features that a long step could miss: conditions that are met twice within it, narrow peaks of a force over a coordinate, and
//! forces for which the error estimate vanishes.

use crate::common::Folder;

const METHODS: [&str; 7] =
    ["dop853", "dormand_prince", "bogacki_shampine", "radau5", "trapezoidal", "two_step", "generalised_alpha"];

/// A mass along x, and a force over its coordinate and the time.
fn mass(x: f64, v: f64, force: &str, duration: f64, method: &str, rtol: f64) -> String {
    format!(
        r#"taut = 2
[bodies.m]
type = "point_mass"
mass = 1
position = [{x}, 0, 0]
velocity = [{v}, 0, 0]
[forces.f]
type = "formula"
coordinate = "m.x"
force = "{force}"
[settings]
duration = {duration}
method = "{method}"
rtol = {rtol}
[outputs]
every = {duration}
"#
    )
}

/// x and v at the end, and the verdict.
fn end(folder: &Folder, model: &str) -> (f64, f64, String) {
    folder.write("m.toml", model);
    let verdict = folder.done(&["run", "m.toml", "--force", "--json"]).json()["verdict"].as_str().unwrap().to_string();
    let table = String::from_utf8(folder.read("m.run/table.csv")).unwrap();
    let last: Vec<f64> = table.lines().last().unwrap().split(',').map(|x| x.parse().unwrap_or(f64::NAN)).collect();
    (last[1], last[4], verdict)
}

#[test]
fn a_condition_that_is_met_twice_within_a_step_counts() {
    let folder = Folder::new("unseen-graze");
    // An oscillator that is pulled back by 1 beyond x = 1 − 1e-4.
    let c = 1.0 - 1e-4_f64;
    let speed = (1.0 - c * c).sqrt();
    let across = 2.0 * (speed / (1.0 + c)).atan();
    let phase = (-speed).atan2(c) - (6.0 - (std::f64::consts::PI - c.acos()) - across);
    for method in METHODS {
        let rtol = if ["dop853", "dormand_prince", "radau5"].contains(&method) { 1e-8 } else { 1e-6 };
        let (x, v, _) = end(&folder, &mass(-1.0, 0.0, "-m.x + if_pos(m.x - 1 + 1e-4, -1, 0)", 6.0, method, rtol));
        // An error of one tolerance at the condition grows by 1 / speed.
        let error = (x - phase.cos()).abs().max((v - phase.sin()).abs());
        assert!(error < 20.0 * rtol / speed, "{method}: {error:e}");
    }
}

#[test]
fn a_narrow_peak_over_a_coordinate_is_not_passed_over() {
    let folder = Folder::new("unseen-peak");
    // All have the area 1.5 and double the speed.
    let peaks = [
        "84.62843753216345*exp(-((m.x - 5)/0.01)^2)",
        "84.62843753216345*2.718281828459045^(-((m.x - 5)/0.01)^2)",
        "75/cosh((m.x - 5)/0.01)^2",
        "1527.8874536821951/(1 + ((m.x - 5)/0.001)^2)^4",
        "150*(tanh((m.x - 5)/1e-4) - tanh((m.x - 5.005)/1e-4))",
        "84.62843753216345*exp(20 - ((m.x - 5)/0.01)^2)*exp(-20)",
    ];
    for method in METHODS {
        for force in peaks {
            let (_, v, verdict) = end(&folder, &mass(0.0, 1.0, force, 10.0, method, 1e-6));
            // The force amplifies errors of the position, which methods of low order report.
            let reported = ["trapezoidal", "two_step", "generalised_alpha", "bogacki_shampine"].contains(&method);
            assert!(verdict == "sound" || (reported && verdict == "doubtful"), "{method}: {force}: {verdict}");
            // Positions may err by 6e-6 in the middle of a force of up to 1500 N.
            assert!((v - 2.0).abs() < 1e-2, "{method}: {force}: {v}");
        }
    }
}

#[test]
fn an_odd_peak_over_a_coordinate_is_not_passed_over() {
    let folder = Folder::new("unseen-odd");
    // It pushes back and forth, by the same area: the speed is 1 again, and the time is not. With E = 1/2 + A w/2 exp(-u^2) at u,
    // the delay is the integral of 1/v - 1 over x.
    let (area, w) = (4000.0, 0.01);
    let slowness = |u: f64| 1.0 / (1.0 + area * w * (-(u * u)).exp()).sqrt() - 1.0;
    let delay: f64 = (-60_000..60_000).map(|k| slowness((f64::from(k) + 0.5) * 1e-4) * 1e-4 * w).sum();
    for method in METHODS {
        let force = format!("-{area}*((m.x - 5)/{w})*exp(-((m.x - 5)/{w})^2)");
        let (x, v, _) = end(&folder, &mass(0.0, 1.0, &force, 10.0, method, 1e-6));
        assert!((x - (10.0 - delay)).abs() < 2e-3, "{method}: {x} {delay}");
        assert!((v - 1.0).abs() < 5e-2, "{method}: {v}");
    }
}

#[test]
fn an_event_that_is_met_on_a_narrow_peak_alone_is_found() {
    let folder = Folder::new("unseen-event");
    for method in METHODS {
        let event = "[events.e]\nwhen = \"exp(-((m.x - 5)/0.001)^2) - 0.5\"\n[settings]";
        folder.write("m.toml", &mass(0.0, 1.0, "0", 10.0, method, 1e-6).replace("[settings]", event));
        folder.done(&["run", "m.toml", "--force"]);
        let events = String::from_utf8(folder.read("m.run/events.csv")).unwrap();
        assert_eq!(events.lines().count(), 3, "{method}: {events}");
    }
}

#[test]
fn an_event_of_a_jointed_body_acts_once() {
    // The return to the joint moves the state at the event back to before it.
    let folder = Folder::new("unseen-once");
    for method in ["dop853", "dormand_prince", "radau5"] {
        folder.write(
            "m.toml",
            &format!(
                r#"taut = 2
gravity = [0, -9.81, 0]
[variables]
k = 0
[bodies.p]
type = "planar"
mass = 1
inertia = 0.2
position = [0.5, 0]
markers = {{ a = [-0.5, 0], tip = [0.5, 0] }}
[joints.j]
type = "pin"
a = "ground"
b = "p.a"
[events.e]
when = "p.tip.y + 0.6370395835735216"
actions = {{ set = "k", to = "k.value + 1" }}
[settings]
duration = 1
method = "{method}"
rtol = 1e-6
"#
            ),
        );
        folder.done(&["run", "m.toml", "--force"]);
        let events = String::from_utf8(folder.read("m.run/events.csv")).unwrap();
        // Down and up again.
        assert_eq!(events.lines().count(), 3, "{method}: {events}");
    }
}

#[test]
fn an_event_whose_function_jumps_is_found_every_time() {
    let folder = Folder::new("unseen-sign");
    for method in METHODS {
        for when in ["sign(m.x)", "if_pos(m.x, 5, -0.1)"] {
            let event = format!("[events.e]\nwhen = \"{when}\"\n[settings]");
            folder.write("m.toml", &mass(1.0, 0.0, "-m.x", 20.0, method, 1e-6).replace("[settings]", &event));
            folder.done(&["run", "m.toml", "--force"]);
            let events = String::from_utf8(folder.read("m.run/events.csv")).unwrap();
            // cos t vanishes six times.
            assert_eq!(events.lines().count(), 7, "{method}, {when}: {events}");
        }
    }
}

#[test]
fn forces_whose_error_estimate_vanishes_are_not_called_wrong() {
    let folder = Folder::new("unseen-powers");
    for method in ["dop853", "dormand_prince", "bogacki_shampine", "radau5"] {
        for n in 0..=6_i32 {
            let model = mass(0.0, 0.0, &format!("2*t^{n}"), 10.0, method, 1e-7).replace("every = 10", "every = 0.5");
            let (_, v, verdict) = end(&folder, &model);
            let expected = 2.0 * 10.0_f64.powi(n + 1) / f64::from(n + 1);
            assert_eq!(verdict, "sound", "{method}: t^{n}");
            assert!((v / expected - 1.0).abs() < 1e-5, "{method}: t^{n}: {v} {expected}");
        }
    }
}

#[test]
fn a_force_that_sticks_without_friction_is_refused_in_time() {
    let folder = Folder::new("unseen-sliding");
    for method in METHODS {
        folder.write("m.toml", &mass(1.0, 0.0, "-m.x - 0.1*sign(m.vx)", 30.0, method, 1e-6));
        let answer = folder.taut(&["run", "m.toml", "--force"]);
        assert_eq!(answer.code, 2, "{method}: {answer:?}");
        assert!(answer.err.contains("`f` switch back and forth"), "{method}: {}", answer.err);
    }
}

#[test]
fn tolerances_that_a_method_of_low_order_cannot_keep_are_reported() {
    let folder = Folder::new("unseen-many");
    for (method, rtol, verdict) in
        [("trapezoidal", 1e-9, "doubtful"), ("trapezoidal", 1e-6, "sound"), ("dop853", 1e-11, "sound")]
    {
        let (_, _, found) = end(&folder, &mass(1.0, 0.0, "-m.x", 20.0, method, rtol));
        assert_eq!(found, verdict, "{method} {rtol}");
    }
}

#[test]
fn settings_that_cannot_be_meant_are_reported() {
    let folder = Folder::new("unseen-settings");
    folder.write("m.toml", &mass(1.0, 0.0, "-m.x", 1.0, "dop853", 10.0));
    let answer = folder.taut(&["check", "m.toml"]);
    assert!(answer.code != 0 && answer.err.contains("`rtol` is 10; it must be at most 0.1"), "{answer:?}");
    let model = mass(1.0, 0.0, "-m.x", 1.0, "dop853", 1e-6).replace("every = 1", "times = [0.5, 3]");
    folder.write("m.toml", &model);
    let answer = folder.taut(&["check", "m.toml"]);
    assert!(answer.code == 0 && answer.err.contains("3 s lies outside the run"), "{answer:?}");
}

#[test]
fn an_event_whose_condition_is_a_pulse_of_time_was_passed_over() {
    let folder = Folder::new("unseen-event");
    for width in [1e-2, 1e-4, 1e-6] {
        let (from, to) = (6.53163, 6.53163 + width);
        let middle = 0.5 * (from + to);
        let conditions = [
            format!("if_pos(t - {from:?}, if_pos({to:?} - t, 1, 0), 0) - 0.5"),
            format!("max(0, 1 - abs((t - {middle:?})/{:?})) - 0.5", 0.5 * width),
            format!("step(t, {from:?}, 0, {middle:?}, 1) - step(t, {middle:?}, 0, {to:?}, 1) - 0.5"),
            format!("exp(-((t - {middle:?})/{:?})^2) - 0.5", 0.25 * width),
        ];
        for (condition, method) in conditions.iter().flat_map(|c| METHODS.map(|method| (c, method))) {
            let model = mass(0.3, 0.0, "-20*m.x", 15.0, method, 1e-5)
                + &format!("[events.e]\nwhen = \"{condition}\"\nactions = \"record\"\n");
            end(&folder, &model);
            let events = String::from_utf8(folder.read("m.run/events.csv")).unwrap();
            assert_eq!(events.lines().count(), 3, "{method}, {condition}: {events}");
        }
    }
}

#[test]
fn the_error_estimate_of_a_contact_that_begins_vanished_by_chance() {
    let folder = Folder::new("unseen-onset");
    let ball = |name: &str, x: f64| {
        format!(
            "[bodies.{name}]\ntype = \"rigid\"\nmass = 1\nshape = {{ type = \"sphere\", radius = 0.2 }}\nposition = [{x}, 0, 0]\n\
             velocity = [{}, 0, 0]\n[surfaces.{name}]\nmarker = \"{name}\"\nshape = \"sphere\"\nradius = 0.2\n",
            -x
        )
    };
    // Hertz: the largest penetration is d = (5/4 m v²/k)^(2/5), with the reduced mass and the relative speed; the contact lasts
    // 2.943275 d/v.
    let depth = (1.25_f64 * 0.5 * 4.0 / 1e8).powf(0.4);
    let exact = -0.2 - (3.2 - 2.943_275_2 * depth / 2.0);
    for method in ["dop853", "dormand_prince", "bogacki_shampine", "radau5"] {
        for rtol in [1e-5, 1e-6, 1e-7, 1e-8, 1e-9] {
            let model = format!(
                "taut = 2\n{}{}[contacts.c]\nbetween = \"all\"\ncompliant = {{ stiffness = 1e8 }}\n[settings]\nduration = 4\n\
                 method = \"{method}\"\nrtol = {rtol:e}\natol = {rtol:e}\n[outputs]\nevery = 1\n",
                ball("a", -1.0),
                ball("b", 1.0)
            );
            let (x, _, verdict) = end(&folder, &model);
            let share = (x - exact).abs() / (rtol * (1.0 + exact.abs()));
            assert!(share < 100.0, "{method} {rtol:e}, {verdict}: {x} instead of {exact}, {share:.0} tolerances");
        }
    }
}

/// The error estimate of the first step is up to 37 times too small there.
#[test]
fn a_force_that_begins_like_a_square_root_keeps_the_tolerance() {
    let folder = Folder::new("unseen-root");
    for method in ["dop853", "dormand_prince", "radau5"] {
        for rtol in [1e-5, 1e-6, 1e-7, 1e-8, 1e-9] {
            // The mass returns with its speed. The velocity of `dormand_prince` erred by 164 tolerances at 1e-7.
            let (_, v, verdict) = end(&folder, &mass(-0.07, 1.0, "-300*sqrt(max(0, m.x))", 0.3, method, rtol));
            assert_eq!(verdict, "sound", "{method} {rtol:e}");
            assert!((v + 1.0).abs() < 30.0 * rtol, "{method} {rtol:e}: {:e}", v + 1.0);
        }
    }
}

/// An infinite slope amplifies errors where the motion enters it slowly: they were six tolerances here, and hundreds in chains.
#[test]
fn a_slow_motion_into_a_square_root_keeps_the_tolerance() {
    let folder = Folder::new("unseen-slow-root");
    for (method, rtol) in [("dop853", 1e-9), ("dormand_prince", 1e-7), ("radau5", 1e-7)] {
        for (x, v, k) in [(-0.0113, 0.02, 300), (-0.005, 0.1, 300), (-0.0171, 0.02, 3000), (-0.00231, 0.1, 3000)] {
            let model = mass(x, v, &format!("-{k}*sqrt(max(0, m.x))"), 2.0 - 2.0 * x / v, method, rtol);
            let model = model.replace("[outputs]", &format!("atol = {rtol:e}\n[outputs]"));
            let (_, end, verdict) = end(&folder, &model);
            assert_eq!(verdict, "sound", "{method} {x} {v} {k}");
            assert!((end + v).abs() < 3.0 * rtol, "{method} {x} {v} {k}: {:.1} tolerances", (end + v).abs() / rtol);
        }
    }
}

/// A rod that falls from 1e-5 rad beside its upright position: an error of one tolerance grows to 1e5.
#[test]
fn dormand_prince_reports_a_motion_that_amplifies_its_errors() {
    let folder = Folder::new("unseen-unstable");
    let rod = |angle: f64, duration: f64, method: &str| {
        let (x, y) = (0.5 * angle.sin(), 0.5 * angle.cos());
        format!(
            r#"taut = 2
gravity = [0, -9.81, 0]
[bodies.p]
type = "planar"
mass = 1
inertia = 0.0833333
position = [{x:?}, {y:?}]
angle = {:?}
markers = {{ low = [0, -0.5] }}
[joints.h]
type = "pin"
a = "ground"
b = "p.low"
[settings]
duration = {duration}
method = "{method}"
rtol = 1e-8
[outputs]
every = 0.5
"#,
            -angle
        )
    };
    let run = |model: &str| {
        folder.write("m.toml", model);
        folder.done(&["run", "m.toml", "--force", "--json"]).json()
    };
    for method in ["dormand_prince", "bogacki_shampine"] {
        let falling = run(&rod(1e-5, 4.0, method));
        assert_eq!(falling["verdict"], "doubtful", "{method}: {falling}");
        assert!(falling.to_string().contains("amplifies errors"), "{method}: {falling}");
        // Hanging, over the same time.
        assert_eq!(run(&rod(2.5, 4.0, method))["verdict"], "sound", "{method}");
    }
}
