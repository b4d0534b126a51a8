//! Time-stepping runs: resumed to the same bytes, with a complete summary.

use crate::common::Folder;

/// A heap on a height field, for which time stepping is selected automatically.
const HEAP: &str = r#"taut = 2
gravity = [0, 0, -9.81]

[[repeat]]
for = "i"
from = 0
to = 3
[repeat.bodies."b{i}"]
type = "rigid"
mass = 2
shape = { type = "box", size = [0.2, 0.2, 0.2] }
position = ["0.01*mod(i, 2)", 0.02, "0.11 + 0.23*i"]
[repeat.surfaces."b{i}"]
marker = "b{i}"
shape = "box"
size = [0.2, 0.2, 0.2]

[surfaces.g]
marker = "ground"
shape = "height_field"
size = [2, 2]
heights = [[0, 0, 0], [0, 0, 0], [0, 0, 0]]

[contacts.c]
between = "all"
friction = 0.5

[settings]
duration = 1

[outputs]
every = 0.05
"#;

#[test]
fn runs_in_time_steps_could_not_be_resumed() {
    let folder = Folder::new("time-steps");
    folder.write("heap.toml", HEAP);
    let whole = folder.done(&["run", "heap.toml", "-o", "whole.run"]);
    assert!(whole.err.contains("time stepping"), "{whole:?}");
    assert!(whole.out.contains("impulse [N s]"), "{whole:?}");
    let manifest: serde_json::Value = serde_json::from_slice(&folder.read("whole.run/manifest.json")).unwrap();
    assert_eq!(manifest["time_step"].as_f64(), Some(1e-3));
    let mut part = folder.taut(&["run", "heap.toml", "-o", "cut.run", "--max-steps", "137"]);
    assert!(part.code == 2 && part.err.contains("taut run --resume cut.run"), "{part:?}");
    let mut resumed = 0;
    while part.code == 2 && resumed < 20 {
        part = folder.taut(&["run", "--resume", "cut.run"]);
        resumed += 1;
    }
    assert!(part.code == 0 && resumed > 1, "{resumed}: {part:?}");
    assert_eq!(folder.read("cut.run/table.csv"), folder.read("whole.run/table.csv"));
    assert_eq!(folder.read("cut.run/events.csv"), folder.read("whole.run/events.csv"));
    // At rest the ground bears all four.
    let reported = folder.done(&["run", "heap.toml", "-o", "reported.run", "--json"]).json();
    let impulses = reported["contacts"].as_array().unwrap().iter().filter(|c| c["of"].as_str().unwrap().contains("-g"));
    let sum: f64 = impulses.map(|c| c["impulse"]["N s"].as_f64().unwrap()).sum();
    assert!((sum - 8.0 * 9.81).abs() < 1e-2 * 8.0 * 9.81, "{sum}");
}

#[test]
fn a_wall_clock_stops_time_steps() {
    let folder = Folder::new("time-steps-clock");
    folder.write("heap.toml", HEAP);
    let clock = std::time::Instant::now();
    let part = folder.taut(&["run", "heap.toml", "--wall-clock", "0.5 s", "-t", "1e5"]);
    assert!(part.code == 2 && part.err.contains("--resume"), "{part:?}");
    // Half a second, and what starting and writing takes on a busy machine.
    assert!(clock.elapsed().as_secs_f64() < 10.0, "{:?}", clock.elapsed());
}
