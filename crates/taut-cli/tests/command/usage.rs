//! Usage: help, exit codes, stdout and stderr.

use crate::common;

use common::{Folder, PENDULUM, TAUT};
use std::io::Read;
use std::process::{Command, Stdio};

const VERBS: [&str; 21] = [
    "run",
    "check",
    "assemble",
    "kinematics",
    "static",
    "inverse",
    "lab",
    "plot",
    "strobe",
    "view",
    "report",
    "compare",
    "new",
    "examples",
    "schema",
    "convert",
    "bench",
    "reproduce",
    "claims",
    "completions",
    "help",
];

#[test]
fn every_verb_has_help_with_an_example() {
    let folder = Folder::new("help");
    let all = folder.done(&["--help"]).out;
    for verb in VERBS {
        assert!(all.contains(&format!("\n  {verb} ")), "{verb} in {all}");
        if verb != "help" {
            let own = folder.done(&[verb, "--help"]).out;
            assert!(own.contains("Example") && own.contains(&format!("taut {verb}")), "{own}");
        }
    }
    assert!(folder.done(&["--version"]).out.starts_with("taut "));
}

#[test]
fn bad_usage_is_refused_with_code_one() {
    let folder = Folder::new("usage");
    folder.write("p.toml", PENDULUM);
    let cases: [(&[&str], &str); 10] = [
        (&["rum", "p.toml"], "run"),
        (&["run"], "Usage"),
        (&["run", "p.toml", "--format", "xls"], "csv"),
        (&["run", "p.toml", "--set", "l"], "NAME=VALUE"),
        (&["run", "nowhere.toml"], "nowhere.toml"),
        (&["run", "p.toml", "--rtol", "small"], "rtol"),
        (&["run", "p.toml", "-t", "3 kg"], "duration"),
        (&["plot", "nowhere.run"], "nowhere.run"),
        (&["reproduce", "kepler-1609"], "newhart-2019"),
        (&["examples", "show", "nothing_like_it"], "nothing_like_it"),
    ];
    for (arguments, named) in cases {
        let answer = folder.taut(arguments);
        assert_eq!(answer.code, 1, "{arguments:?}: {answer:?}");
        assert!(answer.err.contains(named) && answer.out.is_empty(), "{arguments:?}: {answer:?}");
    }
    assert_eq!(folder.taut(&[]).code, 1);
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    for arguments in [&["schema"][..], &["completions", "bash"], &["examples"], &["--help"]] {
        let mut child =
            Command::new(TAUT).args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let mut said = String::new();
        child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        assert_eq!((child.wait().unwrap().code(), said.as_str()), (Some(0), ""), "{arguments:?}");
    }
}

#[test]
fn completions_name_the_verbs() {
    let folder = Folder::new("completions");
    for shell in ["bash", "zsh", "fish"] {
        assert!(folder.done(&["completions", shell]).out.contains("kinematics"));
    }
}

#[test]
fn the_schema_is_json() {
    let schema = Folder::new("schema").done(&["schema"]).json();
    assert!(schema.is_object());
}

#[test]
fn examples_are_listed_shown_copied_and_run() {
    let folder = Folder::new("examples");
    let list = folder.done(&["examples"]).out;
    let Some(name) = list.split_whitespace().next() else { return };
    let text = folder.done(&["examples", "show", name]).out;
    folder.done(&["examples", "copy", name]);
    let file = format!("{name}.toml");
    assert_eq!(folder.read(&file), text.as_bytes());
    assert_eq!(folder.taut(&["examples", "copy", name]).code, 1);
    folder.done(&["check", &file]);
}

#[test]
fn a_starter_checks_and_runs() {
    let folder = Folder::new("starter");
    folder.done(&["new", "crank"]);
    let check = folder.done(&["check", "crank.toml"]);
    assert!(check.out.contains("0 degrees of freedom") && check.err.is_empty(), "{check:?}");
    let run = folder.done(&["run", "crank.toml"]);
    assert!(run.out.starts_with("crank: sound; finished at t = 0.3 s"), "{run:?}");
    assert!(run.err.is_empty(), "{run:?}");
    let again = folder.taut(&["new", "crank.toml"]);
    assert!(again.code == 1 && again.err.contains("already exists"), "{again:?}");
}

/// The file of results was `--file` in six commands, and `--output` named a column in two of them.
#[test]
fn the_former_name_of_the_output_file_is_refused_with_the_new_one() {
    let folder = Folder::new("former-file");
    folder.write("p.toml", PENDULUM);
    for command in ["periodic", "floquet", "trim", "campbell", "linearize", "response"] {
        let reported = folder.taut(&[command, "p.toml", "--file", "a.csv"]);
        assert!(
            reported.code == 1 && reported.err.contains("this option is now called --output"),
            "{command}: {reported:?}"
        );
    }
    for words in [["linearize", "a.mat"], ["response", "a.svg"]] {
        let reported = folder.taut(&[words[0], "p.toml", "-o", words[1], "--output", "rod.theta"]);
        assert!(reported.code == 1 && reported.err.contains("use --column"), "{words:?}: {reported:?}");
    }
}

/// A command that is wrapped, or followed by a remark that the shell takes as arguments, fails when it is copied.
#[test]
fn examples_of_the_help_can_be_copied() {
    let folder = Folder::new("copied-examples");
    let top = folder.done(&["--help"]).out;
    let list = top.split("Commands:\n").nth(1).unwrap().lines().take_while(|line| !line.is_empty());
    let mut read = 0;
    // A long description continues on lines that are indented further.
    let names = list.filter(|line| !line.starts_with("   ")).filter_map(|line| line.split_whitespace().next());
    for command in names.filter(|name| *name != "help") {
        let help = folder.done(&[command, "--help"]).out;
        let Some((_, examples)) = help.split_once("\nExamples:\n") else { continue };
        let mut continues = false;
        for line in examples.lines().take_while(|line| !line.is_empty()) {
            let own = if continues {
                line.starts_with("      ")
            } else {
                line.starts_with("  taut ") || line.starts_with("  # ")
            };
            assert!(own && line.chars().count() <= 80, "{command}: `{line}`");
            let code = line.split("# ").next().unwrap().trim();
            assert!(!code.contains("  "), "{command}: a remark without #: `{line}`");
            continues = line.ends_with(" \\");
            read += 1;
        }
        assert!(!continues, "{command}");
    }
    assert!(read > 80, "{read} lines of examples");
}
