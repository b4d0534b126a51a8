//! Runs the tutorial and the how-to pages as a newcomer would: writes their files, runs their commands, compares the output shown.
#![cfg(unix)] // it needs a shell

use crate::common;

use common::{CommandOutput, Folder, TAUT};
use std::process::Command;

/// A fenced block: its info string and its lines.
struct Block {
    info: String,
    text: String,
}

fn blocks(page: &str) -> Vec<Block> {
    let (mut blocks, mut open): (Vec<Block>, Option<Block>) = (Vec::new(), None);
    for line in page.lines() {
        match (line.strip_prefix("```"), open.take()) {
            (Some(info), None) => open = Some(Block { info: info.trim().to_string(), text: String::new() }),
            (Some(_), Some(block)) => blocks.push(block),
            (None, Some(mut block)) => {
                block.text += &format!("{line}\n");
                open = Some(block);
            }
            (None, None) => {}
        }
    }
    assert!(open.is_none(), "a block is not closed");
    blocks
}

/// Whether the output contains all shown lines in this order; `…` matches anything.
fn shown(wanted: &str, found: &str) -> Result<(), String> {
    let mut lines = found.lines();
    for line in wanted.lines().filter(|l| !l.trim().is_empty()) {
        let parts: Vec<&str> = line.split('…').collect();
        let fits = |l: &str| {
            let mut rest = l;
            parts.iter().enumerate().all(|(i, part)| match rest.find(part) {
                Some(at) if i > 0 || at == 0 => {
                    rest = &rest[at + part.len()..];
                    true
                }
                _ => false,
            }) && (rest.is_empty() || line.ends_with('…'))
        };
        if !lines.by_ref().any(fits) {
            return Err(format!("the tutorial shows\n{line}\nbut the answer is\n{found}"));
        }
    }
    Ok(())
}

/// Follows a page in an empty folder.
fn follow(name: &str, page: &str) -> Folder {
    let folder = Folder::new(name);
    let mut last = String::new();
    for Block { info, text } in blocks(page) {
        let words: Vec<&str> = info.split_whitespace().collect();
        let value = |key: &str| words.iter().find_map(|w| w.strip_prefix(key));
        match words.first().copied() {
            Some("toml") => folder.write(value("file=").unwrap(), &text),
            Some("sh") => {
                // `taut` is found where it was built.
                let place = std::path::Path::new(TAUT).parent().unwrap();
                let path = format!("{}:{}", place.display(), std::env::var("PATH").unwrap());
                let mut shell = Command::new("sh");
                shell.args(["-ec", &text]).env("PATH", path).current_dir(&folder.path);
                let answer = CommandOutput::of(&shell.output().unwrap());
                let wanted: i32 = value("exit=").map_or(0, |code| code.parse().unwrap());
                assert_eq!(answer.code, wanted, "{name}\n{text}{answer:?}");
                last = answer.out;
            }
            Some("text") => shown(&text, &last).unwrap(),
            // Programs of users, compiled as examples of their crates, and jobs of clusters.
            Some("rust" | "c" | "fortran" | "python" | "slurm") => {}
            _ => panic!("unknown block `{info}`"),
        }
    }
    folder
}

#[test]
fn the_tutorial_is_true() {
    let folder = follow("tutorial", include_str!("../../../../docs/tutorial.md"));
    let picture = folder.read("reaction.svg");
    assert!(picture.windows(4).any(|w| w == b"<svg"));
}

#[test]
fn the_how_to_pages_are_true() {
    let pages = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/how-to");
    for page in std::fs::read_dir(pages).unwrap().map(|page| page.unwrap().path()) {
        let name = page.file_stem().unwrap().to_str().unwrap();
        follow(name, &std::fs::read_to_string(&page).unwrap());
    }
}
