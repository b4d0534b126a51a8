//! Contradictory constraints that a file accepts, in every command; and measures whose formula contradicts their unit.

use crate::common::{Folder, PENDULUM};

const RITZ: &str = "masarati_ritz.toml";

fn folder_with_ritz(name: &str) -> Folder {
    let folder = Folder::new(name);
    let model = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/papers/masarati_ritz.toml");
    std::fs::copy(model, folder.path.join(RITZ)).unwrap();
    folder
}

#[test]
fn contradictory_constraints_are_assembled_by_least_squares_as_in_a_run() {
    let folder = folder_with_ritz("assemble-contradictory");
    let found = folder.done(&["assemble", RITZ]);
    assert!(found.out.contains("`high.relation` keeps a residual of 1.000e-3 m"), "{found:?}");
    let lab = folder.done(&["lab", RITZ, "--formulations", "cholesky", "--duration", "0.1 s"]);
    assert!(lab.out.contains("cholesky"), "{lab:?}");
}

#[test]
fn analyses_that_need_consistent_constraints_say_so() {
    let folder = folder_with_ritz("modes-contradictory");
    for command in ["modes", "static", "kinematics"] {
        let refused = folder.taut(&[command, RITZ]);
        assert!(refused.code == 1 && refused.err.contains("applies to `run`, `assemble` and `lab`"), "{refused:?}");
    }
}

#[test]
fn a_length_is_not_the_unit_of_an_angle_in_a_measure() {
    let folder = Folder::new("measure-units");
    let check = |formula: &str, unit: &str| {
        folder.write(
            "m.toml",
            &format!("{PENDULUM}\n[measures]\nm = {{ formula = \"{formula}\", unit = \"{unit}\" }}\n"),
        );
        folder.taut(&["check", "m.toml"])
    };
    for (formula, unit, message) in [
        ("rod.theta", "mm", "which has no value in mm"),
        ("rod.x + rod.theta", "mm", "different dimensions"),
        ("rod.omega", "m/s", "which has no value in m/s"),
    ] {
        let refused = check(formula, unit);
        assert!(refused.code == 1 && refused.err.contains(message), "{formula}: {refused:?}");
        assert!(refused.err.contains("m.toml:"), "{refused:?}");
    }
    for (formula, unit) in [("rod.theta", "deg"), ("rod.omega", "rpm"), ("rod.x + 0.1*rod.theta", "mm")] {
        let accepted = check(formula, unit);
        assert_eq!(accepted.code, 0, "{formula}: {accepted:?}");
    }
}
