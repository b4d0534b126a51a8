//! `taut strobe` and errors of `taut report`.

use crate::common::{Folder, PENDULUM};

#[test]
fn runs_and_models_are_drawn_at_several_instants() {
    let folder = Folder::new("strobe");
    folder.write("p.toml", PENDULUM);
    folder.done(&["run", "p.toml"]);
    folder.done(&["strobe", "p.run"]);
    let of_run = String::from_utf8(folder.read("p.svg")).unwrap();
    assert!(of_run.starts_with("<svg") && of_run.contains("<g opacity"), "{of_run}");
    // A model is run first, gives the same picture and leaves no results.
    assert_eq!(folder.done(&["strobe", "p.toml", "-o", "-"]).out, of_run);
    folder.done(&["strobe", "p.run", "-o", "p.png", "--theme", "dark", "--forces", "--size", "400x300"]);
    assert_eq!(&folder.read("p.png")[1..4], b"PNG");
    for view in ["front", "side", "top", "iso", "-30,20"] {
        assert!(folder.done(&["strobe", "p.run", "-o", "-", "--view", view]).out.contains("</svg>"));
    }
}

#[test]
fn a_still_that_cannot_be_drawn_is_refused_with_a_remedy() {
    let folder = Folder::new("no_still");
    folder.write("p.toml", PENDULUM);
    folder.done(&["run", "p.toml"]);
    folder.write("there.svg", "mine");
    let cases: [(&[&str], &str); 10] = [
        (&["nowhere.run"], "nowhere.run does not exist"),
        (&["p.run", "-o", "there.svg"], "--force"),
        (&["p.run", "-o", "nodir/p.svg"], "folder nodir does not exist"),
        (&["p.run", "-o", "p.bmp"], ".svg or .png"),
        (&["p.run", "--trail", "nobody"], "rod"),
        (&["p.run", "--times", "0,1e6"], "1000000"),
        (&["p.run", "--from", "0.2", "--to", "0.1"], "before"),
        (&["p.run", "--view", "behind"], "iso"),
        (&["p.run", "--size", "3"], "800x600"),
        (&["p.toml", "-o", "p.toml"], "unknown picture format"),
    ];
    for (arguments, named) in cases {
        let answer = folder.taut(&[&["strobe"], arguments].concat());
        assert_eq!(answer.code, 1, "{arguments:?}: {answer:?}");
        assert!(answer.err.contains(named) && answer.out.is_empty(), "{arguments:?}: {answer:?}");
    }
    assert_eq!(folder.read("there.svg"), b"mine");
    folder.done(&["strobe", "p.run", "-o", "there.svg", "--force"]);
    assert!(folder.read("there.svg").starts_with(b"<svg"));
}

#[test]
fn a_report_that_cannot_be_made_is_refused_with_a_remedy() {
    let folder = Folder::new("no_report");
    folder.write("p.toml", PENDULUM);
    folder.done(&["run", "p.toml"]);
    folder.write("page.html", "<html>");
    let cases: [(&[&str], &str); 5] = [
        (&["report", "nowhere.run"], "nowhere.run does not exist"),
        (&["report", "p.toml"], "taut run p.toml --report"),
        (&["report", "p.run", "--compare", "nowhere.run"], "nowhere.run does not exist"),
        (&["report", "p.run", "-o", "nodir/p.html"], "folder nodir does not exist"),
        (&["view", "page.html", "--no-open"], "give a folder of results or a model file"),
    ];
    for (arguments, named) in cases {
        let answer = folder.taut(arguments);
        assert!(answer.code == 1 && answer.err.contains(named), "{arguments:?}: {answer:?}");
    }
}
