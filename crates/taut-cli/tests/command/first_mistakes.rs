//! What a newcomer gets wrong in the first hour: the message says what to do instead.

use crate::common::{Folder, PENDULUM};

#[test]
fn a_model_named_without_its_extension_is_proposed() {
    let folder = Folder::new("no-extension");
    folder.write("crank.toml", PENDULUM);
    let run = folder.taut(&["run", "crank"]);
    assert!(run.code == 1 && run.err.contains("did you mean crank.toml?"), "{run:?}");
    let other = folder.taut(&["run", "rocker"]);
    assert!(other.code == 1 && !other.err.contains("did you mean"), "{other:?}");
}

#[test]
fn results_that_do_not_exist_are_not_called_empty() {
    let folder = Folder::new("no-results");
    let plot = folder.taut(&["plot", "crank.run"]);
    assert!(plot.code == 1 && plot.err.contains("there is no folder `crank.run`"), "{plot:?}");
    std::fs::create_dir(folder.path.join("crank.run")).unwrap();
    let plot = folder.taut(&["plot", "crank.run"]);
    assert!(plot.code == 1 && plot.err.contains("contains no results"), "{plot:?}");
}

#[test]
fn an_example_is_found_by_its_subject_or_a_misspelt_name() {
    let folder = Folder::new("examples-by-subject");
    let subject = folder.taut(&["examples", "copy", "suspension"]);
    assert!(subject.code == 1 && subject.err.contains("similar: double_wishbone"), "{subject:?}");
    let misspelt = folder.taut(&["examples", "show", "four-bar"]);
    assert!(misspelt.code == 1 && misspelt.err.contains("four_bar"), "{misspelt:?}");
    let nothing = folder.taut(&["examples", "show", "zeppelin"]);
    assert!(nothing.code == 1 && nothing.err.contains("`taut examples` lists all"), "{nothing:?}");
}

const SHAKER: [&str; 9] = [
    "trim",
    "shaker.toml",
    "--period",
    "2*pi/8",
    "--vary",
    "suspension.stiffness=100:250:1000",
    "--target",
    "mass.z:amplitude1=0.012",
    "-o",
];

#[test]
fn a_single_trim_says_how_to_use_its_parameters() {
    let folder = Folder::new("use-trim");
    folder.done(&["examples", "copy", "shaker"]);
    let written = folder.taut(&[&SHAKER[..], &["trimmed.toml"]].concat());
    assert!(written.code == 1 && written.err.contains("--parameter, --from and --to"), "{written:?}");

    let trim = folder.done(&SHAKER[..8]);
    let line = trim.out.lines().find_map(|line| line.strip_prefix("for other commands: ")).expect("a line of options");
    let options: Vec<&str> = line.split(' ').collect();
    let harmonics = ["periodic", "shaker.toml", "--period", "2*pi/8", "--harmonics", "mass.z", "--json"];
    let motion = folder.done(&[&harmonics[..], &options].concat()).json();
    let first = &motion["harmonics"]["mass.z"]["harmonics"][0];
    let [c, s] = [0, 1].map(|i| first[i].as_f64().unwrap_or_else(|| panic!("{motion}")));
    assert!((c.hypot(s) - 0.012).abs() < 1e-8, "{c} {s}");
}

/// Seven balls in a row above the floor, of which one falls on it.
fn balls(contact_method: &str) -> String {
    let mut text = format!(
        "taut = 2\ngravity = [0, 0, -9.81]\n[surfaces.floor]\nmarker = \"ground\"\nshape = \"half_space\"\n\
         [contacts.all]\nbetween = \"all\"\n[settings]\nduration = 0.2\n{contact_method}\n[outputs]\nevery = 0.05\n"
    );
    for i in 0..7 {
        let z = if i == 0 { 0.11 } else { 2.0 };
        text += &format!(
            "[bodies.b{i}]\ntype = \"point_mass\"\nmass = 1\nposition = [{i}, 0, {z}]\n\
             [surfaces.b{i}]\nmarker = \"b{i}\"\nshape = \"sphere\"\nradius = 0.1\n"
        );
    }
    text
}

#[test]
fn contacts_that_never_closed_do_not_fill_the_summary() {
    let folder = Folder::new("open-contacts");
    folder.write("events.toml", &balls(""));
    let run = folder.done(&["run", "events.toml"]).out;
    assert!(run.contains("  all.floor-b0") && !run.contains("all.floor-b1") && !run.contains("all.b1-b2"), "{run}");
    assert!(run.contains("  27 more without any force"), "{run}");
    assert_eq!(folder.done(&["run", "events.toml", "--json"]).json()["reactions"].as_array().map(Vec::len), Some(28));

    folder.write("steps.toml", &balls("contact_method = \"time_stepping\"\nstep = \"5 ms\""));
    let run = folder.done(&["run", "steps.toml"]).out;
    assert!(run.contains("  27 more that never closed") && run.contains("  27 more without any force"), "{run}");
    assert!(run.contains("whether these reactions are unique was not examined"), "{run}");
    assert_eq!(run.matches("not examined").count(), 1, "{run}");
}

/// The command of README and the model of `taut new` greeted with residuals of the velocities that their drivers prescribe.
#[test]
fn the_first_commands_print_no_warning() {
    let folder = Folder::new("first-commands");
    folder.done(&["new", "crank"]);
    folder.done(&["examples", "copy", "four_bar"]);
    for words in [["check", "crank.toml"], ["run", "crank.toml"], ["check", "four_bar.toml"], ["run", "four_bar.toml"]]
    {
        let reported = folder.done(&words);
        assert!(!reported.err.contains("warning") && !reported.out.contains("is off by"), "{words:?}: {reported:?}");
    }
    // A velocity that contradicts the driver is still reported.
    let crank = String::from_utf8(folder.read("crank.toml")).unwrap();
    folder.write(
        "moving.toml",
        &crank.replace("position = [\"r/2\", 0] ", "angular_velocity = 1\nposition = [\"r/2\", 0] "),
    );
    let reported = folder.done(&["check", "moving.toml"]);
    assert!(reported.out.contains("`motor.relation` is off by 6.183e1 rad/s"), "{reported:?}");
}
