//! Runs the built command in a temporary folder.
#![allow(dead_code)] // each test takes what it needs

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The command.
pub const TAUT: &str = env!("CARGO_BIN_EXE_taut");

/// A temporary folder, removed at the end of the test.
pub struct Folder {
    pub path: PathBuf,
}

impl Folder {
    /// An empty folder named after the test.
    pub fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("taut-cli-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        Folder { path }
    }

    /// Writes a file.
    pub fn write(&self, name: &str, text: &str) {
        fs::write(self.path.join(name), text).unwrap();
    }

    /// Reads a file.
    pub fn read(&self, name: &str) -> Vec<u8> {
        let path = self.path.join(name);
        fs::read(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
    }

    /// Runs the command here.
    pub fn taut(&self, arguments: &[&str]) -> CommandOutput {
        CommandOutput::of(&Command::new(TAUT).args(arguments).current_dir(&self.path).output().unwrap())
    }

    /// Runs it and expects it to succeed.
    pub fn done(&self, arguments: &[&str]) -> CommandOutput {
        let answer = self.taut(arguments);
        assert_eq!(answer.code, 0, "taut {arguments:?}: {answer:?}");
        answer
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.path);
    }
}

/// Exit code and output of the command.
#[derive(Debug)]
pub struct CommandOutput {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl CommandOutput {
    pub fn of(output: &Output) -> CommandOutput {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        CommandOutput { code: output.status.code().unwrap_or(-1), out: text(&output.stdout), err: text(&output.stderr) }
    }

    /// Its stdout as JSON.
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.out).unwrap_or_else(|e| panic!("{e}: {self:?}"))
    }
}

/// A pendulum that swings freely.
pub const PENDULUM: &str = r#"taut = 2
title = "Pendulum"
gravity = [0, -9.81, 0]

[params]
l = "1 m"

[bodies.rod]
type = "planar"
mass = "2 kg"
shape = { type = "rod", length = "l" }
position = ["l/2", 0]
markers = { top = ["-l/2", 0], tip = ["l/2", 0] }

[joints.hinge]
type = "pin"
a = "ground"
b = "rod.top"

[settings]
duration = "1 s"

[outputs]
every = "10 ms"
"#;

/// Whether a folder is there.
pub fn folder_exists(folder: &Path, name: &str) -> bool {
    folder.join(name).exists()
}
