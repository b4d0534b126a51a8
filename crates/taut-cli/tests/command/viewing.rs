//! `taut view` and `taut report`, with the page and in a build without it.

use crate::common::{Folder, PENDULUM, TAUT, folder_exists};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

/// Whether this build has its page; one without says in one sentence how to get it.
fn has_page(folder: &Folder) -> bool {
    let answer = folder.taut(&["report", "p.run", "-o", "try.html"]);
    if answer.code == 0 {
        return true;
    }
    assert!(answer.err.contains("without its page") && answer.err.contains("install Node"), "{answer:?}");
    assert_eq!(answer.err.trim_end().lines().count(), 1, "{answer:?}");
    assert!(!folder_exists(&folder.path, "try.html"));
    false
}

#[test]
fn reports_are_one_file_and_replace_nothing() {
    let folder = Folder::new("report");
    folder.write("p.toml", PENDULUM);
    folder.done(&["run", "p.toml"]);
    if !has_page(&folder) {
        let early = folder.taut(&["run", "p.toml", "-o", "q.run", "--report"]);
        assert!(early.code == 1 && !folder_exists(&folder.path, "q.run"), "{early:?}");
        return;
    }
    folder.done(&["report", "p.run", "--compare", "p.run", "--compare", "p.run"]);
    let page = String::from_utf8(folder.read("p.html")).unwrap();
    assert!(page.contains("data-mode=\"report\"") && page.contains("id=\"run\""));
    assert!(page.contains("id=\"ghost\"") && page.contains("id=\"ghost2\"") && !page.contains("id=\"ghost3\""));
    let again = folder.taut(&["report", "p.run"]);
    assert!(again.code == 1 && again.err.contains("--force"), "{again:?}");
    folder.done(&["report", "p.run", "--force"]);
    let model = folder.taut(&["report", "p.run", "-o", "p.run/model.toml", "--force"]);
    assert!(model.code == 1 && model.err.contains("model itself"), "{model:?}");
    // What is in the way is said before anything is computed.
    let early = folder.taut(&["run", "p.toml", "-o", "q.run", "--report=p.html"]);
    assert!(early.code == 1 && !folder_exists(&folder.path, "q.run"), "{early:?}");
    folder.done(&["run", "p.toml", "-o", "q.run", "--report"]);
    assert!(folder_exists(&folder.path, "q.html"));
    let bare = folder.taut(&["run", "p.toml", "-o", "r.run", "--report", "--set", "outputs.columns=[\"energy\"]"]);
    assert!(bare.code == 1 && bare.err.contains("`state`") && folder_exists(&folder.path, "r.run"), "{bare:?}");
}

/// A server that is ended with its test.
struct Serving(Child);

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[cfg(unix)]
#[test]
fn a_model_is_run_and_served_until_interrupted() {
    let folder = Folder::new("view");
    folder.write("p.toml", PENDULUM);
    folder.done(&["run", "p.toml"]);
    if !has_page(&folder) {
        return;
    }
    for (shown, compared) in [(&["p.toml"][..], 0), (&["p.run", "p.toml", "p.run"], 2)] {
        let mut command = Command::new(TAUT);
        command.arg("view").args(shown).arg("--no-open").current_dir(&folder.path);
        let mut serving = Serving(command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap());
        let mut link = String::new();
        BufReader::new(serving.0.stdout.take().unwrap()).read_line(&mut link).unwrap();
        let address = link.trim().strip_prefix("http://").and_then(|l| l.strip_suffix('/')).unwrap();
        assert!(address.starts_with("127.0.0.1:"), "{link}");
        let found = |path: &str| {
            let mut stream = TcpStream::connect(address).unwrap();
            write!(stream, "GET {path} HTTP/1.1\r\nHost: {address}\r\n\r\n").unwrap();
            let mut answer = Vec::new();
            stream.read_to_end(&mut answer).unwrap();
            answer.starts_with(b"HTTP/1.1 200 OK")
        };
        assert!(found("/run.taut"));
        for (k, name) in ["/ghost.taut", "/ghost2.taut", "/ghost3.taut"].into_iter().enumerate() {
            assert_eq!(found(name), k < compared, "{name} of {shown:?}");
        }
        let interrupted = Command::new("kill").args(["-INT", &serving.0.id().to_string()]).status().unwrap();
        assert!(interrupted.success() && serving.0.wait().unwrap().code() == Some(0));
    }
    // The model's own run left nothing here.
    let found: Vec<String> = std::fs::read_dir(&folder.path)
        .unwrap()
        .map(|e| e.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    assert_eq!(found.len(), 3, "{found:?}");
    assert_eq!(folder.taut(&["view", "nowhere.run"]).code, 1);
}
