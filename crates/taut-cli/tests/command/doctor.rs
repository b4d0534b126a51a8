//! The constraint doctor on one file with every kind of finding: redundant rows, contradictory rows, rows that are dependent in one pose,
//! free motions, and a beam, whose nodes need no line of their own.

use crate::common;

use common::Folder;

const MODEL: &str = include_str!("determinacy/all_findings.toml");

#[test]
fn every_kind_of_finding_at_once() {
    let folder = Folder::new("doctor-all");
    folder.write("model.toml", MODEL);
    let answer = folder.taut(&["check", "model.toml"]);
    assert_eq!(answer.code, 1, "contradictory drivers are an error: {answer:?}");
    for words in [
        "one row redundant among `push`, `pull`, in every pose; they contradict each other in their velocities by 1.000e0 m/s",
        "10 rows redundant among `low`, `mid`, `high`, in every pose; harmless",
        "one row redundant among `motor`, `elbow`, `wrist`, `foot`, in this pose only",
        "free: `door` turns about `low` (z)",
        "free: `arm` deforms: only its elements hold 6 nodes, in 36 directions",
        "39 degrees of freedom in this pose, 38 in poses nearby",
    ] {
        assert!(answer.out.contains(words), "`{words}` is missing in\n{}", answer.out);
    }
    assert!(answer.err.contains("model.toml:"), "{}", answer.err);
    // No line per node, and the masses of the beam are one sum.
    assert!(!answer.out.contains("arm_"), "{}", answer.out);
    let line =
        answer.out.lines().find(|l| l.trim_start().starts_with("arm ")).unwrap_or_else(|| panic!("{}", answer.out));
    assert!(line.contains("beam, 7 nodes") && line.split_whitespace().last() == Some("1"), "{line}");
}
